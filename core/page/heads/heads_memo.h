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

/// One kind of attention in one stack of a pass.
struct AttentionOfPass {
  std::shared_ptr<const Trace> trace;
  Stack stack = Stack::encoder;
  AttentionKind kind = AttentionKind::self;
  bool operator==(const AttentionOfPass&) const = default;
};

/// What the measures of an attention depend on.
struct MeasuredKey {
  AttentionOfPass at;
  DetectorOptions detector;
  bool operator==(const MeasuredKey&) const = default;
};

/// What the common map of several heads depends on.
struct CombinedKey {
  AttentionOfPass at;
  Combine combine = Combine::none;
  int through = 0;  ///< The last layer of a rollout.
  std::vector<HeadPlace> heads;
  bool operator==(const CombinedKey&) const = default;
};

/// What the thumbnails of heads depend on.
struct ThumbnailsKey {
  AttentionOfPass at;
  std::shared_ptr<const Trace> against;  ///< If not null, they show the difference from this pass.
  std::vector<StageId> stages, against_stages;
  PictureOptions picture;
  float side = 0.0F;
  bool operator==(const ThumbnailsKey&) const = default;
};
/// One thumbnail per stage. Empty figures for stages that the pass does not have.
using Thumbnails = std::vector<Figure>;

/// Results kept from earlier drawings of the heads page. Keeps passes alive.
struct HeadsMemo {
  KeptWork<MeasuredKey, MeasuredHeads> measured;
  KeptWork<HeadStudyRequest, std::shared_ptr<const HeadStudy>> study;
  KeptWork<CombinedKey, OwnedMatrix> combined;
  KeptWork<ThumbnailsKey, Thumbnails> thumbnails;
  /// The thumbnails finished last. They stay until new ones are finished.
  std::shared_ptr<const Thumbnails> shown;
  float shown_side = 0.0F;
  StageKind shown_kind = StageKind::weights;
  bool shown_difference = false;
  bool is_waiting = false;  ///< New thumbnails are being drawn.
};

}  // namespace headscope
