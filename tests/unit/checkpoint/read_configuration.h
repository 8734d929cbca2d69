#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/checkpoint/family.h"
#include "core/io/safetensors.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {

using Json = nlohmann::json;

/// Files with tensors of these names, of one number each.
inline CheckpointFiles files_with(const std::vector<std::string>& names) {
  const TemporaryFolder folder;
  const float number = 0.0F;
  std::vector<TensorView> tensors;
  for (const std::string& name : names) tensors.push_back({name, {1}, {&number, 1, 1, 1}});
  EXPECT_TRUE(write_safetensors(folder / "model.safetensors", tensors, {}).has_value());
  return *CheckpointFiles::open(folder / "");
}

struct Read {
  Architecture architecture;
  std::string error;
  std::vector<std::string> unknown;
};

inline Read read(const Json& json, const std::vector<std::string>& tensors = {"lm_head.weight"}) {
  const CheckpointFiles files = files_with(tensors);
  ModelConfig config(json);
  for (const Family& family : families()) {
    const auto& types = family.model_types;
    if (std::ranges::find(types, json["model_type"].get<std::string>()) == types.end()) continue;
    Read result{family.architecture(config, files), config.error(), {}};
    result.unknown = config.unknown();
    const auto valid = validate(result.architecture);
    if (result.error.empty() && !valid) result.error = valid.error().message;
    return result;
  }
  return {{}, "no family", {}};
}

inline Architecture architecture(const Json& json,
                                 const std::vector<std::string>& tensors = {"lm_head.weight"}) {
  const Read result = read(json, tensors);
  EXPECT_EQ(result.error, "") << json;
  EXPECT_TRUE(result.unknown.empty()) << json << ": " << result.unknown.front();
  return result.architecture;
}

inline std::vector<int> global_layers(const Architecture& a) {
  std::vector<int> layers;
  for (int l = 0; l < a.n_layers; ++l) {
    if (!a.has_sliding_window(l)) layers.push_back(l);
  }
  return layers;
}

inline Json with(Json json, const Json& more) {
  json.update(more);
  return json;
}

}  // namespace headscope
