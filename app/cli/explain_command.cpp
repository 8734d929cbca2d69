#include <cstddef>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "app/cli/cell_options.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"
#include "core/engine/row_parts.h"
#include "core/figure/pages.h"
#include "core/text/number_text.h"
#include "core/trace/explain.h"
#include "core/trace/guess.h"

namespace headscope {
namespace {

/// The parts of a raw score.
Result<ScoreParts> parts_of_score(const Trace& trace, const StageId& id, int row, int column) {
  if (id.kind != StageKind::raw)
    return usage_error("--parts splits a product of a query and a key: add --stage raw");
  ScoreParts split = score_parts(trace, id, row, column);
  if (!split.absent.empty()) return failure("the score cannot be split: " + split.absent);
  return split;
}

/// Writes the contribution of each part of the model to the query and the key of a raw score, largest
/// products first.
void write_parts(const Architecture& a, const ScoreParts& split, std::ostream& out) {
  constexpr int digits = 6;
  constexpr std::size_t most = 20;
  const auto write_sums = [&](const char* title, const std::vector<RowPart>& parts,
                              double (ScoreParts::*sum)(std::size_t) const) {
    out << '\n' << title << '\n';
    for (std::size_t i = 0; i < parts.size(); ++i)
      out << "  " << part_name(a, parts[i]) << " = " << number_text((split.*sum)(i), digits) << '\n';
  };
  write_sums("what wrote the query, each part with the whole key:", split.query, &ScoreParts::sum_of_query);
  write_sums("what wrote the key, each part with the whole query:", split.key, &ScoreParts::sum_of_key);
  out << "\nthe largest products of a part of the query and a part of the key:\n";
  for (const auto& [query, key] : split.greatest(most)) {
    out << "  " << part_name(a, split.query[query]) << " × " << part_name(a, split.key[key]) << " = "
        << number_text(split.term(query, key), digits) << '\n';
  }
  out << "\nΣ of all " << split.terms.size() << " products = " << number_text(split.total, digits)
      << ", which differs from the stored score by " << number_text(split.total - split.score, 2) << '\n';
}

}  // namespace

Result<void> run_explain(const CommandOptions& o, std::ostream& out) {
  const auto session = session_of(o);
  if (!session) return tl::unexpected(session.error());
  const auto id = stage_id_of(o, *session);
  if (!id) return tl::unexpected(id.error());
  const auto row = row_of(o, *session, *id);
  if (!row) return tl::unexpected(row.error());
  const auto column = column_of(o, *session, *id);
  if (!column) return tl::unexpected(column.error());
  const auto trace = compute_trace(*session);
  if (!trace) return tl::unexpected(trace.error());
  const auto explanation = explain(**trace, *id, *row, *column);
  if (!explanation) return tl::unexpected(explanation.error());
  std::optional<ScoreParts> split;
  if (o.splits_score) {
    auto parts = parts_of_score(**trace, *id, *row, *column);
    if (!parts) return tl::unexpected(parts.error());
    split = std::move(*parts);
  }
  const std::string notes = notes_on_row(**trace, explanation->stage, *row);
  if (auto ok = (*trace)->check_files(); !ok) return ok;
  warn_about_masks(o, *session);
  out << to_text(*explanation);
  if (is_random(**trace, id->kind)) out << "\nuntrained: random weights\n";
  if (!notes.empty()) out << "\n" << notes;
  if (split) write_parts((*trace)->architecture(), *split, out);
  return {};
}

}  // namespace headscope
