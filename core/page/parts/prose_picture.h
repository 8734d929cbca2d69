#pragma once

#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/theme.h"
#include "core/lesson/lesson.h"
#include "core/lesson/prose.h"

namespace headscope {

/// The text of a lesson as a figure with its links. A link on several lines has several boxes.
struct ProsePicture {
  struct Link {
    Box box;
    std::string address;
  };
  Figure figure;
  std::vector<Link> links;
};

/// Draws wrapped text, with formulas on lines of their own. Emphasis is bold, because the program has no
/// italics. The figure has no background.
ProsePicture prose_picture(const Prose& prose, float width, float size, Color color, const Theme& theme,
                           const MeasureText& measure);

/// The stored picture of a step with a missing model, at most this wide. Empty if there is none.
Figure stored_picture(const LessonStep& step, float width);

}  // namespace headscope
