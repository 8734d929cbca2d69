#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/mapped_file.h"
#include "core/io/tensor_source.h"
#include "core/result.h"

namespace headscope {

/// The tensors of a folder in Hugging Face's layout, in files that are mapped as long as the object lives.
class CheckpointFiles {
 public:
  /// Opens the first of these that the folder has: model.safetensors, or the shards that
  /// model.safetensors.index.json lists; pytorch_model.bin, or the shards of pytorch_model.bin.index.json;
  /// transformer_lens.safetensors.
  /// Only headers are read. Errors name the file: what is missing or damaged, shards outside of the folder,
  /// tensors that an index promises and its shard has not, or that two shards have.
  static Result<CheckpointFiles> open(const std::filesystem::path& folder);

  /// By name, ascending.
  const std::vector<TensorSource>& tensors() const { return tensors_; }
  /// Null if there is none of this name.
  const TensorSource* find(std::string_view name) const;
  const std::vector<MappedFile>& files() const { return files_; }
  std::size_t bytes() const;  ///< of all files
  /// An error that names a file which became shorter since it was opened: what was read of it is not true.
  Result<void> check_whole() const;
  /// Of names, shapes and types of the tensors, the sizes of the files, and 4 KiB at each of 64 places in
  /// each file: what tells two checkpoints apart without reading all of either.
  std::uint64_t sampled_hash() const;

 private:
  CheckpointFiles() = default;
  Result<void> add(const std::filesystem::path& file);
  Result<void> add_shards(const std::filesystem::path& folder, const std::filesystem::path& index);
  Result<void> sort();

  std::vector<MappedFile> files_;
  std::vector<TensorSource> tensors_;
};

/// The tensors of a safetensors file; they refer to its bytes. An error does not name the file.
Result<std::vector<TensorSource>> safetensors_sources(std::string_view file);

}  // namespace headscope
