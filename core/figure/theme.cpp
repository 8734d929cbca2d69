#include "core/figure/theme.h"

namespace headscope {

const Theme& light_theme() {
  static const Theme theme{.ground = {246, 247, 249},
                           .panel = {255, 255, 255},
                           .line = {227, 230, 235},
                           .text = {27, 31, 39},
                           .quiet = {106, 114, 128},
                           .accent = {180, 87, 8},
                           .accent_soft = {251, 236, 220},
                           .data = {43, 106, 153},
                           .control = {240, 242, 246},
                           .warning = {176, 42, 32},
                           .right = {20, 118, 58}};
  return theme;
}

const Theme& dark_theme() {
  static const Theme theme{.ground = {20, 22, 27},
                           .panel = {27, 30, 37},
                           .line = {43, 48, 58},
                           .text = {232, 234, 238},
                           .quiet = {141, 149, 163},
                           .accent = {242, 163, 58},
                           .accent_soft = {66, 50, 30},
                           .data = {86, 160, 222},
                           .control = {37, 41, 50},
                           .warning = {255, 128, 112},
                           .right = {104, 206, 134}};
  return theme;
}

const Theme& theme_of(ThemeName name) {
  return name == ThemeName::dark ? dark_theme() : light_theme();
}

}  // namespace headscope
