#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/parts/messages.h"
#include "app/parts/page_part.h"
#include "app/parts/training_status.h"
#include "app/ui/ui.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
#include "app/widgets/tabs.h"
#include "app/widgets/text.h"
#include "core/figure/text_fit.h"
#include "core/page/page_record.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

using Views = std::vector<const PageRecord*>;

/// The views of the workspace that is shown, without those that a lesson leaves out.
Views views_beside(const Frame& frame, const PageRecord& shown) {
  Views views;
  for (const PageRecord& page : page_records()) {
    const bool is_beside = page.workspace == shown.workspace && frame.is_enabled(page.name);
    if (page.name == shown.name || is_beside) views.push_back(&page);
  }
  return views;
}

/// Those of the views that have a tab. The others are in a menu after the tabs.
Views with_tabs(const Frame& frame, const PageRecord& shown, Views views) {
  std::erase_if(views, [&](const PageRecord* view) {
    return view != &shown && view->has_tab != nullptr && !view->has_tab(frame.session);
  });
  return views;
}

/// A menu of views below a button. Opens the chosen one.
void menu_of_views(Frame& frame, const char* label, const Views& views, const char* tooltip,
                   ButtonStyle style) {
  const std::vector<std::string> names = listed(views, [&](const PageRecord* view) {
    return std::string(view->title) + "\t" + frame.keys_of(view->name);
  });
  if (const auto chosen = menu(frame.ui, label, names, tooltip, style))
    frame.emit(views[static_cast<std::size_t>(*chosen)]->name);
}

constexpr float padding = 12.0F;
constexpr float before_cross = 10.0F;
constexpr float arm = 3.5F;  ///< of the cross

/// The width of the chip in ImGui pixels.
float chip_width(const Ui& ui, const char* label) {
  return std::ceil(paint::text_width(ui, paint::visible(label), Font::sans_bold, text_size::control)) +
         ui.px(2.0F * padding + before_cross + 2.0F * arm);
}

/// A rounded label with a cross in the accent colour. A click on it ends what it names. Returns true if it
/// was clicked.
bool ending_chip(Ui& ui, const char* label, const char* tooltip) {
  const Theme& theme = ui.theme();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max(min.x + chip_width(ui, label), min.y + ui.px(26));
  const bool clicked = invisible_button(label, {max.x - min.x, max.y - min.y});
  const bool is_hovered = ImGui::IsItemHovered();
  if (is_hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = (max.y - min.y) / 2.0F;
  paint::card(ui, list, min, max, theme.accent_soft, is_hovered ? theme.accent : theme.accent_soft, rounding);
  const float middle = (min.y + max.y) / 2.0F;
  paint::text(ui, list, min.x + ui.px(padding), middle, paint::visible(label), Font::sans_bold,
              text_size::control, theme.text);
  const ImVec2 cross(max.x - ui.px(padding + arm), middle);
  const float half = ui.px(arm);
  const ImU32 ink = packed(theme.text);
  paint::cross(list, cross, half, ink, ui.px(1.4F));
  paint::focus_ring(ui, list, rounding);
  tooltip_for_item(ui, tooltip);
  return clicked;
}

constexpr float message_height = 26.0F;
constexpr float between_links = 12.0F;
/// A message cut to less than this width is meaningless.
constexpr float min_text_width = 96.0F;
constexpr const char* popup = "messages";

/// The links of a message, side by side, starting at the cursor.
void draw_links(Frame& frame, const Message& message) {
  bool is_first = true;
  for (const MessageLink& each : message.links) {
    if (!is_first) ImGui::SameLine(0.0F, frame.ui.px(between_links));
    is_first = false;
    if (each.entries.size() == 1) {
      if (link(frame.ui, each.label.c_str(), each.tooltip.c_str())) each.entries.front().act(frame);
      continue;
    }
    const std::vector<std::string> names = listed(each.entries, &MessageLink::MenuItem::name);
    if (const auto chosen = link_menu(frame.ui, each.label.c_str(), names, each.tooltip.c_str()))
      each.entries[static_cast<std::size_t>(*chosen)].act(frame);
  }
}

float width_of_links(const Frame& frame, const Message& message) {
  float width = 0.0F;
  for (const MessageLink& each : message.links)
    width += link_width(frame.ui, each.label.c_str()) + frame.ui.px(between_links);
  return width;
}

/// All messages in full, below the line.
void all_messages(Frame& frame, const std::vector<Message>& all, float bottom) {
  Ui& ui = frame.ui;
  constexpr float widest = 560.0F;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x;
  const float width = std::min(ui.px(widest), ImGui::GetIO().DisplaySize.x - ui.px(24.0F));
  ImGui::SetNextWindowPos({right, bottom}, ImGuiCond_Always, {1.0F, 0.0F});
  ImGui::SetNextWindowSizeConstraints(
      {width, 0.0F}, {width, std::max(ImGui::GetIO().DisplaySize.y - bottom - ui.px(8.0F), ui.px(80.0F))});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(14), ui.px(12)));
  if (ImGui::BeginPopup(popup)) {
    if (all.empty()) ImGui::CloseCurrentPopup();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_warning = all[i].kind == NoticeKind::warning;
      if (i > 0) divider(ui);
      ImGui::PushID(static_cast<int>(i));
      paragraph(ui, all[i].text + (all[i].text.ends_with('.') ? "" : "."),
                is_warning ? ui.theme().warning : ui.theme().text, text_size::control);
      draw_links(frame, all[i]);
      ImGui::PopID();
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

std::vector<const Mode*> modes_on(const Frame& frame) {
  std::vector<const Mode*> on;
  for (const Mode& mode : modes()) {
    if (mode.is_on(frame.session, frame.screen)) on.push_back(&mode);
  }
  return on;
}

constexpr float between_chips = 8.0F;

float width_of_chips(const Frame& frame, const std::vector<const Mode*>& on) {
  float width = 0.0F;
  for (const Mode* mode : on) width += chip_width(frame.ui, mode->name) + frame.ui.px(between_chips);
  return width;
}

/// The chips of the modes, side by side, with their right end at `top_right`.
void mode_chips(Frame& frame, const std::vector<const Mode*>& on, ImVec2 top_right) {
  float left = top_right.x;
  for (const Mode* mode : on) {
    left -= chip_width(frame.ui, mode->name);
    ImGui::SetCursorScreenPos({left, top_right.y});
    if (ending_chip(frame.ui, mode->name, mode->ending)) frame.emit(mode->ends);
    left -= frame.ui.px(between_chips);
  }
}

/// The message that replaces a chip for which there is no room.
Message message_of(const Mode& mode) {
  return {mode.name,
          NoticeKind::information,
          {{"end", mode.ending, {{"", [&mode](Frame& frame) { frame.emit(mode.ends); }}}}}};
}

void paint_background(const Ui& ui, NoticeKind kind, ImVec2 min, ImVec2 max) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (kind != NoticeKind::warning) return list.AddRectFilled(min, max, packed(ui.theme().control), ui.px(6));
  const Color edge = ui.theme().warning;
  list.AddRectFilled(min, max, packed(mixed(ui.theme().panel, edge, 0.08F)), ui.px(6));
  list.AddRectFilled(min, {min.x + ui.px(3), max.y}, packed(edge), ui.px(6), ImDrawFlags_RoundCornersLeft);
}

/// The first message in the given width, with a link to all messages if it is cut or there are more.
void first_message(Frame& frame, const std::vector<Message>& all, ImVec2 min, float width) {
  Ui& ui = frame.ui;
  const Message& first = all.front();
  const bool is_warning = first.kind == NoticeKind::warning;
  const float padding = ui.px(10.0F);
  const float height = ui.px(message_height);
  const float gap = ui.px(between_links);
  const float whole = paint::text_width(ui, first.text, Font::sans, text_size::control);
  const std::string more =
      all.size() > 1 ? std::to_string(all.size() - 1) + " more###messages" : "more###messages";
  const float more_width = link_width(ui, more.c_str());
  float links = width_of_links(frame, first);
  float room = width - 2.0F * padding - links;
  const bool has_more = all.size() > 1 || whole > room;
  if (has_more) room -= gap + more_width;
  const bool shows_text = room >= std::min(whole, ui.px(min_text_width));
  const std::string counted_all = (all.size() > 1        ? std::to_string(all.size()) + " messages"
                                   : first.brief.empty() ? "1 message"
                                                         : first.brief) +
                                  "###messages";
  const auto fits = [&](const std::string& label) {
    return link_width(ui, label.c_str()) + 2.0F * padding <= width;
  };
  const std::string opener = shows_text          ? more
                             : fits(counted_all) ? counted_all
                             : fits(more)        ? more
                                                 : "…###messages";
  if (!shows_text) links = 0.0F;
  const std::string shown =
      shows_text ? paint::fitted(ui, first.text, Font::sans, text_size::control, room) : std::string();
  const float text = paint::text_width(ui, shown, Font::sans, text_size::control);
  const float opener_width = link_width(ui, opener.c_str());
  const float used = shows_text ? text + links + (has_more ? gap + more_width : 0.0F) : opener_width;
  paint_background(ui, first.kind, min, {min.x + std::min(used + 2.0F * padding, width), min.y + height});
  paint::text(ui, *ImGui::GetWindowDrawList(), min.x + padding, min.y + height / 2.0F, shown, Font::sans,
              text_size::control, is_warning ? ui.theme().warning : ui.theme().text);
  const float line = std::ceil(ui.fonts.at(Font::sans, text_size::control).line_height);
  float x = min.x + padding + text;
  const float y = std::round(min.y + (height - line) / 2.0F);
  if (shows_text && !first.links.empty()) {
    ImGui::SetCursorScreenPos({x + gap, y});
    draw_links(frame, first);
    x += links;
  }
  if (has_more || !shows_text) {
    ImGui::SetCursorScreenPos({shows_text ? x + gap : min.x + padding, y});
    if (link(ui, opener.c_str(), "All messages in full")) ImGui::OpenPopup(popup);
  }
}

/// The headline of the view, which is made again when the inputs of the pages have changed.
const Headline& shown_headline(Frame& frame) {
  const PageInputs& in = page_inputs(frame);
  auto& [version, view, headline] =
      frame.screen.own.of<std::tuple<std::uint64_t, PageName, Headline>>("headline");
  if (version == frame.screen.page_version && view == frame.session.view) return headline;
  PageTools tools = page_tools(frame);
  version = frame.screen.page_version;
  view = frame.session.view;
  headline = headline_of(in, view, tools);
  return headline;
}

constexpr float headline_line = 34.0F;  ///< the height of a headline of one line
constexpr float further_line = 23.0F;   ///< the height that another line adds

/// A headline in a room: the lines of its question, then those of its answer, which begins beside the last
/// line of the question.
struct HeadlineLines {
  float size = text_size::headline;
  std::vector<std::string> question, answer;
  bool is_whole = true;
};

/// The number of lines of a headline in a room. It does not depend on the text, so that nothing moves.
std::size_t most_lines(const Ui& ui, float room) {
  const float narrow = is_short_window(ui) ? 430.0F : 480.0F;
  return room < ui.px(narrow) ? 3 : room < ui.px(940.0F) ? 2 : 1;
}

HeadlineLines headline_at(const Ui& ui, const Headline& headline, float room, float size) {
  const auto wrapped = [&](std::string_view text, float width, Font font) {
    return wrapped_lines(text, std::max(width, 0.0F) / ui.scale(), font, size, ui.measure());
  };
  HeadlineLines lines{size, wrapped(headline.question, room, Font::sans_bold), {}, true};
  const float taken = paint::text_width(ui, lines.question.back(), Font::sans_bold, size);
  const float beside = room - taken - (taken > 0.0F ? ui.px(between_links) : 0.0F);
  const std::string answer = headline.answer_text();
  std::string first = wrapped(answer, beside, Font::sans).front();
  // A first word that is too wide would be broken.
  if (first.size() < answer.size() && answer[first.size()] != ' ') first.clear();
  const std::string_view rest = std::string_view(answer).substr(first.size());
  lines.answer = {std::move(first)};
  if (rest.empty()) return lines;
  for (std::string& line : wrapped(rest, room, Font::sans)) lines.answer.push_back(std::move(line));
  return lines;
}

/// The headline in the largest letters up to `largest` in which all of it fits. If none fit, the last line
/// ends with “…”.
HeadlineLines headline_lines(const Ui& ui, const Headline& headline, float room, float largest) {
  const std::size_t most = most_lines(ui, room);
  HeadlineLines lines;
  for (const float size : {text_size::headline, text_size::title, text_size::body}) {
    if (size > largest) continue;
    lines = headline_at(ui, headline, room, size);
    if (lines.question.size() + lines.answer.size() - 1 <= most) return lines;
  }
  lines.is_whole = false;
  const auto cut = [&](std::string& line, float width, Font font) {
    line = elided_text(line + " …", width / ui.scale(), font, lines.size, ui.measure());
  };
  if (lines.question.size() > most) {
    lines.question.resize(most);
    lines.answer.clear();
    cut(lines.question.back(), room, Font::sans_bold);
    return lines;
  }
  lines.answer.resize(most - lines.question.size() + 1);
  const float beside =
      room - paint::text_width(ui, lines.question.back(), Font::sans_bold, lines.size) - ui.px(between_links);
  cut(lines.answer.back(), lines.answer.size() == 1 ? beside : room, Font::sans);
  return lines;
}

/// The room of a headline's text in a width.
float headline_room(const Ui& ui, float width) {
  return width - ui.px(8.0F);
}

/// The letters of headlines of one page, sentence, model and width never become larger again: if they changed
/// from step to step of a page, that would be taken for a difference in what they say.
struct HeadlineLetters {
  std::tuple<PageName, std::string, ModelSource, float> of;
  float largest = text_size::headline;
};

const Headline& headline_to_show(Frame& frame) {
  if (frame.trace) return shown_headline(frame);
  Headline& plain = frame.screen.own.of<Headline>();
  plain = {std::string(page_record(frame.session.view).purpose), {}};
  return plain;
}

constexpr const char* more_views_label = "More ▾";

std::vector<Tab> tabs_of(const Frame& frame, const Views& views) {
  std::vector<Tab> entries;
  entries.reserve(views.size());
  for (const PageRecord* view : views)
    entries.push_back(
        {std::string(view->title), "", frame.with_keys(std::string(view->purpose), view->name)});
  return entries;
}

}  // namespace

void view_bar(Frame& frame) {
  Ui& ui = frame.ui;
  const PageRecord& shown = page_record(frame.session.view);
  Views others = views_beside(frame, shown);
  const Views views = with_tabs(frame, shown, others);
  std::erase_if(others, [&](const PageRecord* view) { return std::ranges::count(views, view) > 0; });
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const float more = others.empty() ? 0.0F : button_width(ui, more_views_label);
  float left = ui.px(4.0F);
  if (views.size() > 1) {
    const std::vector<Tab> entries = tabs_of(frame, views);
    int selected = static_cast<int>(std::ranges::find(views, &shown) - views.begin());
    // Tabs that do not fit scroll, and always leave space for messages.
    constexpr float messages_width = 120.0F;
    const float width =
        std::min(tabs_width(ui, entries), std::max(room - more - ui.px(messages_width), 0.5F * room));
    if (tabs(ui, "views", entries, selected, width))
      frame.emit(views[static_cast<std::size_t>(selected)]->name);
    left = width + ui.px(16.0F);
  }
  if (!others.empty()) {
    ImGui::SetCursorScreenPos({start.x + left - ui.px(12.0F), start.y});
    menu_of_views(frame, more_views_label, others, "More pages of this kind", ButtonStyle::quiet);
    left += more;
  }
  ImGui::SetCursorScreenPos({start.x + left, start.y});
}

float view_menu(Frame& frame) {
  const PageRecord& shown = page_record(frame.session.view);
  const Views views = views_beside(frame, shown);
  if (views.size() < 2) return 0.0F;
  const std::string label = std::string(shown.title) + " ▾";
  menu_of_views(frame, label.c_str(), views, "The views", ButtonStyle::plain);
  return button_width(frame.ui, label.c_str());
}

bool has_message_line(Frame& frame) {
  return !modes_on(frame).empty() || !messages(frame).empty();
}

float headline_height(const Ui& ui, float width) {
  const std::size_t n_further = most_lines(ui, headline_room(ui, width)) - 1;
  return ui.px(headline_line + static_cast<float>(n_further) * further_line);
}

void headline_row(Frame& frame) {
  Ui& ui = frame.ui;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const Headline& headline = headline_to_show(frame);
  const ModelRef& model = frame.session.model;
  auto& letters = frame.screen.own.of<HeadlineLetters>();
  decltype(letters.of) now(frame.session.view, frame.session.sentence, model ? model->source : ModelSource(),
                           size.x);
  if (now != letters.of) letters = {std::move(now)};
  const HeadlineLines lines = headline_lines(ui, headline, headline_room(ui, size.x), letters.largest);
  letters.largest = lines.size;
  const float left = start.x + ui.px(4.0F);
  float taken = 0.0F;
  float middle = start.y + ui.px(0.5F * headline_line - 3.0F);
  const auto write = [&](const std::string& text, float x, Font font) {
    return paint::text(ui, *ImGui::GetWindowDrawList(), x, middle, text, font, lines.size, ui.theme().text);
  };
  for (const std::string& line : lines.question) {
    if (&line != &lines.question.front()) middle += ui.px(further_line);
    taken = write(line, left, Font::sans_bold);
  }
  float x = left + (taken > 0.0F ? taken + ui.px(between_links) : 0.0F);
  for (const std::string& line : lines.answer) {
    write(line, x, Font::sans);
    x = left;
    middle += ui.px(further_line);
  }
  ImGui::Dummy(size);
  if (!lines.is_whole) tooltip_for_item(ui, headline.text().c_str());
}

void message_line(Frame& frame) {
  const Ui& ui = frame.ui;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float top = start.y + ui.px(1.0F);
  const std::vector<const Mode*> on = modes_on(frame);
  std::vector<Message> all = messages(frame);
  constexpr float min_beside_chips = 104.0F;
  const float chips = width_of_chips(frame, on);
  const bool have_chips = chips + (all.empty() ? 0.0F : ui.px(min_beside_chips)) <= width;
  if (have_chips) {
    mode_chips(frame, on, {start.x + width, top});
  } else {
    for (const Mode* mode : on) all.push_back(message_of(*mode));
  }
  const float room = width - (have_chips ? chips : 0.0F);
  if (!all.empty() && room > ui.px(40.0F)) first_message(frame, all, {start.x, top}, room);
  all_messages(frame, all, top + ui.px(message_height + 4.0F));
}

namespace {

/// The link that switches details on or off, at the right end of the line.
void details_link(Frame& frame, const char* label) {
  if (link(frame.ui, label, "Ids, shapes, symbolic sums, tensor paths and all digits, in all views",
           text_size::small))
    frame.emit(set_to("picture.details", !frame.session.picture.details));
}

/// How to read the maps of stages, on the pages that have them.
std::string map_reading_hint(const Frame& frame) {
  const bool shows_one_map = frame.session.view == PageName::explore || frame.session.view == PageName::heads;
  return shows_one_map && is_map(frame.session.selection.stage) ? "Rows are queries, columns are keys · "
                                                                : "";
}

std::string hint_of(const Frame& frame) {
  if (const Mode* mode = mode_of(frame.session, frame.screen))
    return mode->hint_with_keys == nullptr ? std::string(mode->hint) : mode->hint_with_keys(frame);
  if (!page_record(frame.session.view).shows_session_pass)
    return std::string(frame.keys_of(CommandId::help)) + " all keys";
  return map_reading_hint(frame) + "hover shows, click keeps · " + frame.keys_of(CommandId::previous_head) +
         " or " + frame.keys_of(CommandId::next_head) + " another head · " + frame.keys_of(CommandId::help) +
         " all keys";
}

std::string brief_hint(const Frame& frame) {
  const Mode* mode = mode_of(frame.session, frame.screen);
  return mode == nullptr ? map_reading_hint(frame) + frame.keys_of(CommandId::help) + " all keys"
                         : mode->brief;
}

}  // namespace

void status_bar(Frame& frame, int n_threads) {
  const Theme& theme = frame.ui.theme();
  const bool details = frame.session.picture.details;
  // Some letters reach beyond their advance, and would be cut at the end of the line.
  const float width = ImGui::GetContentRegionAvail().x - std::max(frame.ui.px(2.0F), 1.0F);
  const float start = ImGui::GetCursorPosX();
  const auto width_of = [&](const std::string& message) {
    return frame.ui.measure()(message, Font::sans, text_size::small).width * frame.ui.scale();
  };
  const char* label = details ? "Details: on###details" : "Details: off###details";
  const float label_width = std::ceil(width_of(std::string(paint::visible(label))));
  const std::string facts = details ? "seed " + std::to_string(frame.session.architecture.seed) +
                                          " · float32 · " + count_text(n_threads, "thread")
                                    : "";
  Toasts& toasts = frame.screen.toasts;
  if (!toasts.empty() && !toasts.is_over_sheet && !frame.ui.hides_transients()) {
    toasts.draw_line(frame.ui, width - label_width - frame.ui.px(16.0F));
    ImGui::SameLine(start + width - label_width);
    return details_link(frame, label);
  }
  std::string hint = hint_of(frame);
  // The panel of settings already says so if it is open.
  const bool waits = frame.training && frame.training->state == TrainingState::waiting &&
                     !frame.screen.has_controls(frame.lesson != nullptr) &&
                     frame.session.view != PageName::train;
  if (waits) {
    hint = "These weights are untrained: press " + frame.keys_of(CommandId::train) + " to train (" +
           about(frame.training->seconds_left) + ")";
  }
  const float apart = frame.ui.px(16.0F);
  const auto fits = [&](const std::string& message) {
    return width_of(message) + apart + width_of(facts) + apart + label_width <= width;
  };
  const bool has_facts = fits(hint);
  if (!fits(hint)) hint = waits ? "Untrained: " + frame.keys_of(CommandId::train) : brief_hint(frame);
  hint = paint::fitted(frame.ui, hint, Font::sans, text_size::small, width);
  text(frame.ui, hint, Font::sans, text_size::small, waits ? theme.warning : theme.quiet);
  if (has_facts && !facts.empty()) {
    ImGui::SameLine(start + width - label_width - apart - width_of(facts));
    text(frame.ui, facts, Font::sans, text_size::small, theme.quiet);
  }
  if (width_of(hint) + apart + label_width > width) return;
  ImGui::SameLine(start + width - label_width);
  details_link(frame, label);
}

}  // namespace headscope
