#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/checkpoint/family.h"
#include "core/io/json_text.h"
#include "core/to_float.h"

namespace headscope {
namespace {

struct ActivationName {
  std::string_view name;
  Activation activation;
};

/// The supported activations of ACT2FN in transformers. gelu_new, gelu_fast, gelu_accurate and
/// gelu_pytorch_tanh are the same formula.
constexpr std::array activations{ActivationName{"relu", Activation::relu},
                                 ActivationName{"gelu", Activation::gelu},
                                 ActivationName{"gelu_python", Activation::gelu},
                                 ActivationName{"gelu_new", Activation::gelu_tanh},
                                 ActivationName{"gelu_fast", Activation::gelu_tanh},
                                 ActivationName{"gelu_accurate", Activation::gelu_tanh},
                                 ActivationName{"gelu_pytorch_tanh", Activation::gelu_tanh},
                                 ActivationName{"silu", Activation::silu},
                                 ActivationName{"swish", Activation::silu}};

std::string shown_value(const nlohmann::json& value) {
  constexpr std::size_t most = 80;
  std::string text = json_text(value);
  return text.size() > most ? text.substr(0, most) + "…" : text;
}

}  // namespace

const nlohmann::json* ModelConfig::find(std::string_view key) const {
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(std::string(key));
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

bool ModelConfig::has(std::string_view key) const {
  return find(key) != nullptr;
}

void ModelConfig::wrong(std::string_view key, std::string_view what) {
  const nlohmann::json* const found = find(key);
  const std::string name = "its " + std::string(key);
  fail(name + (found == nullptr ? " is missing" : " is " + shown_value(*found)) + ", " + std::string(what));
}

int ModelConfig::whole(std::string_view key, int otherwise) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return otherwise;
  const double value = found->is_number() ? found->get<double>() : -1.0;
  // This is small enough to add a few such numbers and multiply them by 4.
  constexpr double most = 1 << 26;
  if (value >= 0.0 && value <= most && value == std::floor(value)) return static_cast<int>(value);
  wrong(key, "but must be a whole number from 0 to 67,108,864");
  return otherwise;
}

int ModelConfig::whole(std::string_view key, int left_out, int null) {
  const bool is_null = !has(key) && json_.is_object() && json_.contains(std::string(key));
  return whole(key, is_null ? null : left_out);
}

int ModelConfig::whole(std::string_view key) {
  if (!has(key)) wrong(key, "and has no default");
  return whole(key, 1);
}

float ModelConfig::decimal(std::string_view key, double otherwise) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return to_float(otherwise);
  const double value = found->is_number() ? found->get<double>() : std::nan("");
  if (std::isfinite(to_float(value))) return to_float(value);
  wrong(key, "but must be a number");
  return to_float(otherwise);
}

std::vector<float> ModelConfig::decimals(std::string_view key) {
  std::vector<float> numbers;
  const nlohmann::json* const found = find(key);
  if (found != nullptr && found->is_array()) {
    for (const nlohmann::json& number : *found)
      numbers.push_back(number.is_number() ? to_float(number.get<double>()) : std::nanf(""));
  }
  const bool are_numbers = std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); });
  if (numbers.empty() || !are_numbers) wrong(key, "but must be a list of numbers");
  return numbers;
}

bool ModelConfig::flag(std::string_view key, bool otherwise) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return otherwise;
  if (found->is_boolean()) return found->get<bool>();
  wrong(key, "but must be true or false");
  return otherwise;
}

std::string ModelConfig::text(std::string_view key, std::string_view otherwise) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return std::string(otherwise);
  if (found->is_string()) return found->get<std::string>();
  wrong(key, "but must be a text");
  return std::string(otherwise);
}

std::optional<ModelConfig> ModelConfig::inside(std::string_view key) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_object()) return ModelConfig(*found);
  wrong(key, "but must be an object");
  return std::nullopt;
}

Activation ModelConfig::activation(std::string_view key, std::string_view otherwise) {
  const std::string name = text(key, otherwise);
  const auto* const found = std::ranges::find(activations, name, &ActivationName::name);
  if (found != activations.end()) return found->activation;
  wrong(key, "but only relu, gelu, gelu_new, gelu_pytorch_tanh and silu are supported");
  return Activation::gelu;
}

void ModelConfig::refuse_unless(bool fits, std::string_view key, std::string_view what) {
  if (!fits) wrong(key, what);
}

bool has_tensor_ending(const CheckpointFiles& files, std::string_view end) {
  return std::ranges::any_of(files.tensors(),
                             [&](const TensorSource& tensor) { return tensor.name.ends_with(end); });
}

bool fits_pattern(std::string_view name, std::string_view pattern) {
  std::size_t n = 0;
  std::size_t p = 0;
  // The position of the last star in the pattern, and the end of the letters that it has matched so far.
  std::size_t star = std::string_view::npos;
  std::size_t reaches = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      reaches = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++reaches;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace headscope
