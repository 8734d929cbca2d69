#include <algorithm>
#include <array>

#include "core/figure/bars.h"
#include "core/page/decoding/decoding_page.h"
#include "core/page/parts/page_builder.h"
#include "core/split_text.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

std::string heads_of_keys(std::int64_t n) {
  return n == 1 ? "1 head of keys and values" : grouped(n) + " heads of keys and values";
}

/// The attention whose cache the meter shows.
AttentionKind cached_attention(const Architecture& a) {
  return a.has_self() ? AttentionKind::self : AttentionKind::cross;
}

/// “one row of 16 and a key of 4 for all heads”
std::string latent_text(std::int64_t latent, std::int64_t shared) {
  return "one row of " + grouped(latent) +
         (shared > 0 ? " and a key of " + grouped(shared) + " for all heads" : "");
}

/// “, in 5 of 6 layers of the last 512 tokens”.
std::string windows_text(const CacheShape& own) {
  if (own.window_layers == 0) return {};
  return ", in " + grouped(own.window_layers) + " of " + count_text(own.layers, "layer") + " of the last " +
         count_text(own.window, "token");
}

Page side_of(const PageInputs& in, PageTools& tools, const std::vector<ComparedCache>& caches,
             const std::string& title, std::int64_t ComparedCache::*numbers, float width) {
  PageBuilder page(in, tools, width);
  const Theme& theme = page.theme();
  page.line({page.bold(title, page_size::control)});
  BarListSpec spec;
  spec.font_size = page_size::control;
  spec.label_share = 0.0F;
  std::int64_t most = 0;
  for (const ComparedCache& cache : caches) {
    most = std::max(most, cache.*numbers);
    spec.bars.push_back({cache.name, static_cast<double>(cache.*numbers),
                         bytes_text(cache.*numbers * bytes_per_number(in.session.decoding.numbers)),
                         cache.is_own ? theme.data : mixed(theme.panel, theme.data, 0.45F)});
  }
  spec.maximum = static_cast<double>(most);
  page.add(draw_bars(spec, width, theme, tools.measure));
  return page.take();
}

}  // namespace

int compared_groups(const Architecture& a, const DecodingOptions& options) {
  constexpr int usual_group = 4;
  constexpr int min_groups = 2;
  if (options.kv_heads > 0) return largest_kv_heads(a.n_heads, options.kv_heads);
  if (a.shares_keys(no_layer)) return a.kv_heads(no_layer);
  return nearest_kv_heads(a.n_heads, 1, std::max(a.n_heads / usual_group, min_groups));
}

CacheShape compared_latent(const Architecture& a, const DecodingOptions& options) {
  constexpr int usual_latent = 4;
  CacheShape shape;
  shape.layers = a.layers_of(a.last_stack());
  shape.key_width =
      options.latent > 0 ? options.latent : a.kv_latent.value_or(usual_latent * a.head_width(no_layer));
  shape.value_width = a.kv_latent       ? a.shared_key_width(cached_attention(a))
                      : a.uses_rotary() ? a.head_width(no_layer) / 2
                                        : 0;
  return shape;
}

CacheShape cache_of(const Architecture& a) {
  CacheShape shape;
  shape.layers = a.layers_of(a.last_stack());
  shape.kv_heads = a.kv_latent ? 1 : a.kv_heads(no_layer);
  shape.key_width = a.kv_latent.value_or(a.head_width(no_layer));
  shape.value_width = a.kv_latent ? a.shared_key_width(cached_attention(a)) : a.value_width(no_layer);
  if (!a.has_self()) return shape;  // Cross-attention has no sliding window.
  shape.window = a.sliding_window.value_or(0);
  for (int layer = 0; layer < shape.layers; ++layer)
    shape.window_layers += a.has_sliding_window(layer) ? 1 : 0;
  return shape;
}

/// What a model keeps whose layers may differ.
std::int64_t cached_by_layers(const Architecture& a, std::int64_t tokens) {
  std::int64_t sum = 0;
  for (int layer = 0; layer < a.layers_of(a.last_stack()); ++layer) {
    const bool has_window = a.has_self() && a.has_sliding_window(layer);
    const std::int64_t kept = has_window ? std::min<std::int64_t>(tokens, *a.sliding_window) : tokens;
    sum += kept * a.cached_width(cached_attention(a), layer);
  }
  return sum;
}

bool keeps_state(const Architecture& a) {
  return a.linear_attention && a.has_self();
}

std::vector<ComparedCache> compared_caches(const Architecture& a, const DecodingOptions& options,
                                           std::int64_t tokens) {
  std::vector<ComparedCache> caches;
  const auto add = [&](std::string name, std::string detail, const CacheShape& shape) {
    caches.push_back({std::move(name), std::move(detail), cached_numbers(shape, tokens),
                      cached_numbers(shape, long_context)});
  };
  const CacheShape own = cache_of(a);
  Architecture apart = a;
  apart.kv_latent.reset();
  CacheShape full = cache_of(apart);
  full.window_layers = 0;
  const auto with_heads = [&](int n) {
    CacheShape shape = full;
    shape.kv_heads = n;
    return shape;
  };
  // What the model keeps, or would keep if its attention were linear.
  const CacheShape state{.layers = a.layers_of(a.last_stack()),
                         .kv_heads = a.kv_heads(no_layer),
                         .key_width = a.head_width(no_layer),
                         .value_width = a.value_width(no_layer),
                         .is_state = true};
  const std::string sums = "sums of " + grouped(state.key_width) + " × " + grouped(state.value_width) +
                           " and " + grouped(state.key_width) + " numbers per head, however long the text";
  if (keeps_state(a)) {
    add("this model", sums, state);
  } else {
    add("this model",
        (a.kv_latent ? latent_text(own.key_width, own.value_width) : heads_of_keys(own.kv_heads)) +
            windows_text(own),
        own);
    if (!a.foreign.own.empty())
      caches.back() = {"this model",
                       "keys and values of widths that differ between layers" + windows_text(own),
                       cached_by_layers(a, tokens), cached_by_layers(a, long_context)};
  }
  caches.back().is_own = true;
  add("MHA", "multi-head: " + heads_of_keys(a.n_heads), with_heads(a.n_heads));
  const int groups = compared_groups(a, options);
  add("GQA", "grouped-query: " + heads_of_keys(groups), with_heads(groups));
  add("MQA", "multi-query: " + heads_of_keys(1), with_heads(1));
  const CacheShape latent = compared_latent(a, options);
  add("MLA", "latent: " + latent_text(latent.key_width, latent.value_width), latent);
  CacheShape sliding = own;
  sliding.window_layers = own.layers;
  sliding.window = options.window;
  add("window", "the last " + count_text(options.window, "token"), sliding);
  add("linear", sums, state);
  return caches;
}

std::int64_t bytes_per_number(CacheNumbers numbers) {
  return numbers == CacheNumbers::float32 ? 4 : 2;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB"};
  constexpr std::int64_t max_in_full = 1'000'000;
  if (bytes < max_in_full) return grouped(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr double step = 1024.0;
  double number = static_cast<double>(bytes) / step;
  std::size_t unit = 0;
  for (; number >= step && unit + 1 < units.size(); ++unit) number /= step;
  constexpr int digits = 3;
  return number_text(number, digits) + " " + units.at(unit);
}

Page cache_meter(const PageInputs& in, PageTools& tools, std::int64_t tokens, float width) {
  PageBuilder page(in, tools, width);
  const Architecture& a = in.trace->architecture();
  const DecodingOptions& options = in.session.decoding;
  const std::vector<ComparedCache> caches = compared_caches(a, options, tokens);
  const CacheShape own = cache_of(a);
  page.section("The size of the cache, by kind of attention");
  const std::string bytes = std::to_string(bytes_per_number(options.numbers));
  const std::string key = grouped(own.key_width);
  const std::string value = grouped(own.value_width);
  const std::string layers =
      count_text(own.layers, "layer") + (a.kv_latent ? "" : " × heads of keys and values") + " × (";
  const std::string numbers =
      keeps_state(a) ? layers + key + " × " + value + " + " + key + ") numbers, however many tokens, × "
      : !a.foreign.own.empty() ? "tokens × the widths of the keys and values of all layers × "
                               : "tokens × " + layers + key + " + " + value + ") numbers × ";
  page.paragraph(numbers + bytes +
                 (options.numbers == CacheNumbers::float32
                      ? " bytes, the size that this program uses (float32)."
                      : " bytes, the size that most models use (16 bits)."));
  constexpr float between = 28.0F;
  constexpr float min_side_width = 560.0F;
  const bool beside = width >= min_side_width;
  const float each = beside ? (width - between) / 2.0F : width;
  Page both = side_of(in, tools, caches, "at this context: " + count_text(tokens, "token"),
                      &ComparedCache::numbers_now, each);
  const Page far = side_of(in, tools, caches, "at 128k: " + count_text(long_context, "token"),
                           &ComparedCache::numbers_long, each);
  append_beside(both, far, beside, each + between, page_size::spacing);
  page.add(both);
  const auto legend = [](const ComparedCache& cache) { return cache.name + ": " + cache.detail; };
  page.paragraph(join_texts(caches, " · ", legend) + ".");
  return page.take();
}

}  // namespace headscope
