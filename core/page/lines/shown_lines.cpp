#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/page/lines/lines_page.h"
#include "core/text/number_text.h"
#include "core/text/vocabulary.h"

namespace headscope {
namespace {

/// The weight of a key, or 0 if the cell does not hold a finite number.
float weight_at(std::span<const float> row, int key) {
  const float weight = row[static_cast<std::size_t>(key)];
  return std::isfinite(weight) ? weight : 0.0F;
}

bool is_heavier(const AttentionLine& a, const AttentionLine& b) {
  return a.weight > b.weight;
}

/// The lightest of the heaviest weights that together have `share` of their sum.
float min_of_share(std::vector<float> weights, double sum, float share) {
  if (share >= 1.0F) return 0.0F;
  std::ranges::sort(weights, std::greater{});
  constexpr double rounding = 1e-6;  // Allows for the rounding errors of float sums.
  const double wanted = (static_cast<double>(share) - rounding) * sum;
  double reached = 0.0;
  for (const float weight : weights) {
    reached += static_cast<double>(weight);
    if (reached >= wanted) return weight;
  }
  return 0.0F;
}

/// Texts longer than this cannot be shown as lines.
constexpr int max_lined_tokens = 1024;

/// The tokens whose lines are drawn: the token under the mouse, or else the picked tokens, or else the
/// selected query. Empty for all tokens.
PickedTokens line_tokens(const PageInputs& in) {
  const Selection& selection = in.session.selection;
  PickedTokens from = selection.picked;
  if (in.hovered_line) from = {in.hovered_line->is_key, {in.hovered_line->token}};
  const Extent map = in.trace->extent(in.at(StageKind::weights));
  std::erase_if(from.tokens, [&](int token) { return token >= (from.are_keys ? map.cols : map.rows); });
  return from;
}

struct LinesQuestion {
  bool are_pointed = false;  ///< Whether they are the lines of the token under the mouse.
  std::shared_ptr<const Trace> trace;
  StageId stage;  ///< Of head 0 in layer 0 of the attention.
  std::vector<HeadIndex> heads;
  /// The first tokens of the words that are drawn as one; empty: each token is drawn by itself.
  std::vector<int> query_words, key_words;
  LineRules rules;  ///< With the picked ones among the drawn tokens.
  bool operator==(const LinesQuestion&) const = default;

  using Answer = FoundLines;
  bool slot() const { return are_pointed; }
  Slices<FoundLines> answer() const;
};

/// A map with one row and one column for each word: sums over the keys of a word, means over its queries.
Matrix merged(const MatrixView& map, const std::vector<int>& query_words, const std::vector<int>& key_words) {
  const auto end_of = [](const std::vector<int>& words, std::size_t word, int n) {
    return word + 1 < words.size() ? words[word + 1] : n;
  };
  Matrix words = Matrix::Zero(std::ssize(query_words), std::ssize(key_words));
  for (std::size_t q = 0; q < query_words.size(); ++q) {
    const int end = end_of(query_words, q, map.rows);
    for (int row = query_words[q]; row < end; ++row) {
      for (std::size_t k = 0; k < key_words.size(); ++k) {
        float& sum = words(static_cast<Eigen::Index>(q), static_cast<Eigen::Index>(k));
        for (int col = key_words[k]; col < end_of(key_words, k, map.cols); ++col) sum += map(row, col);
      }
    }
    words.row(static_cast<Eigen::Index>(q)) /= static_cast<float>(end - query_words[q]);
  }
  return words;
}

Slices<FoundLines> LinesQuestion::answer() const {
  FoundLines found;
  const PickedTokens& from = rules.from;
  for (int head = 0; head < static_cast<int>(heads.size()); ++head) {
    const StageId id = with_head(stage, heads[static_cast<std::size_t>(head)]);
    const Extent map = trace->extent(id);
    const auto add = [&](int first_query, const MatrixView& rows) {
      add_lines(head, first_query, rows, rules, found);
    };
    if (!query_words.empty()) {
      const StageNumbers numbers = trace->read(id, {0, 0, map.rows, map.cols});
      add(0, view_of(merged(numbers.view, query_words, key_words)));
    } else if (!from.are_keys && !from.tokens.empty()) {
      for (const int query : from.tokens)
        if (query < map.rows) add(query, trace->read_row(id, query).view);
    } else {
      add(0, trace->read(id, {0, 0, map.rows, map.cols}).view);
    }
    co_yield (head + 1.0) / static_cast<double>(heads.size());
  }
  sort_lines(found);
  co_return found;
}

/// Whether the work is faster than passing it to a thread.
bool reads_little(const LinesQuestion& key) {
  const Trace& trace = *key.trace;
  const StageId first = with_head(key.stage, key.heads.front());
  const Extent map = trace.extent(first);
  const PickedTokens& from = key.rules.from;
  const bool reads_rows = !from.are_keys && !from.tokens.empty() && key.query_words.empty();
  const auto rows = reads_rows ? static_cast<std::int64_t>(from.tokens.size()) : std::int64_t{map.rows};
  return trace.is_quick_to_read(first) &&
         is_cheap_to_read(rows * map.cols * static_cast<std::int64_t>(key.heads.size()));
}

std::string why_none(const PageInputs& in) {
  const Extent map = in.trace->extent(in.at(StageKind::weights));
  if (std::max(map.rows, map.cols) > max_lined_tokens)
    return "Not drawn: the text has more than " + std::to_string(max_lined_tokens) +
           " tokens. The pages Explore and Heads show its maps.";
  for (const HeadIndex& head : line_heads(in)) {
    if (!in.trace->has(with_head(in.at(line_stage_kind(in)), head))) return "Computing…";
  }
  return {};
}

/// "“it”", "“it” and “tired”", "4 queries".
std::string said_tokens(const PageInputs& in, const PickedTokens& from) {
  const std::vector<std::string> texts =
      drawn_tokens(in, from.are_keys ? Axis::key_tokens : Axis::query_tokens).texts;
  constexpr std::size_t max_named = 4;
  if (from.tokens.size() > max_named)
    return std::to_string(from.tokens.size()) + (from.are_keys ? " keys" : " queries");
  std::vector<std::string> words;
  for (const int token : from.tokens) {
    const auto at = static_cast<std::size_t>(token);
    if (at < texts.size()) words.push_back(quoted_word(texts[at]));
  }
  return names_text(words);
}

std::string said_numbers(const PageInputs& in, const PickedTokens& from) {
  const bool are_several_heads = line_heads(in).size() > 1;
  const std::string whose = are_several_heads ? "the mean of the heads' shares" : "the shares";
  if (from.tokens.size() == 1)
    return from.are_keys ? "The numbers beside the queries are " + whose + " that they give it."
                         : "The numbers beside the keys are " + whose + " that it gives them.";
  return from.are_keys ? "The numbers beside the queries are " + whose + ", summed over these keys."
                       : "The numbers beside the keys are " + whose + ", summed over these queries.";
}

std::string said_hidden(const HiddenKeys& hidden, const FoundLines& found) {
  std::string which;
  const auto add = [&](bool is_hidden, const char* name) {
    if (is_hidden) which += (which.empty() ? "" : ", ") + std::string(name);
  };
  add(hidden.first, "the first token");
  add(hidden.special, "special tokens");
  add(hidden.punctuation, "punctuation");
  const double share = found.before > 0.0 ? found.hidden / found.before : 0.0;
  return "Hidden keys: " + which + ". They had " + rounded_text(share) +
         " of the attention; the shares of the other keys are scaled so that each row keeps its sum.";
}

/// Keeps a line if it is one of the heaviest.
void keep(const AttentionLine& line, std::size_t most, FoundLines& found) {
  ++found.n_found;
  std::vector<AttentionLine>& kept = found.lines;
  if (kept.size() < most) {
    kept.push_back(line);
    std::ranges::push_heap(kept, is_heavier);
  } else if (!kept.empty() && is_heavier(line, kept.front())) {
    std::ranges::pop_heap(kept, is_heavier);
    kept.back() = line;
    std::ranges::push_heap(kept, is_heavier);
  }
}

/// Adds the lines of one row. The weights of its shown keys are scaled so that the row keeps its sum.
void add_row(int head, int query, std::span<const float> row, const LineRules& rules, FoundLines& found) {
  double total = 0.0;
  double hidden = 0.0;
  std::vector<float> shown;
  for (int key = 0; key < static_cast<int>(row.size()); ++key) {
    const float weight = weight_at(row, key);
    total += static_cast<double>(weight);
    if (rules.hides(key)) {
      hidden += static_cast<double>(weight);
    } else if (rules.share < 1.0F) {
      shown.push_back(weight);
    }
  }
  const double rest = total - hidden;
  constexpr double nothing = 1e-12;
  const bool sees_keys = rest > nothing;
  const float scale = !sees_keys ? 0.0F : hidden > 0.0 ? static_cast<float>(total / rest) : 1.0F;
  const float of_share = sees_keys ? min_of_share(std::move(shown), rest, rules.share) * scale : 0.0F;
  const float least = std::max(rules.threshold, of_share);
  found.hidden += hidden;
  found.before += sees_keys ? total : hidden;
  const PickedTokens& from = rules.from;
  const auto take_key = [&](int key) {
    if (rules.hides(key)) return;
    const float weight = weight_at(row, key) * scale;
    found.total += static_cast<double>(weight);
    if (!from.tokens.empty())
      found.shares.back()[static_cast<std::size_t>(from.are_keys ? query : key)] += weight;
    if (weight > 0.0F && weight >= least) keep({head, query, key, weight}, rules.most, found);
  };
  if (from.are_keys && !from.tokens.empty()) {
    std::ranges::for_each(from.tokens, take_key);
    return;
  }
  for (int key = 0; key < static_cast<int>(row.size()); ++key) take_key(key);
}

}  // namespace

void add_lines(int head, int first_query, const MatrixView& rows, const LineRules& rules, FoundLines& found) {
  const PickedTokens& from = rules.from;
  if (!from.tokens.empty() && found.shares.size() <= static_cast<std::size_t>(head))
    found.shares.emplace_back(static_cast<std::size_t>(from.are_keys ? rows.rows : rows.cols), 0.0F);
  for (int row = 0; row < rows.rows; ++row) {
    const int query = first_query + row;
    const bool is_drawn =
        from.are_keys || from.tokens.empty() || std::ranges::binary_search(from.tokens, query);
    if (is_drawn) add_row(head, query, rows.row(row), rules, found);
  }
}

void sort_lines(FoundLines& found) {
  std::ranges::sort_heap(found.lines, is_heavier);
  std::ranges::reverse(found.lines);
  found.drawn = 0.0;
  for (const AttentionLine& line : found.lines) found.drawn += static_cast<double>(line.weight);
}

StageKind line_stage_kind(const PageInputs& in) {
  const bool is_effective = in.session.selection.stage == StageKind::effective_weights &&
                            in.trace->architecture().output_projection;
  return is_effective ? StageKind::effective_weights : shown_weights(in).kind;
}

std::vector<HeadIndex> line_heads(const PageInputs& in) {
  const Selection& selection = in.session.selection;
  const Architecture& a = in.trace->architecture();
  const int n_layers = a.layers_of(selection.stack);
  std::vector<HeadIndex> heads = selection.heads;
  // The selection may be ahead of the pass.
  std::erase_if(heads,
                [&](const HeadIndex& place) { return place.layer >= n_layers || place.head >= a.n_heads; });
  if (heads.empty())
    heads.push_back({std::min(selection.layer, n_layers - 1), std::min(selection.head, a.n_heads - 1)});
  return heads;
}

int DrawnTokens::place_of(int token) const {
  if (first.empty()) return token;
  return static_cast<int>(std::ranges::upper_bound(first, token) - first.begin()) - 1;
}

DrawnTokens drawn_tokens(const PageInputs& in, Axis axis) {
  const std::vector<Token>& tokens = in.trace->tokens(in.at(StageKind::weights), axis);
  constexpr std::string_view of_word_piece = "##";
  DrawnTokens drawn;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string_view text = tokens[i].text;
    if (in.session.lines.whole_words && i > 0 && tokens[i].continues_word) {
      if (text.starts_with(of_word_piece)) text.remove_prefix(of_word_piece.size());
      drawn.texts.back() += text;
      continue;
    }
    if (in.session.lines.whole_words) drawn.first.push_back(static_cast<int>(i));
    drawn.texts.emplace_back(text);
  }
  for (std::string& text : drawn.texts) text = display_word(text);
  return drawn;
}

std::vector<std::uint8_t> hidden_drawn_keys(const PageInputs& in) {
  const std::vector<Token>& tokens = in.trace->tokens(in.at(StageKind::weights), Axis::key_tokens);
  const std::vector<int> first = drawn_tokens(in, Axis::key_tokens).first;
  if (first.empty()) return hidden_keys(tokens, in.session.lines.hidden);
  std::vector<Token> words;
  words.reserve(first.size());
  for (const int token : first) words.push_back(tokens[static_cast<std::size_t>(token)]);
  return hidden_keys(words, in.session.lines.hidden);
}

std::vector<std::uint8_t> hidden_keys(const std::vector<Token>& keys, const HiddenKeys& hidden) {
  if (!hidden.any()) return {};
  std::vector<std::uint8_t> marks;
  marks.reserve(keys.size());
  for (const Token& key : keys) {
    const bool is_first = hidden.first && marks.empty();
    const bool is_hidden =
        is_first || (hidden.special && is_special_token(key)) || (hidden.punctuation && is_mark(key));
    marks.push_back(is_hidden ? 1U : 0U);
  }
  return marks;
}

ShownLines shown_lines(const PageInputs& in, PageTools& tools) {
  ShownLines shown;
  shown.problem = why_none(in);
  if (!shown.problem.empty()) return shown;
  PageInputs unpointed = in;
  unpointed.hovered_line.reset();
  const Result<FoundLines>* found = nullptr;
  const auto find = [&](bool are_pointed, const PageInputs& with) {
    shown.from = line_tokens(with);
    const DrawnTokens drawn = drawn_tokens(in, shown.from.are_keys ? Axis::key_tokens : Axis::query_tokens);
    for (int& token : shown.from.tokens) token = drawn.place_of(token);
    const auto same = std::ranges::unique(shown.from.tokens);
    shown.from.tokens.erase(same.begin(), same.end());
    const LinesQuestion question{
        are_pointed,
        in.trace,
        with_head(in.at(line_stage_kind(in)), {}),
        line_heads(in),
        drawn_tokens(in, Axis::query_tokens).first,
        drawn_tokens(in, Axis::key_tokens).first,
        {in.session.picture.line_threshold, in.session.lines.share, hidden_drawn_keys(in), shown.from}};
    found = tools.find(question, reads_little(question));
  };
  if (in.hovered_line) find(true, in);
  if (found == nullptr) find(false, unpointed);
  if (found == nullptr) {
    shown.problem = "Computing…";
  } else if (!*found) {
    shown.problem = "They cannot be drawn: " + found->error().message;
  } else {
    shown.found = &**found;
  }
  return shown;
}

std::vector<std::string> line_statements(const PageInputs& in, const ShownLines& shown) {
  const FoundLines& found = *shown.found;
  const LinesOptions& options = in.session.lines;
  const float threshold = in.session.picture.line_threshold;
  const double left_out = found.total > 0.0 ? std::max(1.0 - found.drawn / found.total, 0.0) : 0.0;
  std::string first = shown.from.tokens.empty()
                          ? "From every token"
                          : (shown.from.are_keys ? "To " : "From ") + said_tokens(in, shown.from);
  first += ": " + std::to_string(found.lines.size()) + (found.lines.size() == 1 ? " line" : " lines");
  if (found.n_found > static_cast<std::int64_t>(found.lines.size()))
    first += ", the strongest of " + std::to_string(found.n_found);
  first += ". ";
  std::string rule;
  if (threshold > 0.0F) rule = "Lines below " + number_text(threshold, 3) + " are left out";
  if (options.share < 1.0F) {
    rule += rule.empty() ? "Of" : ", and of";
    rule += " each row only the strongest lines are drawn, up to " + number_text(options.share, 3) + " of it";
  }
  first += rule.empty()
               ? rounded_text(left_out) + " of the attention is not drawn."
               : rule + "; what is not drawn carries " + rounded_text(left_out) + " of the attention.";
  if (!shown.from.tokens.empty()) first += " " + said_numbers(in, shown.from);
  std::vector<std::string> said;
  if (!in.in_file) {
    said.push_back(first);
  } else if (!rule.empty()) {
    said.push_back(rule + ".");
  }
  if (options.whole_words)
    said.emplace_back(
        "Sub-words are drawn as words: weights to a word are summed, weights from it averaged.");
  if (in.against()) said.emplace_back("The lines are those of B: a difference from A has no lines.");
  if (options.hidden.any()) said.push_back(said_hidden(options.hidden, found));
  return said;
}

}  // namespace headscope
