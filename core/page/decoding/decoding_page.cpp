#include "core/page/decoding/decoding_page.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/figure/text_fit.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/page_builder.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

constexpr float between_parts = 24.0F;
/// From this width on, the step and the meter stand side by side below the pictures.
constexpr float wide_decoding = 900.0F;

struct DecodingStep {
  StageId head;  ///< The weights of the head.
  int newest = 0;
  int n_tokens = 0;
  bool is_cross() const { return head.attention == AttentionKind::cross; }
};

/// The maximum number of multiplications while a picture is drawn.
constexpr double max_products = 2e7;

/// S [K, V] or z [1, K], summed over the tokens up to the newest.
OwnedMatrix state_after(const Trace& trace, const DecodingStep& step, bool is_sums) {
  const int n = step.newest + 1, layer = step.head.layer;
  const Architecture& a = trace.architecture();
  const StageNumbers keys =
      trace.read(with_kind(step.head, StageKind::mapped_key), {0, 0, n, a.head_width(layer)});
  const StageNumbers values =
      trace.read(with_kind(step.head, StageKind::value), {0, 0, n, a.value_width(layer)});
  OwnedMatrix state =
      is_sums ? OwnedMatrix(a.head_width(layer), a.value_width(layer)) : OwnedMatrix(1, a.head_width(layer));
  for (int token = 0; token < n; ++token) {
    for (int k = 0; k < a.head_width(layer); ++k) {
      const float key = keys.view(token, k);
      if (!is_sums) state.at(0, k) += key;
      for (int v = 0; is_sums && v < a.value_width(layer); ++v) state.at(k, v) += key * values.view(token, v);
    }
  }
  return state;
}

Page part_of_state(const PageInputs& in, PageTools& tools, const DecodingStep& step, bool is_sums,
                   const PageSize& size) {
  const Architecture& a = in.trace->architecture();
  const int layer = step.head.layer;
  const std::string shape =
      is_sums ? "[" + grouped(a.head_width(layer)) + " × " + grouped(a.value_width(layer)) + "]"
              : "[1 × " + grouped(a.head_width(layer)) + "]";
  PageBuilder page(in, tools, size.width);
  const std::string title = is_sums ? "S = Σ φ(k) vᵀ" : "z = Σ φ(k)";
  const std::string said =
      shape + (is_sums ? " of " + count_text(step.newest + 1, "token") + ": keys × values"
                       : ": outputs are divided by φ(q) · z");
  page.line({page.bold(title), page.muted(said)}, 8.0F);
  const TableSpec spec =
      table_of_pass(in, path(step.head) + (is_sums ? " S " : " z ") + std::to_string(step.newest), 34.0F);
  const auto make = [&](OwnedMatrix& numbers) {
    numbers = state_after(*in.trace, step, is_sums);
    const auto name = [](int index) { return std::to_string(index); };
    return small_table(in.session.picture, numbers,
                       numbers.rows > 1 ? AxisTexts(numbers.rows, name) : AxisTexts(), {numbers.cols, name},
                       is_sums, numbers);
  };
  page.add(table_page(tools, is_sums ? "decoding state" : "decoding state sum", spec, make, size.width,
                      std::max(size.height - page.y(), 60.0F)));
  return page.take();
}

/// Draws S and z, the state of the head's linear attention after the step's token has been added.
Page state_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step, const PageSize& size) {
  const Architecture& a = in.trace->architecture();
  const int layer = step.head.layer;
  PageBuilder page(in, tools, size.width);
  const double products = static_cast<double>(a.head_width(layer)) * a.value_width(layer) * (step.newest + 1);
  if (products > max_products) {
    page.paragraph("The state is not drawn: this head is too wide for a text of this length.");
    return page.take();
  }
  const bool has_keys = can_read(in, tools, with_kind(step.head, StageKind::mapped_key));
  const bool has_values = can_read(in, tools, with_kind(step.head, StageKind::value));
  if (!has_keys || !has_values) {
    page.paragraph(unreadable_text(tools));
    return page.take();
  }
  constexpr float for_sum = 110.0F;
  page.add(part_of_state(in, tools, step, true, {size.width, size.height - for_sum - page_size::spacing}));
  page.add(part_of_state(in, tools, step, false, {size.width, for_sum}));
  return page.take();
}

/// The rows and columns of a map that exist at a step.
struct Grown {
  int rows = 0;
  int cols = 0;
  int framed_first = 0, framed_rows = 0;  ///< The rows that this step computes.
  int let_go = 0;                         ///< The number of first rows that the cache no longer keeps.
};

/// Veils the cells that are still to come or are no longer kept, and frames those that are being computed.
void mark_grown(Page& map, const std::string& slot, const Grown& grown, const Theme& theme) {
  const CellGrid* cells = cells_in(map, slot);
  if (cells == nullptr) return;
  const CellGrid grid = *cells;
  const float right = grid.cells.x + static_cast<float>(grown.cols) * grid.cell_width;
  const float bottom = grid.cells.y + static_cast<float>(grown.rows) * grid.cell_height;
  Color veil = theme.panel;
  veil.a = 225;
  add_box(map.figure, {right, grid.cells.y, grid.cells.right() - right, grid.cells.h}, veil);
  add_box(map.figure, {grid.cells.x, bottom, right - grid.cells.x, grid.cells.bottom() - bottom}, veil);
  const float gone = static_cast<float>(grown.let_go) * grid.cell_height;
  if (grown.let_go > 0) add_box(map.figure, {grid.cells.x, grid.cells.y, right - grid.cells.x, gone}, veil);
  const float top = grid.cells.y + static_cast<float>(grown.framed_first) * grid.cell_height;
  const float height = static_cast<float>(grown.framed_rows) * grid.cell_height;
  if (grown.framed_rows == 0) return;
  add_frame(map.figure, {grid.cells.x, top, right - grid.cells.x, height}, theme.accent, 2.0F);
}

Page picture(const PageInputs& in, PageTools& tools, const StageId& stage, const std::string& slot,
             const PageSize& room, const std::string& title, const std::string& said, const Grown& grown) {
  PageBuilder page(in, tools, room.width);
  page.line({page.bold(title), page.muted(said)}, 8.0F);
  const MapLook look{.color_bar_label = false, .present = true, .font_size = 11.0F};
  constexpr float min_height = 80.0F;
  Page map = map_page(in, tools, slot, stage, room.width, std::max(room.height - page.y(), min_height), look);
  mark_grown(map, slot, grown, page.theme());
  page.add(map);
  return page.take();
}

/// A stage, with its title, that the cache keeps for a head or for all heads.
struct CachedStage {
  StageId stage;
  std::string title;
  bool is_cached = true;  ///< False if it is computed again in each step.
};

/// The keys as they are multiplied.
CachedStage used_keys(const Trace& trace, const StageId& head) {
  const auto keys = [&](StageKind kind) { return canonical(trace.architecture(), with_kind(head, kind)); };
  for (const auto& [kind, title] :
       {std::pair(StageKind::mapped_key, "Keys, mapped"), std::pair(StageKind::rotated_key, "Keys, rotated"),
        std::pair(StageKind::normed_key, "Keys, normalised")}) {
    if (trace.has(keys(kind))) return {keys(kind), title};
  }
  return {keys(StageKind::key), "Keys"};
}

/// “2 dropped, 5 read, 1 computed”.
std::string read_and_computed(int let_go, int read, int computed) {
  if (let_go > 0)
    return grouped(let_go) + " dropped, " + grouped(read) + " read, " + grouped(computed) + " computed";
  if (computed == 0) return "all " + grouped(read) + " read from the cache";
  if (read == 0) return computed == 1 ? "1 computed" : "all " + grouped(computed) + " computed";
  return grouped(read) + " read from the cache, " + grouped(computed) + " computed";
}

/// The two stages that are shown. If only a latent is cached, the second is the keys computed from it.
std::pair<CachedStage, CachedStage> cached_stages(const Trace& trace, const StageId& head) {
  CachedStage keys = used_keys(trace, head);
  const StageId latent = with_kind(head, StageKind::normed_latent);
  if (trace.has(latent)) {
    const CachedStage first{latent, "Latent, of all heads"};
    const StageId shared = with_kind(head, StageKind::shared_key);
    if (trace.has(shared)) return {first, {shared, "Key that all heads share"}};
    keys.is_cached = false;
    return {first, keys};
  }
  const StageId values = canonical(trace.architecture(), with_kind(head, StageKind::value));
  return {keys, {values, "Values"}};
}

/// Draws the head's weights, keys and values as they grow. Frames what the step computes; what is still to
/// come is pale. `size` is the space for the pictures and everything below them.
Page decoding_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step,
                       const PageSize& size) {
  const Trace& trace = *in.trace;
  // The marked row is the one that is computed now, whichever word is selected.
  PageInputs at_step = in;
  at_step.session.selection.token = step.newest;
  const bool beside = size.width >= 640.0F;
  const float half = beside ? std::floor((size.width - between_parts) / 2.0F) : size.width;
  const float for_the_rest = size.width >= wide_decoding ? 240.0F : 330.0F;
  const int n_keys = step.is_cross() ? trace.extent(step.head).cols : step.newest + 1;
  constexpr float line = 15.0F;
  constexpr float around = 82.0F;  // The title, the numbers of dimensions and the name of the axis.
  const float with_names = 2.0F * (static_cast<float>(n_keys) * line + around);
  const float height = std::clamp(std::max(size.height - for_the_rest, with_names), 300.0F, 620.0F);
  const bool has_state = !step.is_cross() && trace.architecture().linear_attention;
  // The framed row is the last one, so the map is no higher than what is seen without scrolling.
  constexpr float min_map = 200.0F;
  const float map_height = in.in_file ? height : std::min(height, std::max(size.height, min_map));
  Page both = picture(
      at_step, tools, step.head, "decoding weights", {half, map_height}, "Weights",
      has_state ? "implied by the outputs; no step has them" : "each row is a token; framed: computed now",
      {step.newest + 1, n_keys, step.newest, 1});
  if (has_state) {
    append_beside(both, state_pictures(at_step, tools, step, {half, height}), beside, half + between_parts,
                  page_size::spacing);
    return both;
  }
  const int n_fresh = !step.is_cross() ? 1 : step.newest == 0 ? n_keys : 0;
  // The tokens that the head's sliding window has passed, whose keys and values it drops.
  const std::optional<int> window = kept_window(trace);
  const bool slides = !step.is_cross() && window && trace.architecture().has_sliding_window(step.head.layer);
  const int let_go = slides ? std::max(step.newest + 1 - *window, 0) : 0;
  const float each = (height - page_size::spacing) / 2.0F;
  const auto shown = [&](const char* slot, const CachedStage& part) {
    const int computed = part.is_cached ? n_fresh : n_keys - let_go;
    const Grown grown{n_keys, trace.extent(part.stage).cols, n_keys - computed, computed, let_go};
    const std::string said = part.is_cached ? read_and_computed(let_go, n_keys - let_go - n_fresh, n_fresh)
                                            : "all computed again from the latent";
    return picture(at_step, tools, part.stage, slot, {half, each}, part.title, said, grown);
  };
  const auto [first, second] = cached_stages(trace, step.head);
  Page cache = shown("decoding keys", first);
  const Page below = shown("decoding values", second);
  append(cache, below, 0.0F, std::max(cache.figure.height, beside ? each : 0.0F) + page_size::spacing);
  append_beside(both, cache, beside, half + between_parts, page_size::spacing);
  return both;
}

constexpr float between_grids = 40.0F;
constexpr float beside_word = 10.0F;  ///< Between a row's word and its cells.

/// The tokens of the last stack, without padding.
int n_rows_of(const PageInputs& in) {
  const Trace& trace = *in.trace;
  const Architecture& a = trace.architecture();
  const auto n = static_cast<int>(trace.tokens(a.last_stack()).size());
  return a.has_cross() ? n : std::max(n - trace.batch().n_padded, 0);
}

/// The last words of the text, without padding, and the word that is still to come.
std::vector<std::string> words_of(const PageInputs& in) {
  constexpr int most = 16;
  const auto& tokens = in.trace->tokens(in.trace->architecture().last_stack());
  const int n = n_rows_of(in);
  std::vector<std::string> words;
  // The next word follows the last one, so the first ones are left out.
  const int first = n > most ? n - most + 1 : 0;
  if (first > 0) words.emplace_back("…");
  for (int i = first; i < n; ++i) words.push_back(display_word(tokens[static_cast<std::size_t>(i)].text));
  words.emplace_back("next word");
  return words;
}

/// Draws what one more word costs with and without the causal mask: which words see each other, and which
/// rows must be computed again. Higher than `size` if necessary.
Page kept_rows_sketch(const PageInputs& in, const PageSize& size, const PageTools& tools) {
  constexpr float min_width = 560.0F;
  constexpr float for_texts = 84.0F;
  constexpr float min_cell = 18.0F;
  constexpr float max_cell_side = 44.0F;
  constexpr float gap = 2.0F;
  constexpr float rounding = 3.0F;
  const bool beside = size.width >= min_width;
  const float width = beside ? std::floor((size.width - between_grids) / 2.0F) : size.width;
  const float height = (beside ? size.height : size.height / 2.0F) - for_texts;
  const std::vector<std::string> words = words_of(in);
  const float widest = widest_text(words, Font::sans, page_size::control, tools.measure);
  const float word_width = std::min(std::ceil(widest), 0.4F * width);
  const auto n = static_cast<float>(words.size());
  const float fits = std::min((width - word_width - beside_word) / n, height / n);
  const float side = std::floor(std::clamp(fits, min_cell, max_cell_side));
  // A row of cells for each word, in the accent colour if it is computed. Hidden cells are left out.
  const auto grid = [&](bool is_causal) {
    PageBuilder page(in, tools, width);
    page.line({page.bold(is_causal ? "With the causal mask" : "As it is now")});
    page.say(is_causal ? "Only the new row is computed. The rows above it stay as they are."
                       : "Every row sees the next word, so every row is computed again.");
    page.space(page_size::spacing);
    const Theme& theme = page.theme();
    for (std::size_t row = 0; row < words.size(); ++row) {
      const float y = page.y() + static_cast<float>(row) * side;
      const bool is_computed = !is_causal || row + 1 == words.size();
      add_text(page.figure(),
               elided_text(words[row], word_width, Font::sans, page_size::control, page.measure()),
               {word_width, y + 0.5F * (side - gap)}, is_computed ? theme.accent : theme.quiet,
               page_size::control, Font::sans, HorizontalAnchor::right);
      for (std::size_t column = 0; column < (is_causal ? row + 1 : words.size()); ++column) {
        const Box box{word_width + beside_word + static_cast<float>(column) * side, y, side - gap,
                      side - gap};
        add_box(page.figure(), box, is_computed ? theme.accent_soft : theme.control, rounding);
      }
    }
    page.space(n * side);
    return page.take();
  };
  Page both = grid(false);
  append_beside(both, grid(true), beside, width + between_grids, between_grids);
  return both;
}

/// Up to this number of multiplications, decoding is done at once instead of on another thread.
constexpr double few_products = 4e6;

/// The selected head or, if that belongs to an encoder, which decodes nothing, that of the decoder.
StageId head_that_decodes(const PageInputs& in) {
  const Architecture& a = in.trace->architecture();
  StageId head = in.at(StageKind::weights);
  if (head.stack != a.last_stack()) {
    head.stack = a.last_stack();
    head.attention = a.has_self() ? AttentionKind::self : AttentionKind::cross;
  }
  return head;
}

const Result<std::vector<DecodedToken>>* decoded(const PageInputs& in, PageTools& tools, int n) {
  const double products = static_cast<double>(decoding_work(*in.trace, n).computed) * n;
  return tools.find(Asked<decoded_text, Lifetime::view>{{in.trace}}, products <= few_products);
}

/// \param token Null while it is being decoded.
Page step_part(const PageInputs& in, PageTools& tools, const DecodingStep& step, const DecodedToken* token,
               float width) {
  PageBuilder page(in, tools, width);
  const DecodingWork work = decoding_work(*in.trace, step.newest);
  page.section("This step, in all layers");
  const bool has_state = keeps_state(in.trace->architecture());
  page.row(has_state ? "multiplications with the state" : "multiplications with the cache",
           grouped(work.computed), true);
  constexpr int digits = 3;
  const std::string times =
      number_text(static_cast<double>(work.again) / static_cast<double>(work.computed), digits);
  page.row("without it", grouped(work.again) + ", " + times + " times as many");
  page.row(has_state ? "numbers read from the state" : "numbers read from the cache", grouped(work.read));
  if (token == nullptr) {
    page.row("the numbers of this step", "being decoded…");
    return page.take();
  }
  const auto row_of_cache = [&](const char* label, std::int64_t numbers) {
    const std::int64_t bytes = numbers * bytes_per_number(in.session.decoding.numbers);
    if (numbers > 0) page.row(label, grouped(numbers) + " numbers = " + bytes_text(bytes));
  };
  const bool has_windows = cache_of(in.trace->architecture()).window_layers > 0;
  const bool keeps_all = has_windows && !kept_window(*in.trace);
  row_of_cache(has_state   ? "the state now"
               : keeps_all ? "the cache now, nothing dropped"
                           : "the cache now",
               token->cached_numbers);
  row_of_cache("and for the source", token->source_numbers);
  page.row("largest difference from the pass over all tokens", number_text(token->difference, 2));
  return page.take();
}

/// Adds the title “8 tokens read, newest: “a””, what the model predicts, and what the cache holds by then.
void title_of_step(const PageInputs& in, const DecodingStep& step, const DecodedToken* token,
                   PageBuilder& page) {
  const std::string text =
      quoted_word(in.trace->tokens(step.head.stack)[static_cast<std::size_t>(step.newest)].text);
  std::string cached;  // “kept so far: keys and values, 1,408 bytes”
  if (token != nullptr) {
    const Architecture& a = in.trace->architecture();
    std::string kept = keeps_state(a) ? "a state" : a.kv_latent ? "latent rows" : "keys and values";
    if (token->source_numbers > 0 && kept != "keys and values") kept += ", keys and values of the source";
    const std::int64_t numbers = token->cached_numbers + token->source_numbers;
    cached =
        "kept so far: " + kept + ", " + bytes_text(numbers * bytes_per_number(in.session.decoding.numbers));
  }
  std::string predicts;
  // A masked model does not predict the next word.
  if (token != nullptr && token->word && !predicts_masked_words(*in.trace))
    predicts = "predicts " +
               quoted_word(in.trace->label(probabilities_stage, Axis::vocabulary, *token->word)) + ", " +
               in.number(token->probability);
  const bool is_wide = page.width() >= wide_decoding;
  page.line({{count_text(step.newest + 1, "token") + " read, newest: " + text, Font::sans_bold,
              page_size::body, page.theme().accent},
             {predicts, Font::sans, page_size::body, page.theme().text},
             page.muted(is_wide ? cached : "", page_size::body)},
            12.0F);
  if (!is_wide) page.explain(cached);
}

/// The words that may follow the newest token. Empty if the model predicts none.
Page next_words(const PageInputs& in, PageTools& tools, int newest, float width) {
  PageBuilder page(in, tools, width);
  if (!in.trace->has(probabilities_stage) || predicts_masked_words(*in.trace)) return page.take();
  constexpr std::size_t most = 10;
  page.section(prediction_heading(*in.trace, newest));
  if (in.session.sampling.greedy) {
    add_ranked_words(page, in, newest, most, UnknownWords::left_out);
    page.paragraph("Greedy: the likeliest word is written.");
  } else {
    add_sampled_words(page, in, newest, most);
  }
  return page.take();
}

/// The pictures of the step, with the words that may follow beside or below them.
void add_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step, float room,
                  PageBuilder& page) {
  constexpr float for_words = 264.0F;
  const bool beside = page.width() >= wide_decoding;
  const Page words = next_words(in, tools, step.newest, beside ? for_words : page.width());
  const bool has_words = !words.figure.items.empty();
  const float for_pictures = has_words && beside ? page.width() - for_words - between_parts : page.width();
  Page both = decoding_pictures(in, tools, step, {for_pictures, room});
  if (has_words) append_beside(both, words, beside, for_pictures + between_parts, 0.0F);
  page.add(both);
}

}  // namespace

int n_decodable_tokens(const PageInputs& in, PageMemo& memo) {
  return decoding_obstacle_of(in, memo).empty() ? n_rows_of(in) : 0;
}

DecodingObstacle decoding_obstacle_of(const PageInputs& in, PageMemo& memo) {
  const auto& reason = memo.results.now(Asked<decoding_obstacle>{{in.trace}});
  return reason ? *reason : DecodingObstacle{reason.error().message};
}

Headline decoding_headline(const PageInputs& in, PageTools& tools) {
  const DecodingObstacle reason = decoding_obstacle_of(in, tools.memo);
  if (reason.looks_ahead)
    return {"", {"One token at a time. This model cannot, because earlier words look at later ones."}};
  if (!reason.empty()) return {};
  const int newest = std::clamp(in.session.decoding.step, 1, n_rows_of(in)) - 1;
  const DecodingWork work = decoding_work(*in.trace, newest);
  Headline headline{"",
                    {keeps_state(in.trace->architecture())
                         ? "One token at a time, and all that it keeps of earlier ones are two sums."
                         : "One token at a time, and it keeps the keys and values of earlier ones."}};
  if (work.again <= work.computed) return headline;
  constexpr double percent = 100.0;
  constexpr double most = 99.0;
  const double saved =
      percent * static_cast<double>(work.again - work.computed) / static_cast<double>(work.again);
  headline.answer.push_back("With " + count_text(newest + 1, "token") + " read, that saves " +
                            (saved > most ? "more than 99" : number_text(saved, 2)) +
                            " % of the multiplications.");
  return headline;
}

Page decoding_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const Trace& trace = *in.trace;
  const Architecture& a = trace.architecture();
  DecodingStep step{head_that_decodes(in), 0, n_rows_of(in)};
  page.line({page.muted(place_text(trace, step.head)), guess_word(trace, step.head, page.theme())}, 12.0F);
  page.explain(
      keeps_state(a)
          ? "A model that writes adds one token at a time. Without softmax, an output is φ(q) S / (φ(q) · z), and all that it needs from earlier tokens is two sums: S = Σ φ(k) vᵀ and z = Σ φ(k). Each step adds its own key and value to them, like a recurrent network to its state, which never grows."
          : "A model that writes reads the text, guesses the next token, adds it, and begins again. Earlier tokens never look at later ones, so their keys and values stay as they are: they are kept, and each step computes one row and reads the rest (KV cache).");
  if (const DecodingObstacle reason = decoding_obstacle_of(in, tools.memo); !reason.empty()) {
    page.notice(reason.text);
    const bool has_mask = a.sliding_window || mask_of(trace.options(), a.stacks, step.head.stack,
                                                      AttentionKind::self) != MaskSpec{};
    if (reason.looks_ahead && !has_mask) {
      page.space(between_parts);
      page.add(kept_rows_sketch(in, {size.width, size.height - page.y()}, tools));
    }
    return page.take();
  }
  if (a.kv_latent)
    page.explain(
        "This model keeps less: for each token, the latent row" +
        std::string(a.shared_key_width(step.head.attention) > 0 ? " and the key that all heads share" : "") +
        ", from which each step computes the keys and values of all tokens again. Even that can be avoided: with W_K multiplied into W_Q, and W_V into W_O, the latent itself is read.");
  if (in.at(StageKind::weights).stack != step.head.stack)
    page.paragraph("The encoder reads its whole sentence at once; here the decoder's head is shown.");
  const auto* run = decoded(in, tools, step.n_tokens);
  if (run != nullptr && !*run) return page.instead(run->error().message);
  step.newest = std::clamp(in.session.decoding.step, 1, step.n_tokens) - 1;
  const DecodedToken* token = run == nullptr ? nullptr : &(*run)->at(static_cast<std::size_t>(step.newest));
  const auto n_tokens = static_cast<std::size_t>(step.n_tokens);
  add_token_chips(page, std::span(trace.tokens(step.head.stack)).first(n_tokens), step.newest, true);
  page.space(4.0F);
  title_of_step(in, step, token, page);
  add_pictures(in, tools, step, size.height - page.y(), page);
  const std::int64_t context = a.has_self() ? step.newest + 1 : trace.n_tokens();
  const bool beside = size.width >= wide_decoding;
  const float left = beside ? std::floor(0.38F * size.width) : size.width;
  const float right = beside ? size.width - left - 2.0F * between_parts : size.width;
  Page below = step_part(in, tools, step, token, left);
  append_beside(below, cache_meter(in, tools, context, right), beside, left + 2.0F * between_parts,
                page_size::spacing);
  page.add(below);
  return page.take();
}

PageNumbers decoding_numbers(const PageInputs& in, PageTools& tools) {
  if (const DecodingObstacle reason = decoding_obstacle_of(in, tools.memo); !reason.empty())
    return failure(reason.text);
  const Trace& trace = *in.trace;
  const StageId head = head_that_decodes(in);
  const int n = n_rows_of(in);
  const auto* run = decoded(in, tools, n);
  if (run == nullptr) return failure("the tokens are still being decoded");
  if (!*run) return tl::unexpected(run->error());
  DataTable tokens{"tokens",
                   {"position", "token", "predicts", "probability", "multiplications", "without_cache",
                    "numbers_read", "numbers_kept", "numbers_of_source", "difference"}};
  for (int i = 0; i < n; ++i) {
    const DecodedToken& token = (*run)->at(static_cast<std::size_t>(i));
    const DecodingWork work = decoding_work(trace, i);
    const bool predicts = token.word && !predicts_masked_words(trace);
    tokens.rows.push_back(
        {i, trace.tokens(head.stack)[static_cast<std::size_t>(i)].text,
         predicts ? TableCell(trace.full_label(probabilities_stage, Axis::vocabulary, *token.word))
                  : TableCell(),
         predicts ? TableCell(token.probability) : TableCell(), work.computed, work.again, work.read,
         token.cached_numbers, token.source_numbers, token.difference});
  }
  const Architecture& a = trace.architecture();
  const int newest = std::clamp(in.session.decoding.step, 1, n) - 1;
  const std::int64_t context = a.has_self() ? newest + 1 : trace.n_tokens();
  const std::int64_t bytes = bytes_per_number(in.session.decoding.numbers);
  DataTable caches{"caches", {"kind", "detail", "context", "numbers", "bytes", "is_own"}};
  for (const ComparedCache& cache : compared_caches(a, in.session.decoding, context)) {
    for (const auto& [length, numbers] :
         {std::pair(context, cache.numbers_now), std::pair(long_context, cache.numbers_long)}) {
      caches.rows.push_back({cache.name, cache.detail, length, numbers, numbers * bytes, cache.is_own});
    }
  }
  return std::vector<DataTable>{std::move(tokens), std::move(caches)};
}

}  // namespace headscope
