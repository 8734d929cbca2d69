#pragma once

#include <array>

#include "core/measures/measure.h"
#include "core/session/lines_words.h"
#include "core/session/setting.h"

namespace headscope {

inline constexpr std::string_view place_group = "What";

/// The maximum of any measure: a mean distance is at most the length of a text.
inline constexpr float max_measure = 1e6F;

int last_layer(const Session& session);
int last_head(const Session& session);
/// The last token of the selected stack.
int last_token(const Session& session);

namespace accessors {
template <auto member>
inline constexpr auto selection = accessor_of<&Session::selection, member>;
}  // namespace accessors

/// "model", followed by the names of the measures.
inline constexpr auto head_orders = [] {
  std::array<std::string_view, n_measures + 1> names{"model"};
  for (const MeasureRecord& record : measure_table) names[index_of(record.measure) + 1] = record.name;
  return names;
}();

/// The order of the heads: the model's order, or a measure.
inline constexpr field::Choice head_order{
    head_orders,
    [](const Session& session) {
      return session.heads.sorted_by ? index_of(*session.heads.sorted_by) + 1 : std::size_t{0};
    },
    [](Session& session, std::size_t index) {
      session.heads.sorted_by.reset();
      if (index > 0) session.heads.sorted_by = static_cast<HeadMeasure>(index - 1);
    }};

/// The page that is shown, among those that are views.
inline constexpr field::Choice view_choice{
    std::span(names_of<PageName>).first(n_views),
    [](const Session& session) { return index_of(session.view); },
    [](Session& session, std::size_t index) { session.view = static_cast<PageName>(index); }};

/// The settings of the page and of what it shows.
inline constexpr std::array page_settings{
    Setting{"selection.view", "the page", "--page", "PAGE", place_group, "The window's page, as a figure", "",
            view_choice},
    as_selection({"watch.step", "the step of the row", "--watch-step", "N", place_group,
                  "How far the row on the page watch has been computed", "",
                  field::Integer{accessor_of<&Session::watch_step>, 1, last_watch_step}}),
    as_selection(
        {"diagram.step", "the step of the walk", "--diagram-step", "N", place_group,
         "How far the walk through the diagram on the page model has come, or 0 for the selected stage", "",
         field::Integer{accessor_of<&Session::diagram_step>, 0, max_diagram_step}}),
    as_selection({"difference", "the difference", "--difference", "", place_group,
                  "Show in maps the numbers minus those of the subject after --against", "",
                  field::Flag{accessor_of<&Session::difference>}}),
    Setting{
        "heads.sorted_by", "the order of the heads", "--sort-heads", "ORDER", place_group,
        "The order of the heads on their page: the model's order, or by a measure of what they do, highest first",
        "", head_order},
    Setting{
        "heads.at_least", "the lower limit for the heads shown", "--heads-from", "X", place_group,
        "Leave out heads below this value of the measure they are sorted by; in the model's order, heads with no measure that reaches it",
        "", field::Real{accessor_of<&Session::heads, &HeadsOptions::min_value>, 0.0F, max_measure}},
    Setting{
        "heads.measured_on", "what heads are measured on", "--measured-on", "TEXT", place_group,
        "What heads are measured on: the sentence, repeated random words, or held-out sentences of the model's task",
        "", field::choice<&Session::heads, &HeadsOptions::measured_on>()},
    Setting{"heads.exclude_bos", "whether scores leave out the first token", "--exclude-bos", "", place_group,
            "Leave attention to the first token out of the scores of TransformerLens's head detector", "",
            field::Flag{accessor_of<&Session::heads, &HeadsOptions::detector, &DetectorOptions::exclude_bos>},
            Control{.label = "exclude_bos"}},
    Setting{
        "heads.exclude_current_token", "whether scores leave out the token itself", "--exclude-current-token",
        "", place_group,
        "Leave attention of a token to itself out of the scores of TransformerLens's head detector", "",
        field::Flag{
            accessor_of<&Session::heads, &HeadsOptions::detector, &DetectorOptions::exclude_current_token>},
        Control{.label = "exclude_current_token"}},
    Setting{
        "heads.combine", "the heads' common map", "--combine", "HOW", place_group,
        "One map of the picked heads, or of the whole layer if none is picked: the mean or the largest of their weights, or the rollout of all layers up to this one",
        "", field::choice<&Session::heads, &HeadsOptions::combine>()},
};

/// The settings of the selection. The stack, layer, attention and head come before the token, which is an
/// index in them.
inline constexpr std::array selection_settings{
    Setting{"selection.stage", "the stage", "--stage", "NAME", place_group,
            "weights, scaled, query, W_Q, … or a path; “headscope info” lists them", "",
            field::Stage{accessors::selection<&Selection::stage>}},
    Setting{"selection.head", "the head", "--head", "N", place_group, "The head, counted from 0",
            "0; in a trained model, the one that shows what it learned",
            field::Integer{accessors::selection<&Selection::head>, 0, 0, last_head}},
    Setting{"selection.layer", "the layer", "--layer", "N", place_group, "The layer, counted from 0",
            "0; in a trained model, the layer of this head",
            field::Integer{accessors::selection<&Selection::layer>, 0, 0, last_layer}},
    Setting{"selection.stack", "the stack", "--stack", "NAME", place_group, "The stack",
            "the encoder, if there is one", field::choice<&Session::selection, &Selection::stack>()},
    Setting{"selection.attention", "the attention", "--attention", "KIND", place_group,
            "The kind of attention", "", field::choice<&Session::selection, &Selection::attention>()},
    Setting{"selection.heads", "the picked heads", "--picked-heads", "L.H,…", place_group,
            "Heads that are shown together, by layer and head: 1.2 is layer 1, head 2", "none",
            field::Heads{accessors::selection<&Selection::heads>}},
    Setting{"selection.token", "the selected token", "--token", "I|none", place_group,
            "The token whose lines are drawn, counted from 0", "none",
            field::OptionalInteger{accessors::selection<&Selection::token>, 0, 0, "none", last_token}},
    Setting{"selection.picked", "the picked tokens", "--picked-tokens", "SIDE:I,…", place_group,
            "Tokens whose lines the Lines page draws together: queries:3,5 or keys:1, counted from 0", "none",
            field::Notation{format_picked_tokens, parse_picked_tokens}},
    Setting{"selection.pin", "the pinned cell", "--pin", "PATH:R.C", place_group,
            "The outlined cell, given by the path of its stage, its row and its column", "none",
            field::PinnedCell{accessors::selection<&Selection::pin>}},
    Setting{"selection.word", "the explained word", "--word", "WORD", place_group,
            "The word whose prediction the Effects page explains", "the likeliest one",
            field::Text{accessors::selection<&Selection::word>}},
};

}  // namespace headscope
