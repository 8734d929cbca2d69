#include "tests/gui/screen_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "app/imgui/imgui_compat.h"
#include "core/text/utf8.h"
#if IMGUI_VERSION_NUM >= 19200
#include <imgui_internal.h>
#endif

namespace headscope {

Box around(std::span<const Box> boxes) {
  Box all = boxes.front();
  for (const Box& box : boxes) {
    const float right = std::max(all.right(), box.right());
    const float bottom = std::max(all.bottom(), box.bottom());
    all.x = std::min(all.x, box.x);
    all.y = std::min(all.y, box.y);
    all.w = right - all.x;
    all.h = bottom - all.y;
  }
  return all;
}

namespace {

struct Glyph {
  char32_t character;
  float size;  ///< the font's size in pixels
};
using Corners = std::array<float, 4>;
using Atlas = std::map<Corners, Glyph>;

template <class Glyphs>
void add_glyphs(const Glyphs& glyphs, float size, Atlas& atlas) {
  for (const ImFontGlyph& glyph : glyphs) {
    if (!glyph.Visible) continue;
    const auto character = static_cast<char32_t>(glyph.Codepoint);
    atlas.insert({Corners{glyph.U0, glyph.V0, glyph.U1, glyph.V1}, Glyph{character, size}});
  }
}

Atlas read_atlas() {
  Atlas atlas;
  const ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
#if IMGUI_VERSION_NUM >= 19200
  for (int i = 0; i < fonts.Builder->BakedPool.Size; ++i) {
    const ImFontBaked& baked = fonts.Builder->BakedPool[i];
    add_glyphs(baked.Glyphs, baked.Size, atlas);
  }
#else
  for (const ImFont* font : fonts.Fonts) add_glyphs(font->Glyphs, font->FontSize, atlas);
#endif
  return atlas;
}

/// Joins glyphs that stand next to each other.
class RunBuilder {
 public:
  void add(const Glyph& glyph, const Box& box) {
    if (runs_.empty() || !follows(box, glyph.size)) runs_.emplace_back();
    runs_.back().text += to_utf8(glyph.character);
    runs_.back().letters.push_back(box);
  }
  std::vector<ScreenText> take() { return std::move(runs_); }

 private:
  bool follows(const Box& box, float size) const {
    constexpr float widest_gap = 0.7F;  // in multiples of the font's size; a space is a third
    const Box& last = runs_.back().letters.back();
    return std::abs(box.x - last.right()) < widest_gap * size && std::abs(box.y - last.y) < size;
  }
  std::vector<ScreenText> runs_;
};

/// The letter drawn by the two triangles that begin at `index`. Empty if they are not a letter.
std::optional<DrawnLetter> letter_at(const ImDrawList& list, const ImDrawCmd& command, unsigned index,
                                     const Atlas& atlas) {
  const ImDrawIdx* i = list.IdxBuffer.Data + command.IdxOffset + index;
  const bool is_quad =
      i[1] == i[0] + 1 && i[2] == i[0] + 2 && i[3] == i[0] && i[4] == i[0] + 2 && i[5] == i[0] + 3;
  if (!is_quad) return std::nullopt;
  const ImDrawVert* v = list.VtxBuffer.Data + command.VtxOffset + i[0];
  const auto found = atlas.find({v[0].uv.x, v[0].uv.y, v[2].uv.x, v[2].uv.y});
  if (found == atlas.end()) return std::nullopt;
  const auto [left, right] = std::minmax({v[0].pos.x, v[1].pos.x, v[2].pos.x, v[3].pos.x});
  const auto [top, bottom] = std::minmax({v[0].pos.y, v[1].pos.y, v[2].pos.y, v[3].pos.y});
  const ImVec4& clip = command.ClipRect;
  DrawnLetter letter;
  letter.character = found->second.character;
  letter.size = found->second.size;
  letter.box = {left, top, right - left, bottom - top};
  letter.clip = {clip.x, clip.y, clip.z - clip.x, clip.w - clip.y};
  letter.is_upright = v[0].pos.y == v[1].pos.y && v[0].pos.x < v[1].pos.x;
  return letter;
}

std::vector<DrawnLetter> letters_of(const ImDrawList& list, const Atlas& atlas) {
  std::vector<DrawnLetter> letters;
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.UserCallback != nullptr) continue;
    for (unsigned index = 0; index + 6 <= command.ElemCount;) {
      const auto letter = letter_at(list, command, index, atlas);
      if (letter) letters.push_back(*letter);
      index += letter ? 6 : 3;
    }
  }
  return letters;
}

std::string without_spaces(std::string_view text) {
  std::string letters(text);
  std::erase(letters, ' ');
  return letters;
}

}  // namespace

bool DrawnLetter::is_seen() const {
  return clip.contains({box.x + box.w / 2.0F, box.y + box.h / 2.0F});
}

std::vector<DrawnLetter> letters_of(const ImDrawList& list) {
  return letters_of(list, read_atlas());
}

std::vector<ScreenText> read_screen() {
  const ImDrawData* data = ImGui::GetDrawData();
  if (data == nullptr) return {};
  const Atlas atlas = read_atlas();
  RunBuilder runs;
  for (int n = 0; n < data->CmdListsCount; ++n) {
    for (const DrawnLetter& letter : letters_of(*data->CmdLists[n], atlas)) {
      if (letter.is_seen()) runs.add({letter.character, letter.size}, letter.box);
    }
  }
  return runs.take();
}

Box ScreenText::box() const {
  return around(letters);
}

std::vector<Box> find_text(std::string_view text) {
  const std::string wanted = without_spaces(text);
  std::vector<Box> boxes;
  for (const ScreenText& run : read_screen()) {
    if (run.text == wanted) boxes.push_back(run.box());
  }
  return boxes;
}

std::vector<Box> find_letters(std::string_view text) {
  const std::string wanted = without_spaces(text);
  const std::size_t n = code_points(wanted).size();
  std::vector<Box> boxes;
  for (const ScreenText& run : read_screen()) {
    for (auto at = run.text.find(wanted); at != std::string::npos; at = run.text.find(wanted, at + 1)) {
      const std::size_t first = code_points(run.text.substr(0, at)).size();
      boxes.push_back(around(std::span(run.letters).subspan(first, n)));
    }
  }
  return boxes;
}

bool screen_contains(std::string_view text) {
  std::string all;
  for (const ScreenText& run : read_screen()) all += run.text;
  return all.find(without_spaces(text)) != std::string::npos;
}

}  // namespace headscope
