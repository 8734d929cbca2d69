#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// Whether the pass can be computed with a pencil: one layer of one head, with at most four words and four
/// numbers per row.
bool is_small_enough(const Trace& trace);
/// The same for a model and a number of words.
bool is_small_enough(const Architecture& architecture, std::size_t n_words);

/// The font size of numbers in cells of this side length.
float number_size_by_hand(float cell);

/// Shows all matrices of a small head as the equations that compute them, from the rows of the words to the
/// output. For any other pass, says what the page is for.
Page by_hand_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the selected word attends to in the head on the page.
Headline by_hand_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
