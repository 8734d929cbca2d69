#pragma once

#include <array>

#include "core/session/setting.h"

namespace headscope {

/// The settings of the page of textbooks.
inline constexpr std::array textbook_settings{
    Setting{"textbook", "the worked example", "--textbook", "NAME", place_group,
            "The worked example on the Textbooks page; “headscope textbook” lists them all", "the first",
            field::Text{place_at<&Session::textbook>}},
};

}  // namespace headscope
