#pragma once

#include <array>

#include "core/session/setting.h"

namespace headscope {

/// The texts with which an author introduces a scene to those who open it.
inline constexpr std::array scene_settings{
    Setting{"title", "the title", "--title", "TITLE", place_group,
            "The scene's title, shown above its picture when it is presented", "none",
            field::Text{place_at<&Session::title>}},
    Setting{"note", "the note", "--note", "TEXT", place_group,
            "A sentence about what there is to see, shown below the title", "none",
            field::Text{place_at<&Session::note>}},
};

}  // namespace headscope
