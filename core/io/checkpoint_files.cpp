#include "core/io/checkpoint_files.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/io/file_kind.h"
#include "core/io/json_text.h"
#include "core/io/safetensors.h"
#include "core/io/torch_file.h"
#include "core/split_text.h"
#include "core/system/read_file.h"
#include "core/tensor/hash.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// Reads an index, which maps the name of each tensor to its file.
std::map<std::string, std::string> read_index(const fs::path& index) {
  const std::string text = read_file(index).value();
  return result_of("'" + index.string() + "' is not an index of shards: ",
                   [&] {
                     const auto json = parse_json(text).value();
                     if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
                       refuse(failure("it has no weight_map"));
                     std::map<std::string, std::string> files;
                     for (const auto& [name, file] : json["weight_map"].items()) {
                       if (!file.is_string())
                         refuse(failure("the file name of '" + name + "' is not a string"));
                       files[name] = file.get<std::string>();
                     }
                     if (files.empty()) refuse(failure("its weight_map is empty"));
                     return files;
                   })
      .value();
}

std::string size_text(std::size_t bytes) {
  constexpr std::size_t kilo = 1000, mega = 1'000'000;
  if (bytes >= mega) return std::to_string(bytes / mega) + " MB";
  return bytes >= kilo ? std::to_string(bytes / kilo) + " kB" : std::to_string(bytes) + " bytes";
}

/// All expected shards of a folder without an index, “model-00001-of-00003.safetensors” etc., existing or
/// not. Empty if none exists.
std::vector<fs::path> shards_without_index(const fs::path& folder) {
  std::vector<fs::path> shards;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    const std::size_t of = name.find("-of-");
    const std::size_t dot = name.rfind('.');
    constexpr std::size_t n_digits = 5, max_shards = 1000;
    const std::string before = of == std::string::npos ? "" : name.substr(0, of - std::min(of, n_digits));
    const bool is_shard = (before == "model-" && name.ends_with(".safetensors")) ||
                          (before == "pytorch_model-" && name.ends_with(".bin"));
    const std::string count = is_shard ? name.substr(of + 4, dot - of - 4) : "";
    if (count.size() != n_digits || count.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto n = static_cast<std::size_t>(std::stoi(count));
    for (std::size_t i = 1; i <= std::min(n, max_shards); ++i) {
      const std::string number = std::to_string(i);
      shards.push_back(folder /
                       (before + std::string(n_digits - number.size(), '0') + number + name.substr(of)));
    }
    return shards;
  }
  return shards;
}

/// Whether the name is a plain file name, not a path.
bool is_plain_name(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && name.find('\0') == std::string::npos && path == path.filename() && name != "." &&
         name != "..";
}

}  // namespace

void CheckpointFiles::add(const fs::path& path) {
  if (is_misnamed(path)) refuse(failure(explain_open_failure(path)));
  files_.push_back(MappedFile::open(path).value());
  const std::string_view bytes = files_.back().bytes();
  auto tensors = result_of("cannot read '" + path.string() + "': ", [&] {
                   return path.extension() == ".safetensors" ? view_safetensors(bytes).value().tensors
                                                             : torch_tensors(bytes).value();
                 }).value();
  std::move(tensors.begin(), tensors.end(), std::back_inserter(tensors_));
}

void CheckpointFiles::add_shard(const fs::path& shard) {
  std::error_code error;
  if (fs::exists(shard, error)) return add(shard);
  refuse(failure("the shard '" + shard.string() +
                 "' is missing: download it into the same folder as the others"));
}

void CheckpointFiles::add_shards(const fs::path& folder, const fs::path& index) {
  const auto listed = read_index(index);
  std::set<std::string> shards;
  for (const auto& [name, file] : listed) {
    if (!is_plain_name(file)) {
      refuse(failure("'" + index.string() + "' says that the tensor '" + name + "' is in the file '" + file +
                     "', which is not in the same folder"));
    }
    shards.insert(file);
  }
  for (const std::string& shard : shards) {
    const std::size_t first = tensors_.size();
    add_shard(folder / shard);
    std::set<std::string_view> there;
    for (std::size_t i = first; i < tensors_.size(); ++i) there.insert(tensors_[i].name);
    const auto is_lost = [&](const auto& entry) {
      return entry.second == shard && !there.contains(entry.first);
    };
    const auto lost = std::ranges::find_if(listed, is_lost);
    if (lost != listed.end()) {
      refuse(failure("'" + (folder / shard).string() + "' has no tensor '" + lost->first + "', which '" +
                     index.filename().string() + "' lists: download this file again"));
    }
  }
}

/// Joins the pairs of tensors that MXFP4 is stored as: NAME_blocks [·, n / 32, 16] and NAME_scales [·, n /
/// 32].
void CheckpointFiles::join_fp4() {
  constexpr std::string_view blocks_end = "_blocks", scales_end = "_scales";
  constexpr std::size_t in_block = 32, block_bytes = 16;
  std::map<std::string, TensorRef*> scales_of;
  for (TensorRef& tensor : tensors_)
    if (tensor.name.ends_with(scales_end) && tensor.type == NumberType::u8 && tensor.strides.empty())
      scales_of[tensor.name.substr(0, tensor.name.size() - scales_end.size())] = &tensor;
  if (scales_of.empty()) return;
  for (TensorRef& blocks : tensors_) {
    const bool is_fp4 = blocks.name.ends_with(blocks_end) && blocks.type == NumberType::u8 &&
                        blocks.strides.empty() && blocks.shape.size() > 2 &&
                        blocks.shape.back() == block_bytes;
    if (!is_fp4) continue;
    std::string name = blocks.name.substr(0, blocks.name.size() - blocks_end.size());
    const auto found = scales_of.find(name);
    if (found == scales_of.end() || found->second->size() * block_bytes != blocks.size()) continue;
    blocks.name = std::move(name);
    blocks.type = NumberType::fp4;
    blocks.exponents = found->second->bytes;
    blocks.shape.pop_back();
    blocks.shape.back() *= in_block;
    found->second->name.clear();
  }
  std::erase_if(tensors_, [](const TensorRef& tensor) { return tensor.name.empty(); });
}

void CheckpointFiles::split_experts(std::string_view ending, bool are_in_out) {
  std::vector<TensorRef> all;
  for (TensorRef& tensor : tensors_) {
    constexpr std::size_t max_experts = 4096, max_name = 1024;
    if (!tensor.name.ends_with(ending) || tensor.shape.size() != 3 || !tensor.strides.empty() ||
        tensor.shape[0] > max_experts || tensor.size() == 0 || tensor.name.size() > max_name) {
      all.push_back(std::move(tensor));
      continue;
    }
    const std::size_t rows = tensor.shape[1], cols = tensor.shape[2];
    const BlockSize block = block_of(tensor.type);
    const std::size_t n_blocks = rows * cols / block.numbers;
    for (std::size_t expert = 0; expert < tensor.shape[0]; ++expert) {
      TensorRef one = tensor;
      one.name += "." + std::to_string(expert);
      one.shape = {rows, cols};
      one.bytes = tensor.bytes.substr(expert * n_blocks * block.bytes, n_blocks * block.bytes);
      if (!tensor.exponents.empty()) {
        one.exponents = tensor.exponents.substr(expert * n_blocks, n_blocks);
      } else if (are_in_out) {
        one.shape = {cols, rows};
        one.strides = {1, cols};
      }
      all.push_back(std::move(one));
    }
  }
  tensors_ = std::move(all);
  std::ranges::sort(tensors_, {}, &TensorRef::name);
}

/// Removes the components that PyTorch adds to the names of distributed, compiled or checkpointed modules.
void CheckpointFiles::remove_wrappers() {
  constexpr std::array<std::string_view, 3> wrappers{"_fsdp_wrapped_module", "_checkpoint_wrapped_module",
                                                     "_orig_mod"};
  for (TensorRef& tensor : tensors_) {
    std::string name;
    for (const std::string_view component : split_text(tensor.name, '.')) {
      if (std::ranges::find(wrappers, component) != wrappers.end()) continue;
      if (!name.empty()) name += '.';
      name += component;
    }
    if (name.size() < tensor.name.size()) tensor.name = std::move(name);
  }
}

void CheckpointFiles::sort() {
  remove_wrappers();
  join_fp4();
  std::ranges::sort(tensors_, {}, &TensorRef::name);
  const auto twice = std::ranges::adjacent_find(tensors_, {}, &TensorRef::name);
  if (twice == tensors_.end()) return;
  refuse(failure("the tensor '" + twice->name + "' occurs twice in '" +
                 (files_.size() == 1 ? files_.front().path() : files_.front().path().parent_path()).string() +
                 "'"));
}

Result<CheckpointFiles> CheckpointFiles::open(const fs::path& folder) {
  // The 16-bit variants are a fallback.
  constexpr std::array choices{"model.safetensors",
                               "model.safetensors.index.json",
                               "pytorch_model.bin",
                               "pytorch_model.bin.index.json",
                               "model.fp16.safetensors",
                               "model.safetensors.index.fp16.json",
                               "model.bf16.safetensors",
                               "model.safetensors.index.bf16.json",
                               "transformer_lens.safetensors",
                               "consolidated.safetensors",
                               "consolidated.00.pth",
                               "ckpt.pt",
                               "model.pt"};
  std::error_code unknown;
  const auto* const found =
      std::ranges::find_if(choices, [&](const char* name) { return fs::exists(folder / name, unknown); });
  return result_of([&] {
    CheckpointFiles files;
    const fs::path path = found == choices.end() ? fs::path() : folder / *found;
    if (fs::exists(folder / "consolidated.01.pth", unknown) && path.filename() == "consolidated.00.pth")
      refuse(failure("'" + path.string() +
                     "' has only a part of each tensor, for one of several GPUs: convert the model with "
                     "convert_llama_weights_to_hf.py of Transformers, and open the result"));
    if (path.empty()) {
      const auto shards = shards_without_index(folder);
      if (shards.empty()) refuse(failure(explain_open_failure(folder)));
      for (const fs::path& shard : shards) files.add_shard(shard);
    } else if (path.filename().string().find(".index.") != std::string::npos) {
      files.add_shards(folder, path);
    } else {
      files.add(path);
    }
    files.sort();
    return files;
  });
}

Result<CheckpointFiles> CheckpointFiles::of_files(std::vector<MappedFile> mapped,
                                                  std::vector<TensorRef> tensors) {
  return result_of([&] {
    CheckpointFiles files;
    files.files_ = std::move(mapped);
    files.tensors_ = std::move(tensors);
    files.sort();
    return files;
  });
}

void CheckpointFiles::remove_prefix(std::string_view prefix) {
  if (prefix.empty()) return;
  removed_ = prefix;
  for (const TensorRef& tensor : tensors_)
    if (!tensor.name.starts_with(prefix)) kept_.insert(tensor.name);
  for (TensorRef& tensor : tensors_) {
    if (!tensor.name.starts_with(prefix)) continue;
    const std::string name = tensor.name.substr(prefix.size());
    if (kept_.contains(name))
      kept_.insert(tensor.name);
    else
      tensor.name = name;
  }
  std::ranges::sort(tensors_, {}, &TensorRef::name);
}

std::string CheckpointFiles::stored_name(const std::string& name) const {
  return kept_.contains(name) ? name : removed_ + name;
}

const TensorRef* CheckpointFiles::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(tensors_, name, {}, &TensorRef::name);
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

std::size_t CheckpointFiles::bytes() const {
  std::size_t sum = 0;
  for (const MappedFile& file : files_) sum += file.bytes().size();
  return sum;
}

double CheckpointFiles::max_numbers() const {
  constexpr double halves = 0.5;  // numbers per byte
  double max_density = halves;
  for (const TensorRef& tensor : tensors_) {
    const BlockSize block = block_of(tensor.type);
    if (tensor.is_weight())
      max_density =
          std::max(max_density, static_cast<double>(block.numbers) / static_cast<double>(block.bytes));
  }
  return max_density * static_cast<double>(bytes());
}

std::string CheckpointFiles::types_text() const {
  struct Stored {
    NumberType type;
    std::size_t tensors = 0, bytes = 0;
  };
  std::vector<Stored> all;
  for (const TensorRef& tensor : tensors_) {
    auto found = std::ranges::find(all, tensor.type, &Stored::type);
    if (found == all.end()) found = all.insert(all.end(), Stored{tensor.type});
    const BlockSize block = block_of(tensor.type);
    ++found->tensors;
    found->bytes += tensor.size() / block.numbers * block.bytes;
  }
  std::ranges::stable_sort(all, std::greater(), &Stored::bytes);
  std::string text;
  for (const Stored& each : all) {
    text.append(text.empty() ? "" : "; ").append(name_of(each.type)).append(": ");
    text.append(std::to_string(each.tensors)).append(each.tensors == 1 ? " tensor, " : " tensors, ");
    text.append(size_text(each.bytes));
  }
  return text;
}

Result<void> CheckpointFiles::check_unchanged() const {
  const auto changed =
      std::ranges::find_if(files_, [](const MappedFile& file) { return !file.is_unchanged(); });
  if (changed == files_.end()) return {};
  return failure("'" + changed->path().string() +
                 "' was changed after it was opened: open it again when it is complete");
}

std::uint64_t CheckpointFiles::sampled_hash() const {
  constexpr std::size_t n_places = 64;
  constexpr std::size_t sample_bytes = 4096;
  std::uint64_t hash = 0;
  for (const TensorRef& tensor : tensors_) {
    std::string description = tensor.name + " " + std::string(name_of(tensor.type));
    for (const std::size_t side : tensor.shape) description += " " + std::to_string(side);
    hash = xxh64_hash(description, hash);
  }
  for (const MappedFile& file : files_) {
    const std::string_view bytes = file.bytes();
    hash = xxh64_hash(std::to_string(bytes.size()), hash);
    for (std::size_t place = 0; place < n_places; ++place)
      hash = xxh64_hash(bytes.substr(bytes.size() / n_places * place, sample_bytes), hash);
  }
  return hash;
}

}  // namespace headscope
