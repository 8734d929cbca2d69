#include "core/session/place_given.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/model/trained_model.h"
#include "core/session/repair.h"
#include "core/trace/given_stage.h"

namespace headscope {
namespace {

int rows_of_table(const Session& session) {
  return axis_size(session, {.kind = StageKind::embedding_table}, Axis::table_rows);
}

bool is_finite(const OwnedMatrix& numbers) {
  return std::ranges::all_of(numbers.values, [](float number) { return std::isfinite(number); });
}

}  // namespace

GivenNumbers placed_given(const Session& session) {
  GivenNumbers placed = session.given;
  if (placed.empty()) return placed;
  const bool has_table = session.model || session.tokenizer == TokenizerKind::seed1;
  GivenNumbers shared;
  for (const GivenMatrix& each : session.given.all) {
    for (const std::string& own : paths_of_given(session.architecture, each.path)) {
      if (own == each.path) continue;
      if (placed.at(own) == nullptr && shared.at(own) == nullptr)
        shared = with_given(std::move(shared), {own, each.numbers});
      placed = without_given(std::move(placed), each.path);
    }
  }
  for (GivenMatrix& each : shared.all) placed = with_given(std::move(placed), std::move(each));
  std::erase_if(placed.all, [&](const GivenMatrix& each) {
    const std::optional<StageId> id = parse_path(each.path);
    return !id || !why_not_given(session.architecture, has_table, *id).empty() || each.numbers == nullptr ||
           each.numbers->values.empty() || !is_finite(*each.numbers);
  });
  return placed;
}

Result<void> check_given(const Session& session) {
  if (session.given.empty()) return {};
  return check_given(session.given,
                     {.architecture = session.architecture,
                      .table_rows = rows_of_table(session),
                      .n_words = axis_size(session, {.kind = StageKind::w_logits}, Axis::vocabulary),
                      .n_source = n_source_tokens(session),
                      .n_target = n_target_tokens(session)});
}

std::vector<std::string> paths_to_give(const Session& session) {
  return paths_to_give(session.architecture, rows_of_table(session) > 0);
}

}  // namespace headscope
