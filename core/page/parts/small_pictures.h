#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/theme.h"
#include "core/model/interventions.h"
#include "core/slices.h"
#include "core/trace/cover.h"
#include "core/trace/picture_options.h"
#include "core/trace/trace.h"

namespace headscope {

struct PageTools;

/// The map of a stage without any text, in a limited space.
struct SmallPicture {
  std::shared_ptr<const Trace> trace;
  StageId stage;
  std::shared_ptr<const Trace> against;  ///< If not null, the picture shows the difference from this pass.
  StageId against_stage;
  PictureOptions picture;
  float width = 0.0F, height = 0.0F;  ///< The greatest size.
  Cover cover = {};                   ///< The cells that an exercise hides.
  bool operator==(const SmallPicture&) const = default;
};

/// Draws the picture at the size of its cells, with its corner at (0, 0). Empty if the pass lacks the stage.
Figure drawn(const SmallPicture& asked, const std::atomic<bool>& stop);

/// Draws one row of a stage as coloured cells, with its corner at (0, 0), at most one column per pixel.
Figure row_picture(const Trace& trace, const StageId& stage, int row, const PictureOptions& picture,
                   float width, float height);

/// Fades and strikes through the picture of a head if the pass switches its output off.
void strike_out_if_off(const Trace& trace, const HeadId& head, const Box& picture, const Theme& theme,
                       Figure& figure);

/// Several pictures of one pass; the answer is a figure for each. Until then, those of another pass with the
/// same stages and sizes stand in for them.
struct SmallPictures {
  std::string_view group;  ///< Distinguishes the parts of a page.
  std::vector<SmallPicture> asked;
  bool operator==(const SmallPictures&) const = default;

  using Answer = std::vector<Figure>;
  std::string_view slot() const { return group; }
  std::vector<SmallPicture> stand_in() const;
  Slices<std::vector<Figure>> answer(const std::atomic<bool>& stop) const;
};
/// The answer, or null if there is none yet.
const std::vector<Figure>* small_pictures(std::string_view group, std::vector<SmallPicture> asked,
                                          PageTools& tools);

}  // namespace headscope
