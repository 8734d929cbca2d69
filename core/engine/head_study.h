#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/measures/heads_options.h"
#include "core/measures/measured_heads.h"
#include "core/model/attention_options.h"
#include "core/model/given_numbers.h"
#include "core/model/interventions.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// The model whose heads are measured, and the texts on which. Equal requests give equal studies.
struct HeadStudyRequest {
  MeasuredOn on = MeasuredOn::random;  ///< Never the sentence.
  Architecture architecture;
  AttentionOptions attention;  ///< Cells of the sentence that it hides do not count, nor does dropout.
  ModelValue model;            ///< Null stands for random weights.
  Stack stack = Stack::encoder;
  AttentionKind kind = AttentionKind::self;
  /// Changes of heads that do not depend on the text: their scale, and uniform weights. Weights from A are
  /// not used.
  std::vector<HeadChange> changes = {};
  GivenNumbers given = {};  ///< Only parameters, because stages belong to one sentence.
  DetectorOptions detector = {};
  bool operator==(const HeadStudyRequest&) const = default;
};

/// What the heads do on average over every row of several texts.
struct HeadStudy {
  MeasuredHeads heads;
  int n_texts = 0;
};

/// How many texts are used. Random texts are sequences of different words or pieces of the model, drawn
/// uniformly, each repeated once, as TransformerLens's head detector and Olsson et al. 2022 measure
/// induction: only the repetition tells what comes next. They are as long as the task's sentences, at most 50
/// tokens. Task texts are sentences that the model never learned from.
inline constexpr int n_random_texts = 16;
inline constexpr int n_task_texts = 200;

/// Runs passes over all texts. It is an error if the model has no task but task texts are requested, if a
/// random model has more than 50 million weights (they would have to be drawn again), or if the engine cannot
/// compute a pass. Null if `stop` became true.
Result<std::shared_ptr<const HeadStudy>> head_study(const HeadStudyRequest& request,
                                                    const std::atomic<bool>* stop = nullptr);

/// The words with these ids, separated by spaces.
std::string text_of(const Vocabulary& vocabulary, const std::vector<int>& ids);

}  // namespace headscope
