#pragma once

#include <vector>

#include "core/measures/heads_options.h"
#include "core/measures/measured_heads.h"
#include "core/model/attention_options.h"
#include "core/model/given_numbers.h"
#include "core/model/interventions.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/slices.h"

namespace headscope {

/// The model whose heads are measured, and on which texts. Equal requests give equal studies.
struct HeadStudyRequest {
  MeasuredOn on = MeasuredOn::random;  ///< Never the sentence.
  Architecture architecture;
  AttentionOptions attention;  ///< Without its hidden cells of the sentence and its dropout.
  ModelRef model;              ///< Null stands for random weights.
  Stack stack = Stack::encoder;
  AttentionKind kind = AttentionKind::self;
  /// Changes of heads that do not depend on the text: scales and uniform weights. Weights from A are ignored.
  std::vector<HeadChange> changes = {};
  GivenNumbers given = {};  ///< Only parameters, because stages belong to one sentence.
  DetectorOptions detector = {};
  bool operator==(const HeadStudyRequest&) const = default;
};

/// The measures of the heads, averaged over every row of several texts.
struct HeadStudy {
  MeasuredHeads heads;
  int n_texts = 0;
};

/// Measures the heads on all study_texts(). Errors are those of study_texts() and of the engine. A slice is
/// one text.
Slices<Result<HeadStudy>> head_study(HeadStudyRequest request);

}  // namespace headscope
