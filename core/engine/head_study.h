#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/measures/measure.h"
#include "core/measures/measured_heads.h"
#include "core/model/attention_options.h"
#include "core/model/interventions.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/slices.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// A text on which a model is studied. `target` is for models with two stacks.
struct StudyText {
  std::string sentence, target;
  /// The cells in which a head shows what the task taught it. Empty for other texts than the task's.
  std::vector<Cell> cells = {};
};

struct StudyTexts {
  std::vector<StudyText> all;
  TokenizerKind tokenizer = TokenizerKind::word;
};

/// The numbers of texts. Random texts are sequences of distinct words or pieces of the model, drawn uniformly
/// and repeated once, as TransformerLens's head detector and Olsson et al. 2022 measure induction: only the
/// repetition predicts what comes next. They are as long as the task's sentences, at most 50 tokens. Task
/// texts are held-out sentences.
inline constexpr int n_random_texts = 16;
inline constexpr int n_task_texts = 200;

/// The texts on which a model is studied, equal in every run: random ones, or those of its task. A null model
/// stands for random weights. Errors: task texts for a model without a task, or a random model of more than
/// 50 million weights, which would have to be drawn again.
Result<StudyTexts> study_texts(MeasuredOn on, const Architecture& architecture, const ModelRef& model);

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

/// Measures the heads on all study_texts(), averaged over every row of them. Errors are those of
/// study_texts() and of the engine. A slice is one text.
Slices<Result<MeasuredHeads>> head_study(HeadStudyRequest request);

/// The head of a trained model that best shows what was learned: in the last stack's self-attention, or in
/// its cross-attention if there are two stacks.
struct RepresentativeHead {
  int layer = 0;
  int head = 0;
  /// For pronouns: the share of 240 minimal pairs in which the pronoun gives at least 0.8 of its weight to
  /// the right noun, and so at most 0.2 to the other. For copying and reversing: the mean weight, over 240
  /// sequences, on the word to be written next.
  double share = 0.0;
  std::string text;  ///< A description with the share: "what the pronoun stands for in 98.8 % of 240 …"
};

/// Evaluates every head on a fixed set of held-out sentences. It is an error if the model has no task or
/// lacks the stacks that its task needs.
Result<RepresentativeHead> representative_head(const std::shared_ptr<const TrainedModel>& model);

}  // namespace headscope
