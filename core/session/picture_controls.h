#pragma once

#include <string_view>

#include "core/enum_count.h"
#include "core/session/session.h"

namespace headscope::control {

inline constexpr auto sequential_maps =
    one_for_each<SequentialMap, std::string_view>("Headscope", "Viridis", "Cividis", "Grays");
inline constexpr auto diverging_maps =
    one_for_each<DivergingMap, std::string_view>("Headscope", "Blue–orange", "Purple–green");
inline constexpr auto ranges =
    one_for_each<RangeMode, std::string_view>("usual", "per row", "per map", "all heads", "fixed");
inline constexpr auto transfers = one_for_each<Transfer, std::string_view>("linear", "log", "gamma");

inline bool has_fixed_range(const Session& s) {
  return s.picture.range == RangeMode::fixed;
}
inline bool has_gamma(const Session& s) {
  return s.picture.transfer == Transfer::gamma;
}

}  // namespace headscope::control
