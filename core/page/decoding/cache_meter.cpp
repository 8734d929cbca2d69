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

/// The layers of the last stack that keep keys and values of their own.
std::vector<int> keeping_layers(const Architecture& a) {
  std::vector<int> layers;
  for (int layer = 0; layer < a.layers_of(a.last_stack()); ++layer)
    if (a.own(layer).keys_of < 0) layers.push_back(layer);
  return layers;
}

/// Whether the sizes of the keys and values that are kept differ between layers.
bool has_uneven_layers(const Architecture& a) {
  const std::vector<int> layers = keeping_layers(a);
  return std::ranges::any_of(layers, [&](int layer) {
    return a.head_width(layer) != a.head_width(layers.front()) ||
           a.kv_heads(layer) != a.kv_heads(layers.front());
  });
}

/// What a model keeps of a text, all layers together.
std::int64_t cached_by_layers(const Architecture& a, std::int64_t tokens) {
  std::int64_t sum = 0;
  for (const int layer : keeping_layers(a)) {
    const bool has_window = a.has_self() && a.has_sliding_window(layer);
    const std::int64_t kept = has_window ? std::min<std::int64_t>(tokens, *a.sliding_window) : tokens;
    sum += kept * a.cached_width(cached_attention(a), layer);
  }
  return sum;
}

/// The sums that linear attention keeps, all layers together.
std::int64_t state_numbers(const Architecture& a) {
  std::int64_t sum = 0;
  for (const int layer : keeping_layers(a))
    sum += std::int64_t{a.kv_heads(layer)} * a.head_width(layer) * (a.value_width(layer) + 1);
  return sum;
}

/// “one row of 16 and a key of 4 for all heads”
std::string latent_text(std::int64_t latent, std::int64_t shared) {
  return "one row of " + grouped(latent) +
         (shared > 0 ? " and a key of " + grouped(shared) + " for all heads" : "");
}

/// “5 of 6 layers”
std::string layers_with_window(const CacheShape& own) {
  return grouped(own.window_layers) + " of " + count_text(own.layers, "layer");
}

/// “; 5 of 6 layers keep only the last 512 tokens”
std::string windows_text(const CacheShape& own) {
  if (own.window_layers == 0) return {};
  return "; " + layers_with_window(own) + (own.window_layers == 1 ? " keeps" : " keep") + " only the last " +
         count_text(own.window, "token");
}

/// “tokens (in 5 of 6 layers of this model, at most 512)”
std::string kept_tokens_text(const CacheShape& own) {
  if (own.window_layers == 0) return "tokens";
  return "tokens (in " + layers_with_window(own) + " of this model, at most " + grouped(own.window) + ")";
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
  const std::vector<int> layers = keeping_layers(a);
  const int width = a.head_width(layers.front());
  return {.layers = static_cast<std::int64_t>(layers.size()),
          .key_width = options.latent > 0 ? options.latent : a.kv_latent.value_or(usual_latent * width),
          .value_width = a.kv_latent       ? a.shared_key_width(cached_attention(a))
                         : a.uses_rotary() ? width / 2
                                           : 0};
}

CacheShape cache_of(const Architecture& a) {
  const std::vector<int> layers = keeping_layers(a);
  const int first = layers.front();
  CacheShape shape;
  shape.layers = static_cast<std::int64_t>(layers.size());
  shape.kv_heads = a.kv_latent ? 1 : a.kv_heads(first);
  shape.key_width = a.kv_latent.value_or(a.head_width(first));
  shape.value_width = a.kv_latent ? a.shared_key_width(cached_attention(a)) : a.value_width(first);
  if (!a.has_self()) return shape;  // Cross-attention has no sliding window.
  shape.window = a.sliding_window.value_or(0);
  shape.window_layers = std::ranges::count_if(layers, [&](int layer) { return a.has_sliding_window(layer); });
  return shape;
}

bool keeps_state(const Architecture& a) {
  return a.linear_attention && a.has_self();
}

std::vector<ComparedCache> compared_caches(const Architecture& a, const DecodingOptions& options,
                                           std::int64_t tokens) {
  std::vector<ComparedCache> caches;
  const auto add_numbers = [&](std::string name, std::string detail, std::int64_t now, std::int64_t far) {
    caches.push_back({std::move(name), std::move(detail), now, far});
  };
  const auto add = [&](std::string name, std::string detail, const Architecture& kept) {
    add_numbers(std::move(name), std::move(detail), cached_by_layers(kept, tokens),
                cached_by_layers(kept, long_context));
  };
  const CacheShape own = cache_of(a);
  Architecture full = a;
  full.kv_latent.reset();
  full.sliding_window.reset();
  const auto with_heads = [&](int n) {
    Architecture other = full;
    other.n_kv_heads = n;
    for (LayerOwn& layer : other.foreign.own) layer.n_kv_heads = 0;
    return other;
  };
  // What the model keeps, or would keep if its attention were linear.
  const std::string sums =
      (has_uneven_layers(a) ? std::string("two sums")
                            : "sums of " + grouped(a.head_width(0)) + " × " + grouped(a.value_width(0)) +
                                  " and " + grouped(a.head_width(0)) + " numbers") +
      " per head, however long the text";
  const auto add_state = [&](const char* name) {
    add_numbers(name, sums, state_numbers(a), state_numbers(a));
  };
  if (keeps_state(a)) {
    add_state("this model");
  } else {
    const std::string kept = a.kv_latent            ? latent_text(own.key_width, own.value_width)
                             : has_uneven_layers(a) ? "keys and values of widths that differ between layers"
                                                    : heads_of_keys(own.kv_heads);
    const int n_layers = a.layers_of(a.last_stack());
    add("this model",
        kept +
            (own.layers == n_layers
                 ? ""
                 : ", kept by " + grouped(own.layers) + " of " + count_text(n_layers, "layer")) +
            windows_text(own),
        a);
  }
  caches.back().is_own = true;
  add("MHA", "multi-head: " + heads_of_keys(a.n_heads), with_heads(a.n_heads));
  const int groups = compared_groups(a, options);
  add("GQA", "grouped-query: " + heads_of_keys(groups), with_heads(groups));
  add("MQA", "multi-query: " + heads_of_keys(1), with_heads(1));
  const CacheShape latent = compared_latent(a, options);
  add_numbers("MLA", "latent: " + latent_text(latent.key_width, latent.value_width),
              cached_numbers(latent, tokens), cached_numbers(latent, long_context));
  Architecture sliding = a;
  sliding.sliding_window = options.window;
  sliding.global_every.reset();
  sliding.foreign.windowed_layers.clear();
  add("window", "the last " + count_text(options.window, "token"), sliding);
  add_state("linear");
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
      : has_uneven_layers(a) ? kept_tokens_text(own) + " × the widths of the keys and values of all layers × "
                             : kept_tokens_text(own) + " × " + layers + key + " + " + value + ") numbers × ";
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
