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

/// Draws the picture as large as its cells, with its corner at (0, 0). Returns an empty figure if the pass
/// does not have the stage.
Figure drawn(const SmallPicture& asked, const std::atomic<bool>& stop);

/// Draws one row of a stage as cells of its colours, with its corner at (0, 0). As many columns are drawn as
/// there are whole pixels.
Figure row_picture(const Trace& trace, const StageId& stage, int row, const PictureOptions& picture,
                   float width, float height);

/// Makes the picture of a head pale and strikes it through if the pass has its output switched off.
void strike_out_if_off(const Trace& trace, const HeadId& head, const Box& picture, const Theme& theme,
                       Figure& figure);

/// Several pictures, whose answer is a figure for each. The same stages in the same sizes of another pass
/// stand in for them.
struct SmallPictures {
  std::string_view group;  ///< Tells those of one part of a page from others.
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
