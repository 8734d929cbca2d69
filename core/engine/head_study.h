#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/measures/heads_options.h"
#include "core/measures/measured_heads.h"
#include "core/model/attention_options.h"
#include "core/model/given_numbers.h"
#include "core/model/interventions.h"
#include "core/model/trained_model.h"
#include "core/result.h"

namespace headscope {

/// Whose heads are measured, and on what. Equal requests give equal studies.
struct HeadStudyRequest {
  MeasuredOn on = MeasuredOn::random;  ///< not the sentence
  Architecture architecture;
  AttentionOptions attention;  ///< what it hides of the sentence's own cells does not count, nor dropout
  ModelValue model;            ///< null: random weights
  Stack stack = Stack::encoder;
  AttentionKind kind = AttentionKind::self;
  /// What is done to heads whatever the text is: their scale, and uniform weights. Not of A.
  std::vector<HeadChange> changes = {};
  GivenNumbers given = {};  ///< parameters: stages are of one sentence
  DetectorOptions detector = {};
  bool operator==(const HeadStudyRequest&) const = default;
};

/// What the heads do on average over every row of several texts.
struct HeadStudy {
  MeasuredHeads heads;
  int n_texts = 0;
};

/// Random words: sequences of different words of the model, drawn alike, and the same once more, as
/// TransformerLens's head detector and Olsson et al. 2022 measure induction: only the repetition can tell
/// what comes next. They are as long as the task's sentences, at most 50 tokens. The task: 200 sentences that
/// it never learned from.
inline constexpr int n_random_texts = 16;
inline constexpr int n_task_texts = 200;

/// Passes over all of them. Errors: a model of no task has no sentences of one; a random model with more than
/// 50 million weights, which would have to be drawn again; what an engine cannot compute. Null where `stop`
/// became true.
Result<std::shared_ptr<const HeadStudy>> head_study(const HeadStudyRequest& request,
                                                    const std::atomic<bool>* stop = nullptr);

}  // namespace headscope
