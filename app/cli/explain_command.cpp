#include <ostream>

#include "app/cli/cell_options.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"
#include "core/figure/pages.h"
#include "core/trace/explain.h"
#include "core/trace/guess.h"

namespace headscope {

Result<void> run_explain(const CommandOptions& o, std::ostream& out) {
  const auto session = session_of(o);
  if (!session) return tl::unexpected(session.error());
  const auto id = stage_id_of(o, *session);
  if (!id) return tl::unexpected(id.error());
  const auto row = row_of(o, *session, *id);
  if (!row) return tl::unexpected(row.error());
  const auto column = column_of(o, *session, *id);
  if (!column) return tl::unexpected(column.error());
  const auto trace = computed_trace(*session);
  if (!trace) return tl::unexpected(trace.error());
  const auto explanation = explain(**trace, *id, *row, *column);
  if (!explanation) return tl::unexpected(explanation.error());
  tell_of_masks(o, *session);
  out << to_text(*explanation);
  if (is_random(**trace, id->kind)) out << "\nuntrained: random weights\n";
  const std::string notes = notes_on_row(**trace, explanation->stage, *row);
  if (!notes.empty()) out << "\n" << notes;
  return {};
}

}  // namespace headscope
