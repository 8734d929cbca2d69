// Fuzzes a .safetensors file, and the attention module whose weights its tensors may be.
// The input is read twice: as the file, and as a header up to the first NUL, followed by the data. In the
// second case the length of the header is filled in, so that a mutation may change it.

#include <cstring>
#include <map>
#include <set>

#include "core/engine/module_trace.h"
#include "core/engine/module_weights.h"
#include "core/io/safetensors.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

constexpr const char* file_name = "fuzz.safetensors";

void check_tensors(const Safetensors& file) {
  constexpr std::size_t max_to_find = 500;  // Finding a tensor searches all of them.
  std::set<std::string_view> names;
  for (const Tensor& tensor : file.tensors) {
    std::size_t size = 1;
    for (const std::size_t side : tensor.shape) size *= side;
    require(tensor.values.size() == size, "a tensor has as many numbers as its shape says");
    require(names.insert(tensor.name).second, "names of tensors are unique");
    if (file.tensors.size() <= max_to_find) {
      require(file.find(tensor.name) == &tensor, "a tensor is found by its name");
    }
  }
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

void check_written_again(const Safetensors& file) {
  std::vector<TensorView> views;
  for (const Tensor& tensor : file.tensors) {
    const auto n = static_cast<int>(tensor.values.size());
    views.push_back({tensor.name, tensor.shape, {tensor.values.data(), 1, n, n}});
  }
  const std::filesystem::path path = fuzzing::scratch() / file_name;
  require(write_safetensors(path, views, file.metadata).has_value(), "what was read can be written");
  const auto again = read_safetensors(path);
  require(again.has_value(), "what was written can be read");
  require(again->metadata == file.metadata && again->tensors.size() == file.tensors.size(),
          "a file read back is the same");
  // Tensors without numbers share a place, so their order may differ.
  std::map<std::string_view, const Tensor*> read_back;
  for (const Tensor& tensor : again->tensors) read_back[tensor.name] = &tensor;
  for (const Tensor& tensor : file.tensors) {
    const Tensor* const same = read_back[tensor.name];
    require(same != nullptr && same->shape == tensor.shape && same_bits(same->values, tensor.values),
            "a tensor read back is the same");
  }
}

OwnedMatrix rows_of_width(int width) {
  OwnedMatrix rows(3, width);
  for (std::size_t i = 0; i < rows.values.size(); ++i) rows.values[i] = static_cast<float>(i % 7) - 3.0F;
  return rows;
}

void check_pass(ModuleWeights weights) {
  constexpr int max_columns = 256;
  const AttentionWeights& a = weights.attention;
  for (const Linear* linear : {&a.query, &a.key, &a.value, &a.out}) {
    if (linear->n_in() > max_columns || linear->n_out() > max_columns) return;
  }
  ModuleInputs inputs;
  inputs.query = {"query", rows_of_width(a.query.n_in())};
  inputs.key = ModuleRows{"key", rows_of_width(a.key.n_in())};
  inputs.value = ModuleRows{"value", rows_of_width(a.value.n_in())};
  const int n_heads = a.query.n_out() % 2 == 0 && a.value.n_out() % 2 == 0 ? 2 : 1;
  const auto pass = module_forward(std::move(weights), std::move(inputs), n_heads, {});
  if (!pass) return fuzzing::require_readable(pass.error().message);
  for (const TensorView& tensor : tensors_of(*pass)) {
    if (tensor.name.ends_with(".weights")) fuzzing::require_weights(tensor.values);
  }
}

void check_module(const Safetensors& file) {
  std::vector<std::optional<ModuleFormat>> formats{std::nullopt};
  for (std::size_t i = 0; i < module_format_names.size(); ++i) {
    formats.emplace_back(static_cast<ModuleFormat>(i));
  }
  for (const auto format : formats) {
    auto weights = module_weights_of(file, file_name, format);
    if (weights) {
      check_pass(std::move(*weights));
    } else {
      fuzzing::require_readable(weights.error().message);
    }
  }
}

void read(std::string_view bytes) {
  const auto file = parse_safetensors(bytes, file_name);
  if (!file) return fuzzing::require_readable(file.error().message);
  check_tensors(*file);
  check_written_again(*file);
  check_module(*file);
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view input = fuzzing::text_of(data, size);
  read(input);
  const auto parts = fuzzing::parts_of(input, 2);
  read(fuzzing::length_bytes(parts[0].size()).append(parts[0]).append(parts[1]));
  return 0;
}
