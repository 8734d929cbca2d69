#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/measures/head_scale.h"
#include "core/measures/random_products.h"
#include "core/page/parts/kept_work.h"
#include "core/session/session.h"
#include "core/train/score_gradients.h"

namespace headscope {

/// The heads of an attention of a pass; of a long text those of one layer.
struct ScaledHeadsKey {
  std::shared_ptr<const Trace> trace;
  Stack stack = Stack::encoder;
  AttentionKind kind = AttentionKind::self;
  std::optional<int> layer;  ///< nothing: all
  bool operator==(const ScaledHeadsKey&) const = default;
};

/// A head, and what it does with and without the division.
struct ScaledHead {
  StageId place;  ///< its raw scores
  HeadScale scale;
};

/// The gradients of a model, by its steps.
struct ShownGradients {
  int steps = 0;
  ScoreGradientStudy study;
};

/// What the page of the scale was made from before. Keeps a pass and a model alive.
struct ScaleMemo {
  KeptWork<ScaledHeadsKey, std::vector<ScaledHead>> heads;
  KeptWork<int, std::vector<RandomProducts>> random;  ///< by the number of keys
  KeptWork<ModelValue, ScoreGradientStudy> gradients;
  bool is_computing = false;            ///< gradients, which are waited for before others are begun
  std::optional<ShownGradients> shown;  ///< the last that were there
  ModelValue shown_for;                 ///< whose they are, or would be
  std::string problem;                  ///< why they are not there; empty where they are
};

}  // namespace headscope
