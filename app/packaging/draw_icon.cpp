// Draws the program's icon with its own painter: the map of a causal head that looks at one word above all.
// Writes FOLDER/<size>x<size>/apps/headscope.png.
#include <filesystem>
#include <iostream>
#include <span>

#include "core/figure/colormap.h"
#include "core/figure/png_writer.h"

namespace {

namespace fs = std::filesystem;
using headscope::Box;
using headscope::FilledRect;

constexpr int cells = 4;
/// How light a cell is, from 0 to 1; nothing is drawn above the diagonal.
constexpr float weights[cells][cells] = {
    {0.75F, 0, 0, 0}, {0.35F, 0.6F, 0, 0}, {0.2F, 0.3F, 0.5F, 0}, {0.15F, 1.0F, 0.25F, 0.4F}};

headscope::Figure icon(int size) {
  const auto whole = static_cast<float>(size);
  headscope::Figure figure{whole, whole, headscope::Color{0, 0, 0, 0}, {}};
  figure.items.emplace_back(FilledRect{{0, 0, whole, whole}, {27, 30, 38, 255}, whole * 0.2F});
  // Whole pixels, so that small sizes are sharp.
  const int gap = (size + 8) / 32;
  const int cell = (size - 2 * (size / 7) - (cells - 1) * gap) / cells;
  const int margin = (size - cells * cell - (cells - 1) * gap) / 2;
  const auto& map = headscope::color_map(headscope::SequentialMap::headscope, headscope::ThemeName::dark);
  for (int row = 0; row < cells; ++row) {
    for (int column = 0; column <= row; ++column) {
      const Box box{static_cast<float>(margin + column * (cell + gap)),
                    static_cast<float>(margin + row * (cell + gap)), static_cast<float>(cell),
                    static_cast<float>(cell)};
      figure.items.emplace_back(
          FilledRect{box, headscope::sample(map, weights[row][column]), static_cast<float>(cell) * 0.15F});
    }
  }
  return figure;
}

headscope::Result<void> write_icons(const fs::path& folder) {
  const auto fonts = headscope::find_font_files().and_then(headscope::CairoFonts::open);
  if (!fonts) return tl::unexpected(fonts.error());
  for (const int size : {16, 22, 24, 32, 48, 64, 128, 256, 512}) {
    const std::string name = std::to_string(size) + "x" + std::to_string(size);
    const fs::path place = folder / name / "apps";
    std::error_code error;
    fs::create_directories(place, error);
    if (error) return headscope::failure("cannot make " + place.string() + ": " + error.message());
    const auto written = headscope::write_png(icon(size), 1.0F, place / "headscope.png", **fonts, {});
    if (!written) return written;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 2) {
    std::cerr << "usage: headscope_icons FOLDER\n";
    return 2;
  }
  const auto written = write_icons(arguments[1]);
  if (!written) std::cerr << "headscope_icons: " << written.error().message << '\n';
  return written ? 0 : 1;
}
