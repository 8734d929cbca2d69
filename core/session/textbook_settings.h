#pragma once

#include <array>

#include "core/session/setting.h"

namespace headscope {

/// The settings of the page of textbooks.
inline constexpr std::array textbook_settings{
    Setting{"textbook", "the worked example", "--textbook", "NAME", place_group,
            "The worked example on the page of textbooks; “headscope textbook” lists them", "the first",
            field::Text{place_at<&Session::textbook>}},
};

}  // namespace headscope
