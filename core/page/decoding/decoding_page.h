#pragma once

#include "core/page/decoding/cache_meter.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// How many tokens can be decoded one by one; 0 where none can.
int n_decodable(const PageInputs& in, PageMemo& memo);

/// Tokens decoded one by one: the selected head's weights, keys and values as they grow, what the newest
/// token computes and what it reads from the cache, and what the cache takes beside those of other kinds of
/// attention.
Page decoding_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
