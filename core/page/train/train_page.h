#pragma once

#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"
#include "core/trace/summary.h"

namespace headscope {

/// The targets of a pass's rows.
struct ExpectedWords {
  std::shared_ptr<const Trace> trace;
  bool of_task = false;  ///< The targets of the task instead of the next words of the sentence.
  bool operator==(const ExpectedWords&) const = default;

  using Answer = Targets;
  Targets answer() const;
};

/// Shows what the model is trained for, and the selected head beside the curves of the loss and the accuracy.
/// Below them are the targets of this sentence and the gradient of a weight matrix.
Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The accuracy of a trained model: “98 % of pronouns right in new sentences of its own kind”. Empty if it
/// was not measured or the model has no task.
std::string accuracy_text(const TrainedModel& model);

/// The progress of the training and the accuracy of the model.
Headline train_headline(const PageInputs& in, PageTools& tools);

/// Shows the same for the next words of a decoder's sentence, with any weights. The figure is empty if no
/// next word is known.
Page next_targets_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// Describes a cell of one of the tables.
std::string describe_target(const PageInputs& in, const PageMemo& memo, CellIndex cell);
bool is_target_table(const std::string& table);

std::string describe_gradient(const PageInputs& in, CellIndex cell);

}  // namespace headscope
