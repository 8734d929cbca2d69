#include "app/parts/covered_cell.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "app/imgui/keys.h"
#include "app/parts/map_mouse.h"
#include "app/ui/figure_painter.h"
#include "app/ui/ui.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/map_panel.h"
#include "core/trace/cover.h"

namespace headscope {
namespace {

struct CoverStroke : CellStroke {};

/// The effect of a frame's keys on an answer, which is typed without a field.
struct AnswerKeys {
  bool changed = false;  ///< letters were added or removed
  bool entered = false;  ///< Enter was pressed
};

constexpr std::size_t longest_answer = 24;  ///< bytes

void erase_last_letter(std::string& typed) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (!typed.empty() && continues(typed.back())) typed.pop_back();
  if (!typed.empty()) typed.pop_back();
}

/// Appends what was typed in this frame. It replaces a wrong answer.
AnswerKeys answer_keys(const Ui& ui, TypedAnswer& draft) {
  AnswerKeys keys;
  if (text_has_focus()) return keys;
  if (const std::string text = ui.typed_text(); captures_typing(draft, text)) {
    if (!draft.complaint.empty()) draft.typed.clear();
    if (draft.typed.size() + text.size() <= longest_answer) draft.typed += text;
    keys.changed = true;
  }
  constexpr bool repeats = true;
  if (chord_pressed({Key::backspace}, repeats) && !draft.typed.empty()) {
    erase_last_letter(draft.typed);
    keys.changed = true;
  }
  keys.entered = chord_pressed({Key::enter}) || chord_pressed({Key::keypad_enter});
  return keys;
}

/// Checks whether the typed text is right, wrong or not a number. A map shows −∞ for the weights of hidden
/// cells, but the stage stores 0.
void check_answer(Frame& frame, const Trace& trace, const Pin& at) {
  TypedAnswer& draft = frame.screen.answer;
  if (draft.typed.empty() || !trace.is_quick_to_read(at.stage)) return;
  const auto answer = parse_answer(draft.typed);
  if (!answer) {
    draft.complaint = "“" + draft.typed + "” is not a number.";
    return;
  }
  if (!is_right_answer(*answer, trace.number(at.stage, at.row, at.col))) {
    draft.complaint = "“" + draft.typed + "” is wrong.";
    return;
  }
  Cover cover = frame.session.cover;
  cover.right.push_back({at.row, at.col});
  frame.emit(SetCover{std::move(cover)});
  draft = {};
}

/// Paints the answer in its cell as it is typed, with a frame to show that the cell takes the keys.
void paint_answer(Frame& frame, const MapPanel& panel, const Pin& at, ImVec2 origin) {
  const TypedAnswer& draft = frame.screen.answer;
  const Theme& theme = frame.ui.theme();
  constexpr float size = 12.0F;
  constexpr float padding = 6.0F;
  const std::string shown = draft.typed + (draft.complaint.empty() ? "│" : "");
  Box box = panel.layout.box_of(at.row, at.col);
  const float width = frame.ui.page_measure()(shown, Font::mono, size).width + 2.0F * padding;
  const bool is_typed = !draft.typed.empty();
  const float wider = is_typed ? std::max(0.0F, width - box.w) : 0.0F;
  const float higher = is_typed ? std::max(0.0F, size + 8.0F - box.h) : 0.0F;
  box = {box.x - 0.5F * wider, box.y - 0.5F * higher, box.w + wider, box.h + higher};
  const Color ink = draft.complaint.empty() ? theme.accent : theme.warning;
  Figure figure;
  figure.items.emplace_back(FilledRect{box, theme.panel, 2.0F});
  figure.items.emplace_back(StrokedRect{box, ink, 2.0F, 2.0F});
  figure.items.emplace_back(Label{shown,
                                  {box.x + 0.5F * box.w, box.y + 0.5F * box.h},
                                  draft.complaint.empty() ? theme.text : theme.warning,
                                  size,
                                  Font::mono,
                                  HorizontalAnchor::center,
                                  VerticalAnchor::middle});
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), figure, origin, frame.ui.page_scale());
}

/// Whether a lesson asks for the covered numbers, so that a click must not reveal them. The lesson has its
/// own button for that.
bool belongs_to_lesson_question(const Frame& frame) {
  if (frame.lesson == nullptr) return false;
  const LessonStep& step = frame.lesson->walk.at();
  if (!step.question || !step.session.cover.stage) return false;
  const LessonWalk::Answered& answered = frame.lesson->walk.here();
  return !answered.is_right && !answered.is_revealed;
}

}  // namespace

bool is_number_prefix(std::string_view typed) {
  constexpr std::array<std::string_view, 4> beginnings{"−", "∞", "-", "+"};
  return !typed.empty() &&
         (std::string_view("0123456789.,").find(typed.front()) != std::string_view::npos ||
          std::ranges::any_of(beginnings, [&](std::string_view sign) { return typed.starts_with(sign); }));
}

bool captures_typing(const TypedAnswer& draft, std::string_view typed) {
  return !typed.empty() && draft.is_active(ImGui::GetFrameCount());
}

void handle_covered_cell(Frame& frame, MapPanel& panel, const Pin& at, bool clicked, ImVec2 origin) {
  TypedAnswer& draft = frame.screen.answer;
  if (clicked && !belongs_to_lesson_question(frame)) {
    draft = {};
    frame.emit(SetCover{with_cell(frame.session.cover, {at.row, at.col}, false)});
    return;
  }
  const int now = ImGui::GetFrameCount();
  if (draft.at != at) {
    check_abandoned_answer(frame);
    draft = {at, "", "", now};
  }
  draft.frame = now;
  if (panel.key.against != nullptr) return;
  const AnswerKeys keys = answer_keys(frame.ui, draft);
  if (keys.changed) draft.complaint.clear();
  if (keys.entered) check_answer(frame, *panel.key.trace, at);
  if (keys.changed || keys.entered) frame.ui.wake_in(0.0);
  if (draft.at) paint_answer(frame, panel, at, origin);
}

void check_abandoned_answer(Frame& frame) {
  const TypedAnswer& draft = frame.screen.answer;
  if (!draft.at || draft.typed.empty() || !draft.complaint.empty() || !frame.trace) return;
  const Pin at = *draft.at;
  const Extent size = frame.trace->has(at.stage) ? frame.trace->extent(at.stage) : Extent{};
  const bool is_covered = frame.session.cover.is_over(canonical(frame.session.architecture, at.stage)) &&
                          at.row < size.rows && at.col < size.cols &&
                          frame.session.cover.hides(at.row, at.col);
  if (is_covered && parse_answer(draft.typed)) check_answer(frame, *frame.trace, at);
}

std::string covered_text(const Frame& frame, MapPanel& panel, const Pin& at) {
  const std::string said = name_of_cell(*panel.key.trace, at.stage, at.row, at.col) + ": covered.";
  if (frame.screen.is(ClickMode::covering)) return said + " Click or drag to uncover it.";
  const bool is_asked = belongs_to_lesson_question(frame);
  if (panel.key.against != nullptr) return is_asked ? said : said + " Click to see it.";
  const std::string or_click = is_asked ? "" : ", or click to see it";
  const TypedAnswer& draft = frame.screen.answer;
  if (draft.at == at && !draft.complaint.empty()) return draft.complaint + " Try again" + or_click + ".";
  const char* const hidden = at.stage.kind == StageKind::masked ? "or -inf, " : "";
  return said + "\nType its number, " + hidden + std::string(answer_rule) +
         " Press Enter when it is complete" + or_click + ".";
}

void cover_stroke(Frame& frame, const Pin& at) {
  Cover cover = frame.session.cover;
  if (cover.stage != at.stage) {
    cover = {};
    cover.stage = at.stage;
  }
  cover.solution = false;
  auto& stroke = frame.screen.own.of<CoverStroke>();
  for (const Cell& cell : crossed_cells(stroke, {at.row, at.col}, !cover.covers(at.row, at.col)))
    cover = with_cell(std::move(cover), {cell.query, cell.key}, stroke.marks);
  if (!(cover == frame.session.cover)) frame.emit(SetCover{std::move(cover)});
}

Cover toggled_cover(const Session& session) {
  Cover cover;
  const StageId shown = canonical(session.architecture, session.selection.at(session.selection.stage));
  if (session.cover.is_over(shown)) return cover;
  cover.stage = shown;
  cover.all = true;
  return cover;
}

}  // namespace headscope
