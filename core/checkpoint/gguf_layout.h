#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/checkpoint/family.h"
#include "core/io/gguf.h"

namespace headscope {

/// What llama.cpp calls an architecture: a family, as GGUF files hold its models.
struct GgufLayout {
  std::string_view architecture;  ///< general.architecture
  Family family;                  ///< The family, with the rules and the unused tensors of GGUF files.
  /// Adds to a configuration what the family reads and only this architecture's files say differently. Null
  /// if there is nothing.
  void (*complete)(nlohmann::json& config) = nullptr;
};

std::span<const GgufLayout> gguf_layouts();

/// The configuration of a model as the config.json of its family would say it. It is an error if the metadata
/// lacks a size that every model has, or if a value is not of the kind that it must be.
Result<nlohmann::json> gguf_configuration(const Gguf& file, const GgufLayout& layout);

/// Sets what GGUF files say by the tensors that they have: biases, the segments, and Llama 3's scaling of
/// rotary positions. Refuses rotary positions that the architecture does not compute.
Result<void> set_by_tensors(const Gguf& file, const CheckpointFiles& files, Architecture& architecture);

}  // namespace headscope
