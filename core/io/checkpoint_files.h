#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/tensor_source.h"
#include "core/result.h"
#include "core/system/mapped_file.h"

namespace headscope {

/// The tensors of a folder in Hugging Face's layout, or of a single file. The files stay mapped as long as
/// the object lives.
class CheckpointFiles {
 public:
  /// Opens the first of these that the folder has: model.safetensors, or the shards that
  /// model.safetensors.index.json lists; pytorch_model.bin, or the shards of pytorch_model.bin.index.json;
  /// the same in 16 bits; the files of other programs (TransformerLens, Llama, nanoGPT).
  /// Only headers are read. Errors, which name the file: missing or damaged files, shards outside the folder,
  /// tensors that the index lists but the shard lacks, and tensors that are in two shards.
  static Result<CheckpointFiles> open(const std::filesystem::path& folder);
  /// Takes a single file and the tensors found in it. It is an error if two of them have the same name.
  static Result<CheckpointFiles> of_file(MappedFile file, std::vector<TensorSource> tensors);

  /// All tensors, sorted by name.
  const std::vector<TensorSource>& tensors() const { return tensors_; }
  /// Null if there is no tensor of this name.
  const TensorSource* find(std::string_view name) const;
  /// Makes the tensors read as a LoRA adapter changes them, whose adapter_config.json and adapter_model are
  /// in `folder`, and returns in words what was added. Errors, which name the folder: an adapter of another
  /// kind, and one that does not fit these tensors.
  Result<std::string> add_adapter(const std::filesystem::path& folder);
  /// Replaces each tensor [E, ·, ·] whose name has this ending by E matrices, the names of which end in “.0”,
  /// “.1” and so on. Those of experts that multiply from the other side, [in, out], are read transposed.
  void split_experts(std::string_view ending);
  /// Takes a prefix off the names of the tensors that have it, unless that gives two of them the same name.
  void remove_prefix(std::string_view prefix);
  const std::vector<MappedFile>& files() const { return files_; }
  std::size_t bytes() const;  ///< the size of all files together
  /// The greatest number of numbers that the files can hold, given the types of their weights.
  double most_numbers() const;
  /// The types of the tensors, those with the most bytes first: “Q4_K: 30 tensors, 4 MB; F32: …”.
  std::string types_text() const;
  /// Fails with the name of a file that has changed since it was opened. Data read from such a file cannot be
  /// trusted.
  Result<void> check_unchanged() const;
  /// A hash of the tensors' names, shapes and types, of the file sizes, and of 4 KiB at each of 64 places in
  /// each file. It tells two checkpoints apart without reading all of either.
  std::uint64_t sampled_hash() const;

 private:
  CheckpointFiles() = default;
  Result<void> add(const std::filesystem::path& file);
  Result<void> add_shard(const std::filesystem::path& shard);
  Result<void> add_shards(const std::filesystem::path& folder, const std::filesystem::path& index);
  Result<void> sort();
  void join_fp4();

  std::vector<MappedFile> files_;
  std::vector<TensorSource> tensors_;
};

/// The tensors of a safetensors file. They refer to its bytes. Error messages do not name the file.
Result<std::vector<TensorSource>> safetensors_sources(std::string_view file);

}  // namespace headscope
