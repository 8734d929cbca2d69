#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_builder.h"

namespace headscope {

/// The gap between parts that stand side by side.
inline constexpr float between_parts = 24.0F;
/// From this width on, the step and the meter stand side by side below the pictures.
inline constexpr float wide_decoding = 900.0F;

/// The step that the page shows.
struct DecodingStep {
  StageId head;  ///< The weights of the head.
  int newest = 0;
  int n_tokens = 0;
  bool is_cross() const { return head.attention == AttentionKind::cross; }
};

/// Adds the tokens as chips: those decoded so far, with the newest marked, and those to come. Shows as many
/// around the newest as fit on a line.
void add_decoded_tokens(const PageInputs& in, const PageTools& tools, const DecodingStep& step,
                        PageBuilder& page);

/// Draws the head's weights, keys and values as they grow. Frames what the step computes; what is still to
/// come is pale. `size` is the space for the pictures and everything below them.
Page decoding_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step,
                       const PageSize& size);

}  // namespace headscope
