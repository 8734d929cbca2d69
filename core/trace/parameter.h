#pragma once

#include "core/model/model.h"
#include "core/trace/stage.h"
#include "core/trace/unembedding.h"

namespace headscope {

/// The numbers of a parameter that the model has. `unembedding`: null without a final linear layer.
MatrixView parameter_view(const Model& model, const Unembedding* unembedding, const StageId& id);

}  // namespace headscope
