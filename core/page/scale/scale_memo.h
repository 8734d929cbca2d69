#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/measures/head_scale.h"
#include "core/measures/random_products.h"
#include "core/page/parts/kept_work.h"
#include "core/session/session.h"
#include "core/train/score_gradients.h"

namespace headscope {

/// The heads of an attention of a pass. In a long text, only those of one layer.
struct ScaledHeadsKey {
  std::shared_ptr<const Trace> trace;
  Stack stack = Stack::encoder;
  AttentionKind kind = AttentionKind::self;
  std::optional<int> layer;  ///< Empty for all layers.
  bool operator==(const ScaledHeadsKey&) const = default;
};

/// A head, and its measures with and without the division.
struct ScaledHead {
  StageId place;  ///< The stage of its raw scores.
  HeadScale scale;
};

/// The gradients of a model after a number of training steps.
struct ShownGradients {
  int steps = 0;
  ScoreGradientStudy study;
};

/// Results kept from earlier drawings of the scale page. Keeps a pass and a model alive.
struct ScaleMemo {
  KeptWork<ScaledHeadsKey, std::vector<ScaledHead>> heads;
  KeptWork<std::pair<int, int>, std::vector<RandomProducts>>
      random;  ///< By the number of keys and the width.
  KeptWork<ModelValue, ScoreGradientStudy> gradients;
  bool is_computing = false;  ///< Gradients are being computed. Others are started only after these are done.
  std::optional<ShownGradients> shown;  ///< The gradients computed last.
  ModelValue shown_for;                 ///< The model to which `shown` or `problem` belongs.
  std::string problem;                  ///< Why there are no gradients. Empty if there are.
};

}  // namespace headscope
