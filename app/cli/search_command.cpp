#include <filesystem>
#include <iostream>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/set_option.h"
#include "app/cli/stage_options.h"
#include "core/engine/search.h"
#include "core/measures/measure.h"
#include "core/model/interventions.h"
#include "core/page/page_numbers.h"
#include "core/system/atomic_file.h"
#include "core/system/process.h"
#include "core/system/signals.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr int findings_limit = 10'000;

std::optional<HeadMeasure> measure_of(const CommandOptions& o) {
  if (!o.has("--measure")) return std::nullopt;
  std::vector<std::string_view> names;
  names.reserve(std::size(measure_table));
  for (const MeasureRecord& record : measure_table) names.push_back(record.name);
  return static_cast<HeadMeasure>(parse_choice_index("--measure", *o.text("--measure"), names).value());
}

/// Searches, and shows the progress on a terminal. Empty if Ctrl+C stopped it.
std::optional<SearchResult> searched(Slices<Result<SearchResult>> searching, const SignalWatch& signals) {
  const bool is_shown = stderr_is_terminal();
  int shown = -1;
  bool is_stopped = false;
  while (!is_stopped && searching.next()) {
    const int percent = static_cast<int>(100.0 * searching.share());
    if (is_shown && percent != shown)
      std::cerr << "\r" << percent << " % of the sentences are done\x1b[K" << std::flush;
    shown = percent;
    is_stopped = signals.shutdown_requested();
  }
  if (is_shown) std::cerr << "\r\x1b[K" << std::flush;
  return is_stopped ? std::nullopt : std::optional(searching.take().value());
}

void print(const SearchResult& result, const SearchCriteria& criteria, std::ostream& out) {
  constexpr int digits = 4;
  for (const Finding& each : result.found) {
    out << number_text(each.value, digits) << "  line " << each.line + 1 << ": “" << each.query_token
        << "” (query " << each.query << ") → “" << each.key_token << "” (key " << each.key << ")\n    "
        << each.sentence << '\n';
  }
  out << count_text(result.n_matches, "sentence") << " of " << result.n_sentences
      << (result.n_matches == 1 ? " has " : " have ")
      << (criteria.measure ? "a row for “" + std::string(record_of(*criteria.measure).title) + "”"
                           : "these words")
      << ".\n";
}

std::string table_of(const SearchResult& result) {
  DataTable table{"found", {"value", "line", "query", "query_token", "key", "key_token", "sentence"}, {}};
  for (const Finding& each : result.found) {
    table.rows.push_back({each.value, std::int64_t{each.line + 1}, std::int64_t{each.query}, each.query_token,
                          std::int64_t{each.key}, each.key_token, each.sentence});
  }
  return csv_of_numbers({table});
}

}  // namespace

void run_search(const CommandOptions& o, std::ostream& out) {
  if (!o.named) refuse(usage_error("search needs a FILE of sentences, one on each line"));
  if (o.has("--out") && std::filesystem::path(*o.text("--out")).extension() != ".csv")
    refuse(invalid_value("--out", *o.text("--out"), "what is found is written as F.csv"));
  const auto measure = measure_of(o);
  const auto most = o.text("--most");
  const std::size_t max_findings =
      most ? static_cast<std::size_t>(parse_whole_number("--most", *most, 1, findings_limit).value())
           : default_max_findings;
  if (sets_selection(o.texts("--set")))
    refuse(usage_error("--set selects nothing here: use --layer and --head"));
  const SignalWatch signals;  // Also while the model is read.
  const Session session = session_of(o);
  const SearchCriteria criteria{head_of(stage_id_of(o, session)), measure, o.text("--from").value_or(""),
                                o.text("--to").value_or("")};
  const auto found = searched(search_file(request_of(session), criteria, *o.named, max_findings), signals);
  if (!found) refuse(failure("interrupted: nothing was written"));
  const SearchResult& result = *found;
  if (!result.problem.empty()) std::cerr << "headscope: left out, for example: " << result.problem << '\n';
  if (o.has("--out")) return ensure(write_atomically(*o.text("--out"), table_of(result)));
  print(result, criteria, out);
}

}  // namespace headscope
