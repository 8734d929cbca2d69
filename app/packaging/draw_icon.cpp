// Draws the program's icon in all sizes with the program's own painter, to
// FOLDER/<size>x<size>/apps/headscope.png. With a second argument, also draws all sizes into one picture,
// which is assets/icon.png.
#include <filesystem>
#include <iostream>
#include <span>

#include "core/figure/icon.h"
#include "core/paint/png_file.h"
#include "core/paint/rasterize.h"

namespace {

namespace fs = std::filesystem;

headscope::Result<void> write_icons(const fs::path& folder, const fs::path& strip) {
  const auto fonts = headscope::FontFaces::open_installed();
  if (!fonts) return tl::unexpected(fonts.error());
  const auto draw = [&](const headscope::Figure& figure, const fs::path& file) {
    return headscope::rasterized(figure, 1.0F, **fonts).and_then([&file](const headscope::Image& image) {
      return headscope::write_png(image, file, {});
    });
  };
  for (const int size : headscope::icon_sizes) {
    const std::string name = std::to_string(size) + "x" + std::to_string(size);
    const fs::path place = folder / name / "apps";
    std::error_code error;
    fs::create_directories(place, error);
    if (error) return headscope::failure("cannot make " + place.string() + ": " + error.message());
    auto written = draw(headscope::icon_figure(size), place / "headscope.png");
    if (!written) return written;
  }
  return strip.empty() ? headscope::Result<void>() : draw(headscope::icon_strip(), strip);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 2 && arguments.size() != 3) {
    std::cerr << "usage: headscope_icons FOLDER [STRIP.png]\n";
    return 2;
  }
  const auto written = write_icons(arguments[1], arguments.size() == 3 ? arguments[2] : "");
  if (!written) std::cerr << "headscope_icons: " << written.error().message << '\n';
  return written ? 0 : 1;
}
