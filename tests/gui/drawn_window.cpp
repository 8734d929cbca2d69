#include "tests/gui/drawn_window.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/text/utf8.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

Box box_of(const ImRect& rect) {
  return {rect.Min.x, rect.Min.y, rect.GetWidth(), rect.GetHeight()};
}

/// The name that the program gave to a window, without the names of the panels that contain it.
std::string own_name(const ImGuiWindow& window) {
  std::string name(window.Name);
  const auto id = name.rfind('_');
  if ((window.Flags & ImGuiWindowFlags_ChildWindow) != 0 && id != std::string::npos) name.resize(id);
  return name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
}

bool lies_above(const ImGuiWindow& window) {
  constexpr int passing = ImGuiWindowFlags_Popup | ImGuiWindowFlags_Tooltip;
  const ImGuiWindow* root = window.RootWindow;
  return (root->Flags & passing) != 0 || std::string_view(root->Name) != "##ground";
}

std::vector<const ImGuiWindow*> drawn_windows() {
  std::vector<const ImGuiWindow*> windows;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->Active && !window->Hidden && window->RootWindow != nullptr) windows.push_back(window);
  }
  return windows;
}

Box common(const Box& a, const Box& b) {
  const float x = std::max(a.x, b.x);
  const float y = std::max(a.y, b.y);
  return {x, y, std::min(a.right(), b.right()) - x, std::min(a.bottom(), b.bottom()) - y};
}

std::string place_text(const Box& box) {
  const auto whole = [](float value) { return std::to_string(std::lround(value)); };
  return " at " + whole(box.x) + ", " + whole(box.y) + " (" + whole(box.w) + " × " + whole(box.h) + ")";
}

struct Words {
  std::string text;
  std::vector<Box> letters;
};

/// The visible upright words of a panel. A word consists of letters that follow each other on a line.
std::vector<Words> words_of(std::span<const DrawnLetter> letters) {
  std::vector<Words> words;
  for (const DrawnLetter& letter : letters) {
    if (!letter.is_seen() || !letter.is_upright) continue;
    constexpr float widest_gap = 0.7F;
    const bool follows =
        !words.empty() &&
        std::abs(letter.box.x - words.back().letters.back().right()) < widest_gap * letter.size &&
        std::abs(letter.box.y - words.back().letters.back().y) < letter.size;
    if (!follows) words.emplace_back();
    words.back().text += to_utf8(letter.character);
    words.back().letters.push_back(letter.box);
  }
  return words;
}

bool is_on(const Box& a, const Box& b) {
  // Letters may touch, because ink extends a pixel beyond its line.
  constexpr float touching = 2.0F;
  const Box shared = common(a, b);
  return shared.w > touching && shared.h > touching;
}

void add_cut_words(const std::string& panel, bool scrolls, std::span<const DrawnLetter> letters,
                   std::vector<std::string>& faults) {
  std::string cut;
  Box first;
  for (const DrawnLetter& letter : letters) {
    constexpr float ink = 1.5F;
    const Box& box = letter.box;
    const Box& clip = letter.clip;
    const float middle = box.y + box.h / 2.0F;
    const bool is_beside = box.right() <= clip.x || box.x >= clip.right();
    const bool cuts_side = middle > clip.y && middle < clip.bottom() && !is_beside &&
                           (box.x < clip.x - ink || box.right() > clip.right() + ink);
    const bool cuts_line =
        !scrolls && letter.is_seen() && (box.y < clip.y - ink || box.bottom() > clip.bottom() + ink);
    if (!cuts_side && !cuts_line) continue;
    if (cut.empty()) first = box;
    cut += to_utf8(letter.character);
  }
  if (!cut.empty()) faults.push_back("cut in “" + panel + "”: “" + cut + "”" + place_text(first));
}

void add_words_on_words(const std::string& panel, std::span<const DrawnLetter> letters,
                        std::vector<std::string>& faults) {
  const std::vector<Words> words = words_of(letters);
  std::vector<Box> boxes;
  boxes.reserve(words.size());
  for (const Words& each : words) boxes.push_back(around(each.letters));
  for (std::size_t i = 0; i < words.size(); ++i) {
    // The end of a text that is too long lies on an opaque ground over what it stands for.
    if (words[i].text == "…") continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_on(boxes[i], boxes[j])) continue;
      const bool letters_meet = std::ranges::any_of(words[i].letters, [&](const Box& a) {
        return std::ranges::any_of(words[j].letters, [&](const Box& b) { return is_on(a, b); });
      });
      if (letters_meet)
        faults.push_back("in “" + panel + "” “" + words[i].text + "” stands on “" + words[j].text + "”" +
                         place_text(boxes[i]));
    }
  }
}

/// Widths are not checked, because tabs that are scrolled aside count as contents.
void add_outside(const ImGuiWindow& window, std::vector<std::string>& faults) {
  const float rings = 0.5F * ImGui::GetStyle().ItemSpacing.y + 1.5F;  // around the last control
  const float height = window.ContentSize.y + 2.0F * window.WindowPadding.y;
  const bool scrolls = (window.Flags & ImGuiWindowFlags_NoScrollbar) == 0;
  const ImRect& inside = window.InnerRect;
  if (!scrolls && height > inside.GetHeight() + rings)
    faults.push_back("“" + own_name(window) + "” has contents " +
                     std::to_string(std::lround(height - inside.GetHeight())) + " pixels higher than it");
}

void add_panels_on_panels(std::span<const ImGuiWindow* const> windows, std::vector<std::string>& faults) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const ImGuiWindow& a = *windows[i];
      const ImGuiWindow& b = *windows[j];
      if (a.ParentWindow == nullptr || a.ParentWindow != b.ParentWindow) continue;
      if (lies_above(a) || lies_above(b)) continue;
      if (is_on(box_of(a.Rect()), box_of(b.Rect())))
        faults.push_back("panel “" + own_name(a) + "” stands on “" + own_name(b) + "”" +
                         place_text(common(box_of(a.Rect()), box_of(b.Rect()))));
    }
  }
}

/// The map in a region of the current page. Null if the region is of another kind or has no map.
const MapPanel* map_of(AppDriver& driver, const HitRegion& region) {
  const auto* cells = std::get_if<StageCells>(&region.meaning);
  if (cells == nullptr) return nullptr;
  const auto& maps = driver.app().screen().memo.maps;
  const auto found = maps.find(cells->slot);
  return found == maps.end() || !found->second.problem.empty() ? nullptr : &found->second;
}

bool has_label(const std::vector<AxisLabel>& labels, int index) {
  return std::ranges::find(labels, index, &AxisLabel::index) != labels.end();
}

void add_missing_labels(const MapPanel& map, const std::string& slot, std::vector<std::string>& faults) {
  const HeatmapLayout& layout = map.layout;
  if (!map.key.marked_row || layout.row_label_width <= 0.0F) return;
  const int row = *map.key.marked_row;
  if (row < layout.first_row || row >= layout.first_row + layout.n_rows) return;
  if (!has_label(layout.row_labels, row))
    faults.push_back("the selected row " + std::to_string(row) + " of “" + slot + "” has no label");
  const bool shows_columns = layout.col_label_height > 0.0F && map.key.stage.kind == StageKind::weights;
  if (!shows_columns || !map.source || !map.source->is_quick_to_read() || map.key.against) return;
  const StageNumbers numbers = map.source->read({row, layout.first_col, 1, layout.n_cols});
  const auto values = numbers.view.row(0);
  const auto strongest = std::ranges::max_element(values);
  if (strongest == values.end() || !std::isfinite(*strongest) || *strongest <= 0.0F) return;
  const int column = layout.first_col + static_cast<int>(strongest - values.begin());
  if (!has_label(layout.col_labels, column))
    faults.push_back("the strongest column " + std::to_string(column) + " of the selected row of “" + slot +
                     "” has no label");
}

}  // namespace

std::vector<DrawnPanel> drawn_panels() {
  std::vector<DrawnPanel> panels;
  for (const ImGuiWindow* window : drawn_windows()) {
    panels.push_back({own_name(*window), box_of(window->Rect()), box_of(window->InnerRect),
                      window->ContentSize.x, window->ContentSize.y, window->ScrollMax.y > 0.0F,
                      lies_above(*window)});
  }
  return panels;
}

std::map<std::string, Box> layout_of(AppDriver& driver) {
  std::map<std::string, Box> layout;
  for (const DrawnPanel& panel : drawn_panels()) {
    if (!panel.is_above) layout[panel.name] = panel.box;
  }
  const auto page = driver.app().screen().pages.find(driver.session().view);
  if (page == driver.app().screen().pages.end()) return layout;
  layout["page"] = {0.0F, 0.0F, page->second.size.width, page->second.size.height};
  for (const HitRegion& region : page->second.page.regions) {
    if (const auto* cells = std::get_if<StageCells>(&region.meaning))
      layout["map " + cells->slot] = region.box;
  }
  return layout;
}

std::vector<std::string> drawing_faults() {
  std::vector<std::string> faults;
  const std::vector<const ImGuiWindow*> windows = drawn_windows();
  for (const ImGuiWindow* window : windows) {
    const std::string name = own_name(*window);
    const std::vector<DrawnLetter> letters = letters_of(*window->DrawList);
    const bool is_field = name == "sentence panel";
    if (!is_field) add_cut_words(name, window->ScrollMax.y > 0.0F, letters, faults);
    add_words_on_words(name, letters, faults);
    add_outside(*window, faults);
  }
  add_panels_on_panels(windows, faults);
  return faults;
}

std::vector<std::string> map_faults(AppDriver& driver) {
  std::vector<std::string> faults;
  const auto page = driver.app().screen().pages.find(driver.session().view);
  if (page == driver.app().screen().pages.end()) return faults;
  struct Size {
    std::string slot;
    float width, height;
  };
  std::map<std::pair<int, int>, Size> sizes;
  for (const HitRegion& region : page->second.page.regions) {
    const MapPanel* map = map_of(driver, region);
    if (map == nullptr) continue;
    const std::string& slot = std::get<StageCells>(region.meaning).slot;
    add_missing_labels(*map, slot, faults);
    const bool has_lines_of_its_own =
        driver.session().view == PageName::stages || driver.session().view == PageName::words;
    const bool is_thumbnail = map->layout.row_label_width <= 0.0F;
    if (is_thumbnail || has_lines_of_its_own) continue;
    const Size size{slot, map->layout.cells.w, map->layout.cells.h};
    const auto [first, is_first] = sizes.insert({{map->layout.n_rows, map->layout.n_cols}, size});
    const Size& other = first->second;
    if (std::abs(other.width - size.width) > 1.0F || std::abs(other.height - size.height) > 1.0F)
      faults.push_back("“" + slot + "” and “" + other.slot + "” are of one shape, but not of one size");
  }
  return faults;
}

}  // namespace headscope
