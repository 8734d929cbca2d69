#pragma once

#include <string>
#include <vector>

#include "core/measures/heads_options.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// A text on which a model is studied. `target` is for models with two stacks.
struct StudyText {
  std::string sentence, target;
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

/// The words with these ids, separated by spaces.
std::string text_of(const Vocabulary& vocabulary, const std::vector<int>& ids);

}  // namespace headscope
