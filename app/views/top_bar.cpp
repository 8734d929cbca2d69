#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/tabs.h"
#include "app/widgets/text.h"
#include "core/enum_count.h"

namespace headscope {
namespace {

/// The program's logo: three bars of different height.
void mark(Frame& frame) {
  const Ui& ui = frame.ui;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::array<float, 3> heights{8.0F, 16.0F, 11.0F};
  const float middle = at.y + ui.px(14.0F);
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const float x = at.x + ui.px(6.0F) * static_cast<float>(i);
    const float half = ui.px(heights[i]) / 2.0F;
    ImGui::GetWindowDrawList()->AddRectFilled({x, middle - half}, {x + ui.px(4.0F), middle + half},
                                              packed(ui.theme().accent), ui.px(2.0F));
  }
  ImGui::Dummy({ui.px(20.0F), ui.px(28.0F)});
}

constexpr float gap = 4.0F;
constexpr float field_width = 188.0F;
constexpr float name_width = 98.0F;
constexpr float mark_width = 28.0F;

/// The view shown last in each workspace.
using LastViews = std::map<Workspace, PageName>;

/// The view that was shown last in a workspace, or its first one. Empty if a lesson leaves the workspace out.
std::optional<PageName> view_to_open(const Frame& frame, Workspace workspace) {
  const auto& views = frame.screen.own.of<LastViews>();
  const auto last = views.find(workspace);
  if (last != views.end() && frame.is_enabled(last->second)) return last->second;
  for (const PageRecord& page : page_records()) {
    if (page.workspace == workspace && frame.is_enabled(page.name)) return page.name;
  }
  return std::nullopt;
}

/// The workspaces that have a tab: the one that is shown, and those that no lesson leaves out.
std::vector<Workspace> shown_workspaces(const Frame& frame) {
  std::vector<Workspace> all;
  for (std::size_t i = 0; i < enum_count<Workspace>; ++i) {
    const auto workspace = static_cast<Workspace>(i);
    if (workspace == workspace_of(frame.session.view) || view_to_open(frame, workspace))
      all.push_back(workspace);
  }
  return all;
}

/// The names of the views in a workspace, with their keys.
std::string tooltip_of(const Frame& frame, Workspace workspace) {
  std::string text;
  for (const PageRecord& page : page_records()) {
    if (page.workspace != workspace || !frame.is_enabled(page.name)) continue;
    if (!text.empty()) text += "\n";
    text += std::string(page.title) + " (" + frame.keys_of(page.name) + ")";
  }
  return text;
}

std::vector<Tab> workspace_tabs(const Frame& frame, const std::vector<Workspace>& workspaces) {
  std::vector<Tab> entries;
  entries.reserve(workspaces.size());
  for (const Workspace workspace : workspaces)
    entries.push_back({std::string(title_of(workspace)), "", tooltip_of(frame, workspace)});
  return entries;
}

void open_workspace(Frame& frame, Workspace workspace) {
  if (const auto view = view_to_open(frame, workspace)) frame.emit(*view);
}

/// A button that looks like the search field that it opens.
void find_anything(Frame& frame) {
  Ui& ui = frame.ui;
  const Theme& theme = ui.theme();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max{min.x + ui.px(field_width), min.y + ui.px(28.0F)};
  const std::string all_keys = frame.keys_of(CommandId::palette);
  const std::string keys = all_keys.substr(0, all_keys.find(" or "));
  const bool clicked = invisible_button("find", {max.x - min.x, max.y - min.y});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = (min.y + max.y) / 2.0F;
  paint::card(ui, list, min, max, theme.control, ImGui::IsItemHovered() ? theme.quiet : theme.line,
              (max.y - min.y) / 2.0F);
  paint::text(ui, list, min.x + ui.px(14.0F), middle, "Find anything", Font::sans, text_size::control,
              theme.quiet);
  paint::text(ui, list, max.x - ui.px(14.0F), middle, keys, Font::mono, 10.0F, theme.quiet,
              paint::Align::right);
  paint::focus_ring(ui, list, (max.y - min.y) / 2.0F);
  tooltip_for_item(
      ui,
      frame.with_keys("Find a page, a head, a token, a setting or a command by its name", CommandId::palette)
          .c_str());
  if (clicked) frame.emit(CommandId::palette);
}

/// The contents that fit into the bar. Each step leaves out more.
enum class BarFit { all, short_field, no_name, few_buttons, menu_of_workspaces };

/// The width of the logo, the name and the tabs.
float left_width(Ui& ui, std::span<const Tab> entries, const char* open, BarFit fit) {
  return ui.px(mark_width + (fit >= BarFit::no_name ? 0.0F : name_width)) +
         (fit == BarFit::menu_of_workspaces ? button_width(ui, open) + ui.px(16.0F)
                                            : tabs_width(ui, entries));
}

/// The width of the commands.
float right_width(Ui& ui, BarFit fit) {
  const float apart = ui.px(gap);
  const float icon = ui.px(icon_button_size);
  const float width = (fit == BarFit::all ? ui.px(field_width + 8.0F) : icon + apart) +
                      3.0F * (icon + apart) + button_width(ui, "Export");
  if (fit >= BarFit::few_buttons) return width;
  return width + button_width(ui, "Compare") + button_width(ui, "Present") + 2.0F * apart;
}

/// The menu of the commands that have no button.
void more_menu(Frame& frame, BarFit fit) {
  const bool is_light = frame.session.picture.theme == ThemeName::light;
  std::vector<std::string> entries;
  std::vector<CommandOrView> commands;
  const auto add = [&](const char* label, CommandOrView command) {
    entries.push_back(std::string(label) + "\t" + frame.keys_of(command));
    commands.push_back(command);
  };
  if (fit >= BarFit::few_buttons) {
    add("Compare", PageName::compare);
    add("Present", CommandId::present);
  }
  add(frame.session.difference ? "Hide the difference" : "Show the difference", CommandId::toggle_difference);
  add(is_light ? "Dark theme" : "Light theme", CommandId::toggle_theme);
  add("Open…", CommandId::open_file);
  add("Save the scene", CommandId::save_scene);
  add("Larger", CommandId::larger);
  add("Smaller", CommandId::smaller);
  add("Help and keys", CommandId::help);
  const char* about = fit >= BarFit::few_buttons ? "Compare, present, theme, files, size, help"
                                                 : "Difference, theme, files, size, help";
  if (const auto chosen = icon_menu(frame.ui, Icon::more, "more", entries, about))
    frame.emit(commands[static_cast<std::size_t>(*chosen)]);
}

/// The page that was shown before the comparison. Empty if the window opened with it.
std::optional<PageName>& page_before_comparison(Frame& frame) {
  return frame.screen.own.of<std::optional<PageName>>("before the comparison");
}

/// The button that opens the comparison. On that page, whose tab has the same name, it goes back to the page
/// before, and its place is free if there is none.
void compare_button(Frame& frame) {
  constexpr const char* label = "Compare";
  if (frame.session.view != PageName::compare)
    return command_button(frame, label, "Two sentences, heads, masks or models side by side",
                          PageName::compare, ButtonStyle::quiet);
  const float width = button_width(frame.ui, label);
  const std::optional<PageName> before = page_before_comparison(frame);
  if (!before) return ImGui::Dummy({width, 1.0F});
  const std::string tooltip = "Goes back to “" + std::string(page_record(*before).title) + "”";
  if (button(frame.ui, "‹ Back", tooltip.c_str(), "", ButtonStyle::quiet, width)) frame.emit(*before);
}

void commands_part(Frame& frame, BarFit fit) {
  Ui& ui = frame.ui;
  const float apart = ui.px(gap);
  const auto next = [&] { ImGui::SameLine(0.0F, apart); };
  if (fit == BarFit::all) {
    find_anything(frame);
    ImGui::SameLine(0.0F, ui.px(8.0F));
  } else {
    if (icon_button(ui, Icon::find, "find",
                    frame.with_keys("Find anything by its name", CommandId::palette).c_str()))
      frame.emit(CommandId::palette);
    next();
  }
  for (const auto& [icon, id, command, tooltip] :
       {std::tuple(Icon::undo, "undo", CommandId::undo, "Undo the last change"),
        std::tuple(Icon::redo, "redo", CommandId::redo, "Redo what was undone")}) {
    if (icon_button(ui, icon, id, frame.with_keys(tooltip, command).c_str(), frame.is_enabled(command)))
      frame.emit(command);
    next();
  }
  if (fit < BarFit::few_buttons) {
    compare_button(frame);
    next();
    command_button(frame, "Present", "Show the page alone and large, for an audience", CommandId::present,
                   ButtonStyle::quiet);
    next();
  }
  more_menu(frame, fit);
  next();
  if (std::exchange(frame.screen.focus_bar, false)) ui.focus_next_item();
  command_button(frame, "Export", "Export the figure, the window or the numbers", CommandId::export_sheet,
                 ButtonStyle::primary);
}

}  // namespace

void top_bar(Frame& frame) {
  Ui& ui = frame.ui;
  const float full = ImGui::GetContentRegionAvail().x;
  const float start = ImGui::GetCursorPosX();
  const Workspace open = workspace_of(frame.session.view);
  const std::vector<Workspace> workspaces = shown_workspaces(frame);
  const std::vector<Tab> entries = workspace_tabs(frame, workspaces);
  frame.screen.own.of<LastViews>()[open] = frame.session.view;
  if (frame.session.view != PageName::compare) page_before_comparison(frame) = frame.session.view;
  if (open != Workspace::textbooks) frame.screen.last_view = frame.session.view;
  const std::string open_label = std::string(title_of(open)) + " ▾";
  BarFit fit = BarFit::all;
  const auto left = [&] { return left_width(ui, entries, open_label.c_str(), fit); };
  while (fit != BarFit::menu_of_workspaces && left() + right_width(ui, fit) + ui.px(16.0F) > full)
    fit = static_cast<BarFit>(static_cast<int>(fit) + 1);
  const float top = ImGui::GetCursorPosY();
  mark(frame);
  if (fit < BarFit::no_name) {
    ImGui::SameLine(0.0F, ui.px(4.0F));
    ImGui::SetCursorPosY(top + ui.px(4.0F));
    text_line(ui, {{"Headscope", Font::sans_bold, text_size::title, ui.theme().text}}, 0.0F);
  }
  ImGui::SetCursorPos({start + ui.px(mark_width + (fit < BarFit::no_name ? name_width : 0.0F)), top});
  int index = static_cast<int>(std::ranges::find(workspaces, open) - workspaces.begin());
  if (fit == BarFit::menu_of_workspaces) {
    const std::vector<std::string> names = listed(entries, &Tab::name);
    if (const auto chosen = menu(ui, open_label.c_str(), names, "The workspaces", ButtonStyle::plain))
      open_workspace(frame, workspaces[static_cast<std::size_t>(*chosen)]);
  } else if (tabs(ui, "workspaces", entries, index, tabs_width(ui, entries))) {
    open_workspace(frame, workspaces[static_cast<std::size_t>(index)]);
  }
  ImGui::SameLine(start + std::max(full - right_width(ui, fit), left() + ui.px(4.0F)));
  commands_part(frame, fit);
}

}  // namespace headscope
