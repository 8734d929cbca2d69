#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/tensor_ref.h"
#include "core/result.h"
#include "core/system/mapped_file.h"

namespace headscope {

/// The tensors of a checkpoint in Hugging Face's layout, or of a single file, memory-mapped for the lifetime
/// of the object.
class CheckpointFiles {
 public:
  /// Opens the first of these in the folder: model.safetensors, or the shards listed in
  /// model.safetensors.index.json; pytorch_model.bin, or its shards; the same in 16 bits; the files of
  /// TransformerLens, Llama and nanoGPT. Reads only headers. Errors (which name the file): missing or corrupt
  /// files, shards outside the folder, tensors missing from their shard, and tensors in two shards.
  static Result<CheckpointFiles> open(const std::filesystem::path& folder);
  /// Wraps files and their tensors. Fails on duplicate names.
  static Result<CheckpointFiles> of_files(std::vector<MappedFile> mapped, std::vector<TensorRef> tensors);

  /// All tensors, sorted by name.
  const std::vector<TensorRef>& tensors() const { return tensors_; }
  /// Null if there is no tensor of this name.
  const TensorRef* find(std::string_view name) const;
  /// Applies the LoRA adapter in `folder` (adapter_config.json and adapter_model) to the tensors when they
  /// are read, and returns a description of it. Errors (which name the folder): another kind of adapter, or
  /// one that does not match these tensors.
  Result<std::string> add_adapter(const std::filesystem::path& folder);
  /// Splits each tensor [E, ·, ·] whose name has this ending into E matrices named “….0”, “….1” and so on.
  /// Those stored as [in, out] are transposed unless they are quantised.
  void split_experts(std::string_view ending, bool are_in_out);
  /// Removes a prefix from tensor names, unless that would make two names equal.
  void remove_prefix(std::string_view prefix);
  /// The name that a tensor has, or would have, in the files.
  std::string stored_name(const std::string& name) const;
  const std::vector<MappedFile>& files() const { return files_; }
  std::size_t bytes() const;  ///< total file size
  /// An upper bound for the number of parameters, given file sizes and number types.
  double max_numbers() const;
  /// The number types, largest total size first: “Q4_K: 30 tensors, 4 MB; F32: …”.
  std::string types_text() const;
  /// Fails if a file has changed since it was opened, so that data read from it cannot be trusted.
  Result<void> check_unchanged() const;
  /// A hash of tensor names, shapes and types, file sizes, and 64 samples of 4 KiB per file. Distinguishes
  /// checkpoints without reading all of them.
  std::uint64_t sampled_hash() const;

 private:
  CheckpointFiles() = default;
  void add(const std::filesystem::path& file);
  void add_shard(const std::filesystem::path& shard);
  void add_shards(const std::filesystem::path& folder, const std::filesystem::path& index);
  void sort();
  void remove_wrappers();
  void join_fp4();

  std::vector<MappedFile> files_;
  std::vector<TensorRef> tensors_;
  std::string removed_;         ///< the prefix without which names are shorter than in the files
  std::set<std::string> kept_;  ///< names that did not have it
};

}  // namespace headscope
