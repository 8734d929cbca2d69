#pragma once

#include <array>

#include "core/session/setting.h"

namespace headscope {

inline constexpr std::string_view given_group = "Given numbers";

/// The setting for numbers that are given by hand.
inline constexpr std::array given_settings{
    Setting{
        "given", "the given numbers", "--set", "PATH=NUMBERS", given_group,
        "Numbers for a parameter, the input of a stack, or the query, key, value or raw scores of a head: rows with semicolons between them, such as \"1 0; 0 1\", or @FILE (.csv, .npy); none removes all of them. Everything after them is computed from them; may be repeated",
        "none", field::Given{place_at<&Session::given>}},
};

}  // namespace headscope
