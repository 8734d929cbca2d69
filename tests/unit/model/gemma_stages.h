#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "core/model/stage.h"

namespace headscope {

/// Whether only models of Gemma 3n and 4 have a kind of stage, which gemma_models_test.cpp tests.
inline bool is_of_gemma(const StageInfo& stage) {
  constexpr std::array<std::string_view, 4> beginnings{"per_layer.", "streams.", "laurel.",
                                                       "feed_forward.dense."};
  constexpr std::array<std::string_view, 9> names{"projected_value",          "output_factor",
                                                  "feed_forward.sparse",      "feed_forward.router.norm.gain",
                                                  "feed_forward.router_norm", "feed_forward.router.factors",
                                                  "feed_forward.sum",         "feed_forward.sum_norm.gain",
                                                  "feed_forward.sum_norm"};
  return std::ranges::find(names, stage.name) != names.end() ||
         std::ranges::any_of(beginnings, [&](std::string_view each) { return stage.name.starts_with(each); });
}

}  // namespace headscope
