#pragma once

#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/theme.h"
#include "core/lesson/lesson.h"
#include "core/lesson/prose.h"

namespace headscope {

/// The text of a lesson as a figure, and where its links are. A link of several lines has several boxes.
struct ProsePicture {
  struct Link {
    Box box;
    std::string address;
  };
  Figure figure;
  std::vector<Link> links;
};

/// Draws text, wrapped at a width, in letters of a size; formulas stand on a line of their own. What is
/// emphasised is bold, because the program has no italics. The figure has no ground.
ProsePicture prose_picture(const Prose& prose, float width, float size, Color color, const Theme& theme,
                           const MeasureText& measure);

/// The picture that was kept of a step whose scene lacks something, at most this wide. Empty if there is
/// none.
Figure kept_picture(const LessonStep& step, float width);

}  // namespace headscope
