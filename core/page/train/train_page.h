#pragma once

#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"
#include "core/trace/targets.h"

namespace headscope {

/// What the rows of a pass should predict.
struct WantedWords {
  std::shared_ptr<const Trace> trace;
  bool of_task = false;  ///< What the task asks for, instead of the next words of the sentence.
  bool operator==(const WantedWords&) const = default;

  using Answer = Targets;
  Targets answer() const;
};

/// Shows what the model is trained for, and the selected head beside the curves of the loss and the accuracy.
/// Below them are the targets of this sentence and the gradient of a weight matrix.
Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// How much of its task a trained model gets: “98 % of pronouns right in new sentences of its own kind”.
/// Empty if that was not measured or the model has no task.
std::string accuracy_words(const TrainedModel& model);

/// How far the training is and how much the model gets right.
Headline train_headline(const PageInputs& in, PageTools& tools);

/// Shows the same for the next words of a decoder's sentence, whatever its weights. The figure is empty if no
/// next word is known.
Page next_targets_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// Describes a cell of one of the tables.
std::string said_of_target(const PageInputs& in, const PageMemo& memo, CellIndex cell);
bool is_target_table(const std::string& table);

std::string said_of_gradient(const PageInputs& in, CellIndex cell);

}  // namespace headscope
