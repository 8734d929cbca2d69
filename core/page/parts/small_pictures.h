#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/figure/figure.h"
#include "core/page/parts/kept_work.h"
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

/// The small pictures of a page. Keeps passes alive.
struct SmallPicturesMemo {
  KeptWork<std::vector<SmallPicture>, std::vector<Figure>> work;
  std::shared_ptr<const std::vector<Figure>> shown;  ///< The pictures that were finished last.
  std::vector<SmallPicture> shown_for;               ///< What `shown` shows, without the passes.
};

/// Returns one figure for each picture. Long work is passed to `tools.carry_out`; until it is done, the
/// previous figures are returned if they show the same stages in the same sizes. Otherwise, the result is
/// null.
std::shared_ptr<const std::vector<Figure>> small_pictures(const std::vector<SmallPicture>& asked,
                                                          PageTools& tools);

}  // namespace headscope
