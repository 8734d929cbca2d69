#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measures/cache_bytes.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/session/session.h"

namespace headscope {

/// Besides the present context, caches are compared at this context of 128k tokens.
inline constexpr std::int64_t long_context = 131072;

/// A kind of attention, and the size of its cache.
struct ComparedCache {
  std::string name;    ///< "GQA"
  std::string detail;  ///< "2 heads of keys and values"
  std::int64_t numbers_now = 0;
  std::int64_t numbers_long = 0;  ///< For long_context tokens.
  bool is_own = false;            ///< This is the model's own attention.
};

/// The cache of self-attention in the model's last stack. With latent attention, the latent row takes the
/// place of a key, and the key that all heads share takes the place of a value, both of a single head.
CacheShape cache_of(const Architecture& architecture);
/// Whether the model keeps a state instead of keys and values.
bool keeps_state(const Architecture& architecture);
/// The state that the model keeps, or that it would keep if its attention were linear.
StateCacheShape state_of(const Architecture& architecture);

/// The number of key and value heads in the grouped-query attention that is compared: the number in
/// `options`, but at most the number of heads. By default, the model's own number if it has groups, or a
/// quarter of its heads, but at least two if it has them.
int compared_groups(const Architecture& architecture, const DecodingOptions& options);
/// The latent attention that is compared: as `options` say, otherwise as in the model, otherwise as in
/// DeepSeek-V2 (2024), section 3.1.2: d_c = 4 d_h and, if positions rotate, d_h^R = d_h / 2.
LatentCacheShape compared_latent(const Architecture& architecture, const DecodingOptions& options);

/// The cache of the model and those that other kinds of attention would need in its shape: all heads (MHA),
/// groups (GQA), one head (MQA), latent rows (MLA), a sliding window, and the state of linear attention.
/// `tokens` is the length of the present context.
std::vector<ComparedCache> compared_caches(const Architecture& architecture, const DecodingOptions& options,
                                           std::int64_t tokens);

/// The size of a number in the cache, in bytes.
std::int64_t bytes_per_number(CacheNumbers numbers);
/// "3,072 bytes", "1.5 MiB".
std::string bytes_text(std::int64_t bytes);

/// Draws a bar for each cache, at the present and at the long context.
Page cache_meter(const PageInputs& in, PageTools& tools, std::int64_t tokens, float width);

}  // namespace headscope
