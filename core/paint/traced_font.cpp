#include "core/paint/traced_font.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

constexpr int units_per_pixel = 16;

/// Numbers in the order of bytes of a font file.
class Bytes {
 public:
  Bytes& u8(int value) {
    text_ += static_cast<char>(value);
    return *this;
  }
  Bytes& u16(int value) { return u8(value >> 8 & 0xFF).u8(value & 0xFF); }
  Bytes& u32(std::uint32_t value) {
    return u16(static_cast<int>(value >> 16U)).u16(static_cast<int>(value & 0xFFFFU));
  }
  Bytes& add(std::string_view bytes) {
    text_ += bytes;
    return *this;
  }
  void align() { text_.resize((text_.size() + 3) / 4 * 4); }
  std::size_t size() const { return text_.size(); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Columns from `left` to before `right`, in rows from `top` to before `bottom`.
struct Block {
  int left, right, top, bottom;
};

/// Covers the inked pixels of a picture with blocks that do not overlap.
std::vector<Block> blocks_of(const GlyphBitmap& letter) {
  constexpr std::uint8_t half = 128;
  std::vector<Block> blocks;
  for (int y = 0; y < letter.height; ++y) {
    const auto row = std::span(letter.coverage).subspan(static_cast<std::size_t>(y * letter.width));
    for (int x = 0; x < letter.width; ++x) {
      if (row[static_cast<std::size_t>(x)] < half) continue;
      const int left = x;
      while (x < letter.width && row[static_cast<std::size_t>(x)] >= half) ++x;
      const auto above = std::ranges::find_if(blocks, [&](const Block& block) {
        return block.bottom == y && block.left == left && block.right == x;
      });
      above == blocks.end() ? blocks.push_back({left, x, y, y + 1}) : void(above->bottom = y + 1);
    }
  }
  return blocks;
}

/// The description of a glyph in the table “glyf”. Empty if nothing is inked.
std::string glyph_of(const GlyphBitmap& letter) {
  std::vector<Block> blocks = blocks_of(letter);
  if (blocks.empty()) return {};
  for (Block& block : blocks) {
    block.left = (block.left + letter.left) * units_per_pixel;
    block.right = (block.right + letter.left) * units_per_pixel;
    block.top = (letter.baseline - block.top) * units_per_pixel;
    block.bottom = (letter.baseline - block.bottom) * units_per_pixel;
  }
  Bytes glyph;
  glyph.u16(static_cast<int>(blocks.size()))
      .u16(std::ranges::min(blocks, {}, &Block::left).left)
      .u16(std::ranges::min(blocks, {}, &Block::bottom).bottom)
      .u16(std::ranges::max(blocks, {}, &Block::right).right)
      .u16(std::ranges::max(blocks, {}, &Block::top).top);
  constexpr int corners = 4;
  for (std::size_t i = 0; i < blocks.size(); ++i) glyph.u16(static_cast<int>(i + 1) * corners - 1);
  glyph.u16(0);  // There are no instructions.
  constexpr int on_curve = 1;
  for (std::size_t i = 0; i < blocks.size() * corners; ++i) glyph.u8(on_curve);
  // Clockwise from the upper left corner. Coordinates are relative to the point before.
  int x = 0;
  for (const Block& block : blocks) {
    for (const int to : {block.left, block.right, block.right, block.left})
      glyph.u16(to - std::exchange(x, to));
  }
  int y = 0;
  for (const Block& block : blocks) {
    for (const int to : {block.top, block.top, block.bottom, block.bottom})
      glyph.u16(to - std::exchange(y, to));
  }
  glyph.align();
  return glyph.take();
}

int advance_of(const GlyphBitmap& letter) {
  return static_cast<int>(std::lround(letter.advance * units_per_pixel));
}

std::string cmap_of(std::span<const GlyphBitmap> letters) {
  Bytes cmap;
  cmap.u16(0).u16(1).u16(3).u16(10).u32(12);  // One subtable, for Unicode on Windows.
  cmap.u16(12).u16(0).u32(static_cast<std::uint32_t>(16 + 12 * letters.size())).u32(0);
  cmap.u32(static_cast<std::uint32_t>(letters.size()));
  for (std::size_t i = 0; i < letters.size(); ++i)
    cmap.u32(letters[i].letter).u32(letters[i].letter).u32(static_cast<std::uint32_t>(i + 1));
  return cmap.take();
}

}  // namespace

std::string traced_font(std::span<const GlyphBitmap> letters, int em) {
  const int n_glyphs = static_cast<int>(letters.size()) + 1;  // The first one stands for missing letters.
  const int units = em * units_per_pixel;
  Bytes glyphs, places, widths;
  places.u32(0).u32(0);
  widths.u16(units).u16(0);
  int widest = units, points = 0, contours = 0;
  for (const GlyphBitmap& letter : letters) {
    const std::string glyph = glyph_of(letter);
    const auto n =
        glyph.empty() ? 0 : static_cast<unsigned char>(glyph[0]) * 256 + static_cast<unsigned char>(glyph[1]);
    contours = std::max(contours, n);
    points = std::max(points, 4 * n);
    places.u32(static_cast<std::uint32_t>(glyphs.add(glyph).size()));
    const auto is_inked = [](std::uint8_t pixel) { return pixel >= 128; };
    int first = letter.width;
    for (std::size_t i = 0; i < letter.coverage.size(); ++i)
      if (is_inked(letter.coverage[i])) first = std::min(first, static_cast<int>(i) % letter.width);
    widths.u16(advance_of(letter)).u16(n == 0 ? 0 : (first + letter.left) * units_per_pixel);
    widest = std::max(widest, advance_of(letter));
  }
  const int ascent = units, descent = units / 4;
  Bytes head, hhea, maxp;
  head.u32(0x00010000).u32(0x00010000).u32(0).u32(0x5F0F3CF5).u16(0).u16(units);
  head.u32(0).u32(0).u32(0).u32(0);                            // The dates.
  head.u16(-units).u16(-units).u16(2 * units).u16(2 * units);  // A box around all glyphs.
  head.u16(0).u16(6).u16(2).u16(1).u16(0);                     // Places of glyphs are 32 bits wide.
  hhea.u32(0x00010000).u16(ascent).u16(-descent).u16(0).u16(widest).u16(0).u16(0).u16(widest).u16(1);
  for (int i = 0; i < 7; ++i) hhea.u16(0);
  hhea.u16(n_glyphs);
  maxp.u32(0x00010000).u16(n_glyphs).u16(points).u16(contours).u16(0).u16(0).u16(1);
  for (int i = 0; i < 8; ++i) maxp.u16(0);
  const std::array<std::pair<std::string_view, std::string>, 7> tables{{{"cmap", cmap_of(letters)},
                                                                        {"glyf", glyphs.take()},
                                                                        {"head", head.take()},
                                                                        {"hhea", hhea.take()},
                                                                        {"hmtx", widths.take()},
                                                                        {"loca", places.take()},
                                                                        {"maxp", maxp.take()}}};
  Bytes font, contents;
  font.u32(0x00010000).u16(static_cast<int>(tables.size())).u16(64).u16(2).u16(48);
  const std::size_t begin = 12 + 16 * tables.size();
  for (const auto& [name, table] : tables) {
    contents.align();
    font.add(name).u32(0).u32(static_cast<std::uint32_t>(begin + contents.size()));
    font.u32(static_cast<std::uint32_t>(table.size()));
    contents.add(table);
  }
  return font.add(contents.take()).take();
}

}  // namespace headscope
