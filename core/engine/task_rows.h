#pragma once

#include "core/model/trained_model.h"
#include "core/trace/trace.h"

namespace headscope {

/// What the task of a trained model asks of each row of the last stack of a pass. Empty if the model has no
/// task or its words differ from those of its task. `source` and `target` hold the model's ids and no
/// padding.
TaskRows task_rows(const TrainedModel& model, std::span<const Token> source, std::span<const Token> target);

}  // namespace headscope
