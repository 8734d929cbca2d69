#include "core/paint/font_files.h"

namespace headscope {

const FontFile& FontFiles::file(Font font) const {
  switch (font) {
    case Font::sans_bold:
      return sans_bold;
    case Font::mono:
      return mono;
    case Font::sans:
      break;
  }
  return sans;
}

}  // namespace headscope
