#pragma once

#include <array>

#include "core/session/setting.h"

namespace headscope {

inline constexpr std::string_view place_group = "What";

int last_layer(const Session& session);
int last_head(const Session& session);
/// Of the selected stack.
int last_token(const Session& session);

namespace place_in {
template <auto member>
inline constexpr auto selection = place_at<&Session::selection, member>;
}  // namespace place_in

/// What the page is.
inline constexpr std::array page_settings{
    Setting{"selection.view", "the page", "--page", "PAGE", place_group, "The window's page, as a figure", "",
            field::choice<&Session::view>()},
    Setting{"difference", "the difference", "--difference", "", place_group,
            "Maps show the numbers minus those of the subject after --against", "",
            field::Flag{place_at<&Session::difference>}},
};

/// What is looked at. The stack, layer, attention and head come before the token, which counts in them.
inline constexpr std::array selection_settings{
    Setting{"selection.stage", "the stage", "--stage", "NAME", place_group,
            "weights, scaled, query, W_Q, … or a path; “headscope info” lists them", "",
            field::Stage{place_in::selection<&Selection::stage>}},
    Setting{"selection.head", "the head", "--head", "N", place_group, "The head, counted from 0",
            "0; in a trained model, the one that shows what it learned",
            field::Whole{place_in::selection<&Selection::head>, 0, 0, last_head}},
    Setting{"selection.layer", "the layer", "--layer", "N", place_group, "The layer, counted from 0",
            "0; in a trained model, that of this head",
            field::Whole{place_in::selection<&Selection::layer>, 0, 0, last_layer}},
    Setting{"selection.stack", "the stack", "--stack", "NAME", place_group, "The stack",
            "the encoder, if there is one", field::choice<&Session::selection, &Selection::stack>()},
    Setting{"selection.attention", "the attention", "--attention", "KIND", place_group,
            "The kind of attention", "", field::choice<&Session::selection, &Selection::attention>()},
    Setting{"selection.token", "the selected token", "--token", "I|none", place_group,
            "The token whose lines are drawn, counted from 0", "none",
            field::OptionalWhole{place_in::selection<&Selection::token>, 0, 0, "none", last_token}},
    Setting{"selection.pin", "the pinned cell", "--pin", "PATH:R.C", place_group,
            "The cell that is outlined, by the path of its stage, row and column", "none",
            field::PinnedCell{place_in::selection<&Selection::pin>}},
    Setting{"selection.word", "the explained word", "--word", "WORD", place_group,
            "The word whose prediction the page of effects explains", "the likeliest one",
            field::Text{place_in::selection<&Selection::word>}},
};

}  // namespace headscope
