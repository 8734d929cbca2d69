#include "core/engine/search.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/engine/engine.h"
#include "core/measures/measure.h"
#include "core/measures/measured_heads.h"
#include "core/system/read_file.h"
#include "core/tasks/pronouns.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

std::string_view without_spaces(std::string_view word) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  return word;
}

/// Whether a token is the given word, either as written in the text or as the model looks it up, ignoring
/// spaces around it. An empty word matches every token.
bool is_word(const Token& token, std::string_view word) {
  return word.empty() || without_spaces(token.text) == without_spaces(word) ||
         without_spaces(token.lookup) == without_spaces(word);
}

/// The best match in one sentence.
std::optional<Finding> best_match(const Trace& trace, const SearchCriteria& criteria) {
  const StageId weights = stage_in(criteria.head, StageKind::weights);
  const std::vector<Token>& queries = trace.tokens(weights, Axis::query_tokens);
  const std::vector<Token>& keys = trace.tokens(weights, Axis::key_tokens);
  std::optional<Finding> best;
  for_each_row(trace, weights, measured_text(trace, weights), [&](const MeasuredRow& row) {
    const Token& query = queries[static_cast<std::size_t>(row.query)];
    if (!is_word(query, criteria.from)) return;
    int greatest = -1;
    for (int key = 0; key < static_cast<int>(row.weights.size()); ++key) {
      if (is_word(keys[static_cast<std::size_t>(key)], criteria.to) &&
          (greatest < 0 || row.at(key) > row.at(greatest)))
        greatest = key;
    }
    if (greatest < 0) return;
    std::optional<double> value = static_cast<double>(row.at(greatest));
    if (criteria.measure) value = row.n_visible > 1 ? measure_row(*criteria.measure, row) : std::nullopt;
    if (!value || (best && *value <= best->value)) return;
    best = Finding{0,     {}, row.query, greatest, query.text, keys[static_cast<std::size_t>(greatest)].text,
                   *value};
  });
  return best;
}

/// Adds a finding and keeps the `max_findings` greatest ones; of ties, the first.
void keep(Finding found, std::size_t max_findings, std::vector<Finding>& kept) {
  const auto place = std::ranges::upper_bound(kept, found.value, std::greater(), &Finding::value);
  kept.insert(place, std::move(found));
  if (kept.size() > max_findings) kept.pop_back();
}

void check_search(const Request& base, const SearchCriteria& criteria) {
  if (base.architecture.has_cross())
    refuse(usage_error(
        "sentences are searched with models of one stack, because this one needs a target for each"));
  if (base.model && base.model->is_capture())
    refuse(usage_error("a capture has the attention of its own text only: open a model to search sentences"));
  if (!criteria.measure && criteria.from.empty() && criteria.to.empty())
    refuse(
        usage_error("nothing is sought: name a measure, the word that looks, or the word that is looked at"));
}

}  // namespace

std::vector<SearchLine> lines_to_search(std::string_view text) {
  std::vector<SearchLine> lines;
  for (int number = 0; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!without_spaces(line).empty()) lines.push_back({number, valid_utf8(line)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Slices<Result<SearchResult>> search(Request base, SearchCriteria criteria, std::vector<SearchLine> lines,
                                    std::size_t max_findings) {
  check_search(base, criteria);
  Engine engine;
  Request request = without_own_texts(base);
  request.last_layer = criteria.head.layer;
  SearchResult result;
  for (const SearchLine& line : lines) {
    request.sentence = line.text;
    const auto trace = engine.compute(request, TooLong::cut);
    if (trace) {
      ++result.n_sentences;
      std::optional<Finding> found = best_match(**trace, criteria);
      ensure((*trace)->check_files());
      if (found) {
        ++result.n_matches;
        found->line = line.number;
        found->sentence = line.text;
        keep(std::move(*found), max_findings, result.found);
      }
    } else {
      if (base.model && base.model->has_changed()) co_return tl::unexpected(trace.error());
      if (result.problem.empty())
        result.problem = "line " + std::to_string(line.number + 1) + ": " + trace.error().message;
    }
    co_yield static_cast<double>(&line - lines.data() + 1) / static_cast<double>(lines.size());
  }
  if (result.n_sentences == 0) co_return failure("no sentence could be computed: " + result.problem);
  co_return result;
}

std::string sentences_of_program() {
  constexpr int n_sentences = 200;
  constexpr std::uint64_t seed = 1;
  std::string text;
  for (const MinimalPair& sentence : minimal_pairs(n_sentences, seed)) text += sentence.text + "\n";
  return text;
}

Slices<Result<SearchResult>> search_file(Request base, SearchCriteria criteria, std::filesystem::path file,
                                         std::size_t max_findings) {
  constexpr std::size_t max_bytes = std::size_t{64} << 20U;
  std::vector<SearchLine> lines = lines_to_search(read_file(file, max_bytes).value());
  if (lines.empty())
    co_return failure("the file has no sentences: write one on each line of '" + file.string() + "'");
  auto searching = search(std::move(base), std::move(criteria), std::move(lines), max_findings);
  while (searching.next()) co_yield searching.share();
  co_return searching.take();
}

}  // namespace headscope
