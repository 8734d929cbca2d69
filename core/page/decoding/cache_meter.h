#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measures/cache_bytes.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/session/session.h"

namespace headscope {

/// The context that caches are compared at besides the present one: 128k tokens.
inline constexpr std::int64_t long_context = 131072;

/// A kind of attention and what it would keep of so many tokens.
struct ComparedCache {
  std::string name;    ///< "GQA"
  std::string detail;  ///< "2 heads of keys and values"
  std::int64_t numbers_now = 0;
  std::int64_t numbers_long = 0;  ///< at long_context
  bool is_own = false;            ///< the model's
};

/// What the model's last stack keeps in self-attention: with a latent, its row stands for a key and the key
/// that all heads share for a value of a single head.
CacheShape cache_of(const Architecture& architecture);
/// Whether that is a state, in place of keys and values.
bool keeps_state(const Architecture& architecture);
/// What it keeps, or would keep if it were linear, as a state.
StateCacheShape state_of(const Architecture& architecture);

/// Heads of keys and values of the grouped-query attention that is compared with: as the options say, but no
/// more than there are heads; else the model's own, or a quarter of its heads, but two where
/// it has them.
int compared_groups(const Architecture& architecture, const DecodingOptions& options);
/// Of latent attention: as the options say, else as the model has it, or as in DeepSeek-V2 (2024), section
/// 3.1.2: d_c = 4 d_h, and where positions rotate d_h^R = d_h / 2.
LatentCacheShape compared_latent(const Architecture& architecture, const DecodingOptions& options);

/// The model's cache and those of other kinds of attention of its shape: all heads (MHA), groups (GQA), one
/// head (MQA), latent rows (MLA), a sliding window, the state of linear attention. `tokens`: the present
/// context.
std::vector<ComparedCache> compared_caches(const Architecture& architecture, const DecodingOptions& options,
                                           std::int64_t tokens);

/// Bytes of a number in the cache.
std::int64_t bytes_per_number(CacheNumbers numbers);
/// "3,072 bytes", "1.5 MiB".
std::string bytes_text(std::int64_t bytes);

/// The meter: a bar for each, now and at the long context.
Page cache_meter(const PageInputs& in, PageTools& tools, std::int64_t tokens, float width);

}  // namespace headscope
