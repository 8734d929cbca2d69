#include "app/shell/window_icons.h"

#include "app/cli/model_places.h"
#include "core/figure/icon.h"
#include "core/figure/picture_reader.h"
#include "core/io/read_file.h"

namespace headscope {

std::vector<Image> window_icons() {
  constexpr std::size_t most_icon_bytes = std::size_t{1} << 20U;
  for (const std::filesystem::path& models : model_places()) {
    const auto bytes = read_file(models.parent_path() / "icon.png", most_icon_bytes);
    if (!bytes) continue;
    if (const auto strip = image_in(*bytes)) return icons_in(*strip);
  }
  return {};
}

}  // namespace headscope
