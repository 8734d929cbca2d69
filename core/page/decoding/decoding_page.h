#pragma once

#include "core/engine/decoding.h"
#include "core/page/decoding/cache_meter.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// The number of tokens that can be decoded one by one. 0 if decoding is impossible.
int n_decodable_tokens(const PageInputs& in, PageMemo& memo);

/// Why decoding is impossible. Empty if it is possible.
DecodingObstacle decoding_obstacle_of(const PageInputs& in, PageMemo& memo);

/// Shows tokens decoded one by one: the selected head's weights, keys and values as they grow, what the
/// newest token computes and what it reads from the cache, and the cache's size in comparison with other
/// kinds of attention.
Page decoding_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// How much work for the newest token the cache saves, or why nothing can be cached.
Headline decoding_headline(const PageInputs& in, PageTools& tools);

/// The numbers of the page: what each of the "tokens" computes, reads and predicts, and the "caches" that are
/// compared at the current token. Fails if decoding is not possible.
PageNumbers decoding_numbers(const PageInputs& in, PageTools& tools);

}  // namespace headscope
