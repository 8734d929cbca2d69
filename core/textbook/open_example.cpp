#include "core/textbook/open_example.h"

#include <algorithm>

#include "core/overloaded.h"
#include "core/session/repair.h"

namespace headscope {
namespace {

/// The case, the stage and the row of the stage to which a row of the numbers belongs.
struct RowPlace {
  std::size_t in_case = 0;
  std::size_t stage = 0;
  std::optional<int> row;  ///< Empty if the numbers are not an unchanged part of a stage.
};

int index_in(const std::vector<int>& picked, int index) {
  return picked.empty() ? index : picked[static_cast<std::size_t>(index)];
}

RowPlace place_of_row(const Quantity& quantity, std::size_t n_stages, const NumberTable& numbers, int row) {
  const std::size_t n_matrices = quantity.cases.size() * n_stages;
  const int rows_each = numbers.rows / std::max(static_cast<int>(n_matrices), 1);
  const bool keeps_rows = quantity.then.empty() || quantity.then == std::vector{Reduction::lower_triangle};
  if (!keeps_rows || rows_each == 0) return {quantity.cases.front(), 0, {}};
  const auto matrix = static_cast<std::size_t>(row / rows_each);
  return {quantity.cases[matrix / n_stages], matrix % n_stages, index_in(quantity.rows, row % rows_each)};
}

void select_stage(Session& session, const StageId& stage) {
  Selection& selection = session.selection;
  selection.stage = stage.kind;
  if (info(stage.kind).scope == StageScope::model) return;
  selection.stack = stage.stack;
  if (info(stage.kind).scope == StageScope::stack) return;
  selection.layer = stage.layer;
  selection.attention = stage.attention;
  selection.head = stage.head;
}

}  // namespace

Session open_case(const WorkedExample& example, std::size_t index, const Session& current) {
  Session session = example.cases[std::min(index, example.cases.size() - 1)].session;
  session.picture = current.picture;
  session.heads = current.heads;
  session.lines = current.lines;
  return repaired(std::move(session), Session{});
}

Session open_at(const WorkedExample& example, const ComputedExample& computed, const QuantityCell& at,
                const Session& current) {
  const Quantity& quantity = example.quantities[at.quantity];
  const auto* stages = std::get_if<origin::Stages>(&quantity.origin);
  const std::size_t n_stages = stages == nullptr ? 1 : stages->stages.size();
  RowPlace place{quantity.cases.front(), 0, {}};
  if (at.cell && at.quantity < computed.quantities.size()) {
    const NumberTable& numbers = computed.quantities[at.quantity].numbers;
    if (at.cell->query < numbers.rows) place = place_of_row(quantity, n_stages, numbers, at.cell->query);
  }
  Session session = open_case(example, place.in_case, current);
  const auto show = [&](const StageId& stage) {
    select_stage(session, stage);
    session.view = PageName::explore;
    if (at.cell && place.row)
      session.selection.pin = Pin{stage, *place.row, index_in(quantity.cols, at.cell->key)};
  };
  std::visit(Overloaded{[&](const origin::Stages& o) { show(o.stages[place.stage]); },
                        [&](const origin::Visible& o) {
                          StageId masked = o.head;
                          masked.kind = StageKind::masked;
                          show(masked);
                        },
                        [&](const origin::Candidates&) { session.view = PageName::words; },
                        [&](const origin::Tile& o) {
                          session.view = PageName::tiles;
                          session.tiles.step = o.step;
                        },
                        [](const auto&) {}},
             quantity.origin);
  return repaired(std::move(session), Session{});
}

}  // namespace headscope
