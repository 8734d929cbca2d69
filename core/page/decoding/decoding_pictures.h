#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"

namespace headscope {

/// Between parts that stand side by side on the page of decoding.
inline constexpr float between_parts = 24.0F;
/// From this width on, the step and the meter stand side by side below the pictures.
inline constexpr float wide_decoding = 900.0F;

/// A step as the page shows it.
struct DecodingStep {
  StageId head;  ///< its weights
  int newest = 0;
  int n_tokens = 0;
  bool is_cross() const { return head.attention == AttentionKind::cross; }
};

/// The tokens so far as chips, the newest marked, and those that are still to come: as many as fit on a line
/// around the newest.
void decoded_tokens(const PageInputs& in, const PageTools& tools, const DecodingStep& step, PageText& page);

/// The head's weights, keys and values as they have grown: what the step computes is framed, what is still to
/// come is pale. `size`: the room for them and what stands below.
Page decoding_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step,
                       const PageSize& size);

}  // namespace headscope
