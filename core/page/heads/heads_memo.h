#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/engine/head_study.h"
#include "core/figure/figure.h"
#include "core/measures/combined.h"
#include "core/page/parts/kept_work.h"
#include "core/session/session.h"

namespace headscope {

/// An attention of a pass.
struct AttentionOfPass {
  std::shared_ptr<const Trace> trace;
  Stack stack = Stack::encoder;
  AttentionKind kind = AttentionKind::self;
  bool operator==(const AttentionOfPass&) const = default;
};

/// What is measured of an attention of a pass.
struct MeasuredKey {
  AttentionOfPass at;
  DetectorOptions detector;
  bool operator==(const MeasuredKey&) const = default;
};

/// A common map of several heads.
struct CombinedKey {
  AttentionOfPass at;
  Combine combine = Combine::none;
  int through = 0;  ///< the last layer of a rollout
  std::vector<HeadPlace> heads;
  bool operator==(const CombinedKey&) const = default;
};

/// Small pictures of a stage of heads.
struct ThumbnailsKey {
  AttentionOfPass at;
  std::shared_ptr<const Trace> against;  ///< where they show the difference from it
  std::vector<StageId> stages, against_stages;
  PictureOptions picture;
  float side = 0.0F;
  bool operator==(const ThumbnailsKey&) const = default;
};
/// A picture for each stage; without anything in it where the pass does not have the stage.
using Thumbnails = std::vector<Figure>;

/// What the page of the heads was made from before. Keeps passes alive.
struct HeadsMemo {
  KeptWork<MeasuredKey, MeasuredHeads> measured;
  KeptWork<HeadStudyRequest, std::shared_ptr<const HeadStudy>> study;
  KeptWork<CombinedKey, OwnedMatrix> combined;
  KeptWork<ThumbnailsKey, Thumbnails> thumbnails;
  std::shared_ptr<const Thumbnails> shown;  ///< the last that were there, which stay until others are
  float shown_side = 0.0F;
  StageKind shown_kind = StageKind::weights;
  bool shown_difference = false;
  bool is_waiting = false;  ///< for other pictures

  /// Lets go of what is not of this pass, or shows the difference from one that is not kept.
  void forget_passes_but(const std::shared_ptr<const Trace>& trace, const IsKept& is_kept);
};

}  // namespace headscope
