#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/trace/targets.h"

namespace headscope {

/// The words wanted in the sentence, one-hot, beside the probabilities that the model gives them, and the
/// cross-entropy of each position: what its task asks. Says why where there are none.
Page targets_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The same for the words that come next in a decoder's sentence, whatever its weights. Without items where
/// no such word is known.
Page next_targets_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What a cell of one of its tables says.
std::string said_of_target(const PageInputs& in, const Targets& targets, CellIndex cell);
/// The targets that the tables of one of these pages show.
Targets shown_targets(const PageInputs& in);
bool is_target_table(const std::string& table);

}  // namespace headscope
