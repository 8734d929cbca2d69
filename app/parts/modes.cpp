#include "app/parts/modes.h"

#include <algorithm>
#include <array>

#include "core/page/page_record.h"

namespace headscope {
namespace {

template <ClickMode mode>
bool clicks(const Session&, const ScreenState& screen) {
  return screen.is(mode);
}

/// Whether the page uses the held subject A. Training, the ideas and the lessons are about a single subject.
bool compares(const Session& session, const ScreenState&) {
  const Workspace at = workspace_of(session.view);
  const bool shows_one = at == Workspace::train || at == Workspace::ideas || at == Workspace::textbooks;
  return !session.compared.empty() && !shows_one;
}

/// The modes, the innermost first.
constexpr std::array records{
    Mode{.name = "Painting the mask",
         .ends = CommandId::toggle_paint,
         .ending = "Ends painting (Esc); what was painted stays",
         .ended = "",
         .is_on = clicks<ClickMode::painting>,
         .hint =
             [](const Frame&) {
               return std::string(
                   "Click or drag over cells of a map to hide them or show them again · Esc ends");
             },
         .brief = "Click cells to hide them"},
    Mode{.name = "Padding",
         .ends = CommandId::toggle_padding_clicks,
         .ending = "Ends padding (Esc); padded tokens stay padded",
         .ended = "",
         .is_on = clicks<ClickMode::padding>,
         .hint =
             [](const Frame&) {
               return std::string(
                   "Click a token of the sentence to pad it, so that no token attends to it · Esc ends");
             },
         .brief = "Click a token to pad it"},
    Mode{.name = "Covering",
         .ends = CommandId::toggle_cover_mode,
         .ending = "Ends covering (Esc); covered cells stay covered",
         .ended = "",
         .is_on = clicks<ClickMode::covering>,
         .hint =
             [](const Frame&) {
               return std::string("Click or drag over cells to cover their numbers or show them · Esc ends");
             },
         .brief = "Click cells to cover them"},
    Mode{.name = "Comparing with A",
         .ends = CommandId::release,
         .ending = "Stops comparing (Esc); undo brings A back",
         .ended = "A is no longer kept. Undo brings it back.",
         .is_on = compares,
         .hint =
             [](const Frame& frame) {
               return "A stays as it is; what you change is B · " + frame.keys_of(PageName::compare) +
                      " compares · hold Alt+D for B − A · Esc or " + frame.keys_of(CommandId::release) +
                      " stops comparing";
             },
         .brief = "A stays; changes are B"},
};

}  // namespace

std::span<const Mode> modes() {
  return records;
}

const Mode* mode_of(const Session& session, const ScreenState& screen) {
  const auto found =
      std::ranges::find_if(records, [&](const Mode& mode) { return mode.is_on(session, screen); });
  return found == records.end() ? nullptr : &*found;
}

}  // namespace headscope
