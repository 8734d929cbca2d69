#include "tests/gui/draw_data.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

/// Returns false for NaN as well.
bool in_reach(float x, float y, float max_coordinate) {
  return std::abs(x) <= max_coordinate && std::abs(y) <= max_coordinate;
}

std::string described(const char* what, int list, int at, float x, float y) {
  return std::string(what) + " " + std::to_string(at) + " of list " + std::to_string(list) + ": " +
         std::to_string(x) + ", " + std::to_string(y);
}

std::string fault_in_command(const ImDrawList& list, const ImDrawCmd& command, int list_index, int index,
                             float max_coordinate) {
  const ImVec4 clip = command.ClipRect;
  if (!in_reach(clip.x, clip.y, max_coordinate))
    return described("clip corner", list_index, index, clip.x, clip.y);
  if (!in_reach(clip.z, clip.w, max_coordinate))
    return described("clip end", list_index, index, clip.z, clip.w);
  const auto first = static_cast<int>(command.IdxOffset);
  for (int i = first; i < first + static_cast<int>(command.ElemCount); ++i) {
    const auto vertex = static_cast<int>(command.VtxOffset + list.IdxBuffer[i]);
    if (vertex >= list.VtxBuffer.Size)
      return described("index", list_index, i, 0.0F, static_cast<float>(vertex));
  }
  return {};
}

}  // namespace

std::string draw_data_fault(float max_coordinate) {
  const ImDrawData* data = ImGui::GetDrawData();
  if (data == nullptr) return "nothing was drawn";
  for (int list_index = 0; list_index < data->CmdListsCount; ++list_index) {
    const ImDrawList& list = *data->CmdLists[list_index];
    for (int i = 0; i < list.VtxBuffer.Size; ++i) {
      const ImDrawVert& vertex = list.VtxBuffer[i];
      if (!in_reach(vertex.pos.x, vertex.pos.y, max_coordinate)) {
        return described("vertex", list_index, i, vertex.pos.x, vertex.pos.y);
      }
      if (!in_reach(vertex.uv.x, vertex.uv.y, max_coordinate)) {
        return described("texture place of vertex", list_index, i, vertex.uv.x, vertex.uv.y);
      }
    }
    for (int i = 0; i < list.CmdBuffer.Size; ++i) {
      std::string fault = fault_in_command(list, list.CmdBuffer[i], list_index, i, max_coordinate);
      if (!fault.empty()) return fault;
    }
  }
  return {};
}

float largest_glyph(const ImFont& font) {
  float largest = 0.0F;
#if IMGUI_VERSION_NUM < 19200
  for (const ImFontGlyph& glyph : font.Glyphs) {
    largest = std::max({largest, glyph.X1 - glyph.X0, glyph.Y1 - glyph.Y0});
  }
#else
  static_cast<void>(font);
#endif
  return largest;
}

int atlas_height() {
  const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
#if IMGUI_VERSION_NUM < 19200
  return atlas.TexHeight;
#else
  return atlas.TexData->Height;
#endif
}

}  // namespace headscope
