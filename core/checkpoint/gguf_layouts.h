#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "core/checkpoint/family.h"
#include "core/io/gguf.h"

namespace headscope {

/// Values of expert_gating_func: the function of the router's logits.
inline constexpr int softmax_gating = 1, sigmoid_gating = 2;

/// A family as GGUF files store its models. llama.cpp calls this an architecture.
struct GgufLayout {
  std::string_view architecture;  ///< general.architecture
  Family family;                  ///< The family, with the rules and the unused tensors of GGUF files.
  /// Adds to a configuration the values that files of this architecture express in another way than those of
  /// all others. Null if there are no such values.
  void (*complete)(const Gguf& file, nlohmann::json& config) = nullptr;
  /// A key with a number above `above` that distinguishes these files from others of the architecture. Empty
  /// if there are no others.
  std::string_view only_with = {};
  std::uint64_t above = 0;
};

std::span<const GgufLayout> gguf_layouts();

/// Whether a file has a tensor of this name.
bool has_tensor(const Gguf& file, std::string_view name);

/// The width of a head in a configuration with the sizes of a GGUF file.
double width_of_head(const nlohmann::json& config);

}  // namespace headscope
