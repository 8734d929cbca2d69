#pragma once

#include <array>

#include "core/session/lines_words.h"
#include "core/session/selection_settings.h"

namespace headscope {

/// The settings of the page of lines.
inline constexpr std::array lines_settings{
    Setting{"lines.arcs", "the form of the lines", "--lines", "FORM", place_group,
            "Lines between two columns of tokens, or arcs over one line of them", "",
            field::NamedFlag{place_at<&Session::lines, &LinesOptions::arcs>, "columns", "arcs"}},
    Setting{"lines.share", "the drawn share of each row", "--line-share", "P", place_group,
            "Draw only the strongest lines of each query that together have this share of its attention", "",
            field::Decimal{place_at<&Session::lines, &LinesOptions::share>, 0.0F, 1.0F}},
    Setting{
        "lines.hidden", "the hidden keys", "--hide-keys", "WHICH,…", place_group,
        "Keys without lines: first, special ([CLS], [SEP]) and punctuation; the shares of the other keys are scaled so that each row keeps its sum",
        "", field::Notation{words_of_hidden_keys, read_hidden_keys}},
    Setting{"lines.whole_words", "the merging of sub-words", "--whole-words", "", place_group,
            "Draws the sub-words of a word as one token: weights to it are summed, weights from it averaged",
            "", field::Flag{place_at<&Session::lines, &LinesOptions::whole_words>}},
};

}  // namespace headscope
