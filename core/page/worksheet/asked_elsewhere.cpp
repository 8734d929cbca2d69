#include "core/page/worksheet/asked_elsewhere.h"

#include <algorithm>

#include "core/page/parts/covered.h"
#include "core/trace/wiring.h"

namespace headscope {
namespace {

/// The stages from which a stage is computed, without the parameters.
std::vector<StageId> numbers_before(const Trace& trace, const StageId& stage) {
  std::vector<StageId> inputs = inputs_of(trace, stage);
  std::erase_if(inputs, [](const StageId& id) { return info(id.kind).is_parameter; });
  for (StageId& id : inputs) id = canonical(trace.architecture(), id);
  return inputs;
}

/// The stages that lead from `from`, excluded, to `to`, included, if `to` contains the same numbers in
/// another form. Empty if it does not.
std::vector<StageId> way_between(const Trace& trace, const StageId& from, const StageId& to) {
  const std::vector<StageId> before = numbers_before(trace, to);
  const bool joins_heads = to.kind == StageKind::concat;
  if (joins_heads && std::ranges::find(before, from) != before.end()) return {to};
  if (before.size() != 1) return {};
  if (before.front() == from) return {to};
  std::vector<StageId> way = way_between(trace, from, before.front());
  if (!way.empty()) way.push_back(to);
  return way;
}

/// Whether each number of such a stage is computed from the number at the same position.
bool is_cell_by_cell(StageKind kind) {
  using enum StageKind;
  return kind == scaled || kind == capped || kind == masked || kind == dropped;
}

/// The same exercise, transferred to a stage that would reveal its numbers.
Cover cover_over(const Trace& trace, const Cover& asked, const StageId& given,
                 const std::vector<StageId>& way) {
  Cover cover = asked;
  cover.stage = given;
  if (std::ranges::all_of(way, is_cell_by_cell, &StageId::kind)) return cover;
  cover = {};
  cover.stage = given;
  const Extent size = trace.extent(*asked.stage);
  const bool joins_heads = given.kind == StageKind::concat;
  for (int row = 0; row < size.rows; ++row) {
    if (!asked.hides_in_row(row, size.cols)) continue;
    if (!joins_heads) cover.rows.push_back(row);
    for (int col = 0; joins_heads && col < size.cols; ++col) {
      if (asked.hides(row, col)) cover.cells.push_back({row, asked.stage->head * size.cols + col});
    }
  }
  return cover;
}

}  // namespace

AskedElsewhere asked_elsewhere(const PageInputs& in, const StageId& shown) {
  if (in.session.cover.solution) return {};
  const StageId given = canonical(in.trace->architecture(), shown);
  for (const Cover& asked : in.other_pages) {
    if (asked.is_over(given)) return {asked, {given}};
  }
  for (const Cover& asked : in.other_pages) {
    if (!asked.stage || !in.trace->has(*asked.stage)) continue;
    std::vector<StageId> way = way_between(*in.trace, *asked.stage, given);
    if (way.empty()) continue;
    Cover cover = cover_over(*in.trace, asked, given, way);
    way.insert(way.begin(), *asked.stage);
    return {std::move(cover), std::move(way)};
  }
  return {};
}

bool is_asked_elsewhere(const PageInputs& in, const Explanation::Source& source) {
  const Cover cover = asked_elsewhere(in, source.stage).cover;
  return cover.stage && has_hidden(cover, source, in.trace->extent(source.stage));
}

}  // namespace headscope
