// Fuzzes the config.json of another program's model, beside a file of weights that lacks most of the model's
// tensors. An architecture is made from the configuration and its sizes are compared with the file, which
// must never be enough to make a model.

#include <nlohmann/json.hpp>

#include "core/checkpoint/foreign_model.h"
#include "core/io/safetensors.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  fuzzing::scratch();
  std::filesystem::create_directories("foreign");
  fuzzing::put("foreign/config.json", fuzzing::text_of(data, size));
  static const bool has_weights = [] {
    const OwnedMatrix numbers(64, 64);
    const std::vector<TensorView> tensors{{"wte.weight", {64, 64}, numbers.view()}};
    return write_safetensors("foreign/model.safetensors", tensors, {}).has_value();
  }();
  fuzzing::require(has_weights, "the weights can be written");
  if (!is_foreign_folder("foreign")) return 0;
  const auto model = open_foreign_folder("foreign", "foreign");
  fuzzing::require(!model.has_value(), "no model is made of one table");
  fuzzing::require_readable(model.error().message);
  return 0;
}
