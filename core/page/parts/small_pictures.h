#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/figure/figure.h"
#include "core/page/parts/kept_work.h"
#include "core/trace/picture_options.h"
#include "core/trace/trace.h"

namespace headscope {

struct PageTools;

/// A stage's map without any words, in its room.
struct SmallPicture {
  std::shared_ptr<const Trace> trace;
  StageId stage;
  std::shared_ptr<const Trace> against;  ///< where it shows the difference from it
  StageId against_stage;
  PictureOptions picture;
  float width = 0.0F, height = 0.0F;  ///< at most
  bool operator==(const SmallPicture&) const = default;
};

/// As large as its cells, its corner at (0, 0); without anything in it where the pass has no such stage.
Figure drawn(const SmallPicture& asked, const std::atomic<bool>& stop);

/// The pictures that a page shows. Keeps passes alive.
struct SmallPicturesMemo {
  KeptWork<std::vector<SmallPicture>, std::vector<Figure>> work;
  std::shared_ptr<const std::vector<Figure>> shown;  ///< the last that were there,
  std::vector<SmallPicture> shown_for;               ///< of these, without their passes

  /// Lets go of what is not of this pass, or shows the difference from one that is not kept.
  void forget_passes_but(const std::shared_ptr<const Trace>& trace, const IsKept& is_kept);
};

/// One picture for each; what takes long is left to `tools.carry_out`. Until it is done those before them,
/// where they are of the same stages and sizes; null: none.
std::shared_ptr<const std::vector<Figure>> small_pictures(const std::vector<SmallPicture>& asked,
                                                          PageTools& tools);

}  // namespace headscope
