#pragma once

#include <array>

#include "core/session/cover_words.h"
#include "core/session/selection_settings.h"

namespace headscope {

/// The settings of a cover, which hides numbers for an exercise. They are read after the selection, because a
/// cover that names no stage covers the selected one.
inline constexpr std::array cover_settings{
    Setting{
        "cover.cells", "the covered cells", "--cover", "WHAT", place_group,
        "Hides numbers of a stage until they are found: all, rows:I,…, columns:I,…, cells:R.C,…, every:N (2 is a chessboard) or random:SHARE[:SEED]; join several with +; +except:R.C,… leaves some out; @PATH names another stage than the selected one. I, R and C are indices or tokens",
        "none", field::Notation{words_of_cover, read_cover}},
    Setting{"cover.right", "the answered cells", "--answered", "R.C,…", place_group,
            "Covered cells that were answered correctly; they are shown with a mark", "none",
            field::Notation{words_of_answers, read_answers}},
    Setting{"cover.solution", "the solution", "--solution", "", place_group,
            "Shows the covered numbers, each in a frame", "",
            field::Flag{place_at<&Session::cover, &Cover::solution>}},
};

}  // namespace headscope
