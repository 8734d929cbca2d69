#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/decoding.h"
#include "core/measures/cache_bytes.h"
#include "core/page/page.h"
#include "core/page/parts/headline.h"
#include "core/session/session.h"

namespace headscope {

/// The long context (128k tokens) at which caches are compared, besides the present one.
inline constexpr std::int64_t long_context = 131072;

/// A kind of attention, and the size of its cache.
struct ComparedCache {
  std::string name;    ///< "GQA"
  std::string detail;  ///< "2 heads of keys and values"
  std::int64_t numbers_now = 0;
  std::int64_t numbers_long = 0;  ///< For long_context tokens.
  bool is_own = false;            ///< This is the model's own attention.
};

/// The cache of self-attention in the model's last stack. Latent attention counts as one head whose key is
/// the latent row and whose value is the key that all heads share.
CacheShape cache_of(const Architecture& architecture);
/// Whether the model keeps a state instead of keys and values.
bool keeps_state(const Architecture& architecture);
/// The number of key-value heads of the compared grouped-query attention: that of `options`, at most the
/// number of heads. By default, the model's own if it has groups, or a quarter of its heads, but at least two
/// if it has two.
int compared_groups(const Architecture& architecture, const DecodingOptions& options);
/// The compared latent attention: that of `options`, or the model's own, or that of DeepSeek-V2 (2024),
/// section 3.1.2: d_c = 4 d_h and, if positions rotate, d_h^R = d_h / 2.
CacheShape compared_latent(const Architecture& architecture, const DecodingOptions& options);

/// The model's cache and those of other kinds of attention in its shape: all heads (MHA), groups (GQA), one
/// head (MQA), latent rows (MLA), a sliding window, and the state of linear attention. `tokens` is the length
/// of the present context.
std::vector<ComparedCache> compared_caches(const Architecture& architecture, const DecodingOptions& options,
                                           std::int64_t tokens);

/// The size of a number in the cache, in bytes.
std::int64_t bytes_per_number(CacheNumbers numbers);
/// "3,072 bytes", "1.5 MiB".
std::string bytes_text(std::int64_t bytes);

/// Draws a bar for each cache, at the present and at the long context.
Page cache_meter(const PageInputs& in, PageTools& tools, std::int64_t tokens, float width);

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
