#include <filesystem>
#include <iostream>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/set_option.h"
#include "app/cli/stage_options.h"
#include "app/cli/terminal.h"
#include "core/engine/search.h"
#include "core/io/atomic_file.h"
#include "core/measures/measure_table.h"
#include "core/model/interventions.h"
#include "core/page/page_numbers.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr int most_findings = 10'000;

Result<std::optional<HeadMeasure>> measure_of(const CommandOptions& o) {
  if (!o.sought_measure) return std::nullopt;
  std::vector<std::string_view> names;
  names.reserve(std::size(measure_table));
  for (const MeasureRecord& record : measure_table) names.push_back(record.name);
  return choice_index("--measure", *o.sought_measure, names).map([](std::size_t i) {
    return std::optional(static_cast<HeadMeasure>(i));
  });
}

/// Shows the progress of the search, but only on a terminal.
class SearchProgress {
 public:
  SearchProgress() : is_shown_(error_is_terminal()) {}
  ~SearchProgress() {
    if (is_shown_) std::cerr << "\r\x1b[K" << std::flush;
  }
  SearchProgress(const SearchProgress&) = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;

  void show(std::size_t n_done, std::size_t n_all) const {
    constexpr std::size_t often = 16;
    if (is_shown_ && n_done % often == 0)
      std::cerr << "\r" << n_done << " of " << n_all << " sentences\x1b[K" << std::flush;
  }

 private:
  bool is_shown_;
};

void print(const SearchResult& result, const Sought& sought, std::ostream& out) {
  constexpr int digits = 4;
  for (const Finding& each : result.found) {
    out << number_text(each.value, digits) << "  line " << each.line + 1 << ": “" << each.query_token
        << "” (query " << each.query << ") → “" << each.key_token << "” (key " << each.key << ")\n    "
        << each.sentence << '\n';
  }
  out << counted(result.n_with, "sentence") << " of " << result.n_sentences
      << (result.n_with == 1 ? " has " : " have ")
      << (sought.measure ? "a row for “" + std::string(record_of(*sought.measure).title) + "”"
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

Result<void> run_search(const CommandOptions& o, std::ostream& out) {
  if (!o.named) return usage_error("search needs a FILE of sentences, one on each line");
  if (o.out && std::filesystem::path(*o.out).extension() != ".csv")
    return wrong_value("--out", *o.out, "what is found is written as F.csv");
  const auto measure = measure_of(o);
  if (!measure) return tl::unexpected(measure.error());
  SearchJob job;
  if (o.most) {
    const auto most = whole_number("--most", *o.most, 1, most_findings);
    if (!most) return tl::unexpected(most.error());
    job.most = static_cast<std::size_t>(*most);
  }
  if (sets_selection(o.texts("--set")))
    return usage_error("--set selects nothing here: use --layer and --head");
  const auto session = session_of(o);
  if (!session) return tl::unexpected(session.error());
  const auto id = stage_id_of(o, *session);
  if (!id) return tl::unexpected(id.error());
  const Sought sought{head_of(*id), *measure, o.sought_from.value_or(""), o.sought_to.value_or("")};
  const InterruptWatch interrupted;
  const SearchProgress progress;
  job.stop = &interrupted.flag();
  job.on_line = [&progress](std::size_t n_done, std::size_t n_all) { progress.show(n_done, n_all); };
  const auto result = search_file(request_of(*session), sought, *o.named, job);
  if (!result) return tl::unexpected(result.error());
  if (interrupted.flag()) return failure("interrupted: nothing was written");
  if (!result->problem.empty()) std::cerr << "headscope: left out, for example: " << result->problem << '\n';
  if (o.out) return write_atomically(*o.out, table_of(*result));
  print(*result, sought, out);
  return {};
}

}  // namespace headscope
