#include "app/shell/view_record.h"

#include <algorithm>
#include <array>

#include "app/parts/page_part.h"
#include "app/parts/step_player.h"
#include "app/shell/app.h"
#include "app/shell/moves.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/compare/compare_page.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

using namespace chords;

/// A row opened from another page starts at its first step.
std::vector<Action> watch_from_first_step(const App& app) {
  if (app.session().view == PageName::watch) return {SetView{PageName::watch}};
  return {set_to("watch.step", 1), SetView{PageName::watch}};
}

/// Starts a comparison with the example that differs in one word, or with another head. An automatic step
/// must not clear the redo stack.
std::vector<Action> start_comparison(const App& app) {
  const Session& session = app.session();
  if (!session.compared.empty() || app.can_redo()) return {SetView{PageName::compare}};
  for (const PossibleComparison& each : comparisons(session))
    if (each.begins) return each.actions();
  return {SetView{PageName::compare}};
}

constexpr std::array records{
    ViewRecord{.page = PageName::explore,
               .key = ctrl(Key::digit_1),
               .show = explore_view,
               .has_inspector = true,
               .presents_whole_view = true},
    ViewRecord{
        .page = PageName::stages, .key = ctrl(Key::digit_2), .show = stages_view, .has_inspector = true},
    ViewRecord{.page = PageName::heads, .key = ctrl(Key::digit_3), .show = heads_view},
    ViewRecord{.page = PageName::model, .key = ctrl(Key::digit_4), .show = model_view},
    ViewRecord{.page = PageName::positions, .key = ctrl(Key::digit_5), .show = positions_view},
    ViewRecord{.page = PageName::words, .key = ctrl(Key::digit_6), .show = words_view},
    ViewRecord{.page = PageName::split, .key = ctrl(Key::digit_7), .show = split_view},
    ViewRecord{.page = PageName::train, .key = ctrl(Key::digit_8), .show = train_view},
    ViewRecord{.page = PageName::compare,
               .key = ctrl(Key::digit_9),
               .other_key = alt(Key::m),
               .show = compare_view,
               .begin = start_comparison},
    ViewRecord{.page = PageName::effects, .key = alt(Key::e), .show = effects_view},
    ViewRecord{.page = PageName::lines,
               .key = alt(Key::l),
               .show = lines_view,
               .has_inspector = true,
               .presents_whole_view = true},
    ViewRecord{.page = PageName::experts, .key = alt(Key::z), .show = experts_view},
    ViewRecord{.page = PageName::tiles, .key = alt(Key::i), .show = tiles_view},
    ViewRecord{.page = PageName::decoding, .key = alt(Key::v), .show = decoding_view},
    ViewRecord{.page = PageName::lessons, .key = alt_shift(Key::l), .show = lessons_view},
    ViewRecord{.page = PageName::textbooks, .key = alt(Key::b), .show = textbooks_view},
    ViewRecord{.page = PageName::scale, .key = alt(Key::j), .show = scale_view},
    ViewRecord{
        .page = PageName::by_hand, .key = alt(Key::y), .show = by_hand_view, .shows_computation = true},
    ViewRecord{
        .page = PageName::watch, .key = alt(Key::u), .show = watch_view, .begin = watch_from_first_step},
};
static_assert(records.size() == n_views &&
                  std::ranges::all_of(records,
                                      [](const ViewRecord& record) {
                                        return is_view(record.page) &&
                                               std::ranges::count(records, record.page, &ViewRecord::page) ==
                                                   1;
                                      }),
              "one record for each view");

}  // namespace

std::span<const ViewRecord> view_records() {
  return records;
}

const ViewRecord& view_record(PageName page) {
  return *std::ranges::find(records, page, &ViewRecord::page);
}

std::vector<Action> opening(PageName page, const App& app) {
  const auto begin = view_record(page).begin;
  return begin == nullptr ? std::vector<Action>{SetView{page}} : begin(app);
}

void draw_current_view(Frame& frame) {
  if (!frame.trace) {
    const Panel panel(frame.ui, "nothing yet", ImGui::GetContentRegionAvail());
    const std::string_view said = frame.session.sentence.empty()
                                      ? "Type a sentence above to see attention work."
                                  : frame.error.empty() ? "Computing…"
                                                        : "Nothing can be computed";
    text(frame.ui, said, Font::sans, text_size::title, frame.ui.theme().quiet);
    if (!frame.error.empty() && !frame.session.sentence.empty())
      paragraph(frame.ui, frame.error + ".", frame.ui.theme().warning, text_size::body);
    constexpr const char* some_ids = "1 2 3 4 5 6 7 8";
    const bool wants_ids = !frame.error.empty() && frame.session.tokenizer == TokenizerKind::ids;
    if (wants_ids && frame.session.sentence != some_ids &&
        link(frame.ui, "Show it with some token ids", "Replaces the sentence with 1 2 3 4 5 6 7 8",
             text_size::body))
      frame.emit(SetSentence{some_ids});
    return;
  }
  const ViewRecord& view = view_record(frame.session.view);
  const PageSteps& steps = page_record(view.page).steps;
  if (steps.is_animated) {
    advance_step_animation(frame, steps.now(page_inputs(frame), frame.screen.memo));
  } else {
    frame.screen.step_progress = 1.0F;
  }
  if (frame.screen.presents && !view.presents_whole_view) return presented_view(frame);
  if (why_empty(frame.session, view.page).empty()) return view.show(frame);
  const Panel panel(frame.ui, "nothing to show", ImGui::GetContentRegionAvail());
  draw_page(frame, view.page);
  // The way on to the first page of the workspace that has something to show.
  const auto other = std::ranges::find_if(page_records(), [&](const PageRecord& each) {
    return each.workspace == workspace_of(view.page) && why_empty(frame.session, each.name).empty();
  });
  if (other != page_records().end())
    command_link(frame, std::string(other->title).c_str(), std::string(other->purpose).c_str(), other->name);
}

}  // namespace headscope
