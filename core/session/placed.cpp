#include "core/session/placed.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/graph.h"
#include "core/model/interventions.h"
#include "core/model/stage.h"
#include "core/model/trained_model.h"
#include "core/session/repair.h"
#include "core/trace/given_stage.h"

namespace headscope {
namespace {

int rows_of_table(const Session& session) {
  return axis_size(session, {.kind = StageKind::embedding_table}, Axis::table_rows);
}

/// Names what an intervention refers to that does not exist. Empty if everything exists.
class Places {
 public:
  explicit Places(const Session& session)
      : a_(session.architecture), graph_(a_, session.attention), n_(token_counts(texts_of(session))) {}

  std::string missing(const HeadChange& change) const { return missing_head(change.place); }

  std::string missing(const GivenWeight& given) const {
    if (std::string head = missing_head(given.place); !head.empty()) return head;
    const bool is_cross = given.place.attention == AttentionKind::cross;
    const int n_keys = is_cross ? n_.source : n_.of(a_, given.place.stack);
    if (given.cell.query < 0 || given.cell.query >= n_.of(a_, given.place.stack))
      return "row " + beyond(given.cell.query, "a token");
    if (given.cell.key < 0 || given.cell.key >= n_keys) return "column " + beyond(given.cell.key, "a token");
    return {};
  }

  std::string missing(const Patch& patch) const {
    const StageId& stage = patch.stage;
    if (std::string why = graph_.why_absent(stage); !why.empty()) return why;
    const AxisSizes sizes{.architecture = a_, .n_source = n_.source, .n_target = n_.target};
    if (patch.row == every_row) return {};
    const bool is_there = patch.row >= 0 && patch.row < axis_length(sizes, stage, info(stage.kind).rows);
    return is_there ? "" : "row " + beyond(patch.row, "a token");
  }

 private:
  static std::string beyond(int index, const std::string& what) {
    return std::to_string(index) + " is not " + what + " of the sentence";
  }
  static std::string no_stack(Stack stack) {
    return std::string("the model has no ") + (stack == Stack::encoder ? "encoder" : "decoder");
  }
  std::string missing_head(const HeadId& place) const {
    if (!a_.has(place.stack)) return no_stack(place.stack);
    if (!a_.has(place.stack, place.attention))
      return place.attention == AttentionKind::cross ? "the model has no cross-attention"
                                                     : "the model has no self-attention";
    if (place.layer < 0 || place.layer >= a_.layers_of(place.stack))
      return "layer " + std::to_string(place.layer) + ": the last one is " +
             std::to_string(a_.layers_of(place.stack) - 1);
    if (place.head < 0 || place.head >= a_.n_heads)
      return "head " + std::to_string(place.head) + ": the last one is " + std::to_string(a_.n_heads - 1);
    return {};
  }

  const Architecture& a_;
  Graph graph_;
  TokenCounts n_;
};

void keep_cells(std::vector<StageCell>& cells, int rows, int cols) {
  std::erase_if(cells, [rows, cols](const StageCell& cell) {
    return !inside(cell.row, rows) || !inside(cell.col, cols);
  });
  sort_unique(cells);
}

}  // namespace

GivenNumbers valid_given(const Session& session) {
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
  const Graph graph(session.architecture, session.attention, has_table);
  std::erase_if(placed.all, [&](const GivenMatrix& each) {
    const std::optional<StageId> id = parse_path(each.path);
    return !id || !why_not_given(graph, *id).empty() || each.numbers == nullptr ||
           each.numbers->values.empty() ||
           !std::ranges::all_of(each.numbers->values, [](float number) { return std::isfinite(number); });
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

std::vector<std::string> assignable_paths(const Session& session) {
  return assignable_paths(session.architecture, rows_of_table(session) > 0);
}

Interventions valid_interventions(const Session& session) {
  Interventions placed = session.interventions;
  if (!placed.uses_means()) placed.mean_over.clear();
  if (placed.empty()) return placed;
  for (HeadChange& change : placed.heads)
    change.scale = std::isfinite(change.scale) ? std::clamp(change.scale, 0.0F, max_head_scale) : 1.0F;
  for (GivenWeight& given : placed.weights)
    given.weight = std::isfinite(given.weight) ? std::clamp(given.weight, 0.0F, 1.0F) : 0.0F;
  for (Patch& patch : placed.patches) {
    patch.stage = canonical(session.architecture, patch.stage);
    patch.factor =
        std::isfinite(patch.factor) ? std::clamp(patch.factor, -max_row_factor, max_row_factor) : 1.0F;
  }
  const Places places(session);
  const auto is_missing = [&](const auto& each) { return !places.missing(each).empty(); };
  std::erase_if(placed.heads, is_missing);
  std::erase_if(placed.weights, is_missing);
  std::erase_if(placed.patches, is_missing);
  return in_order(std::move(placed));
}

Result<void> check_interventions(const Session& session) {
  const Interventions& all = session.interventions;
  if (!all.mean_over.empty() && !all.uses_means())
    return usage_error("--mean-over: no row is replaced by a mean: add --patch PATH:ROW=mean");
  if (all.empty()) return {};
  const Places places(session);
  const auto refused = [](const char* option, const std::string& why) {
    return usage_error(std::string(option) + ": " + why);
  };
  for (const HeadChange& change : all.heads) {
    const std::string why = places.missing(change);
    if (!why.empty()) return refused(change.scale != 1.0F ? "--scale-head" : "--pattern", why);
  }
  for (const GivenWeight& given : all.weights) {
    if (const std::string why = places.missing(given); !why.empty()) return refused("--set-weight", why);
  }
  for (const Patch& patch : all.patches) {
    const std::string why = places.missing(patch);
    if (!why.empty()) return refused("--patch", path(patch.stage) + ": " + why);
  }
  return {};
}

Interventions without_compared(Interventions interventions) {
  for (HeadChange& change : interventions.heads) {
    if (change.pattern == Pattern::compared) change.pattern = Pattern::own;
  }
  std::erase_if(interventions.patches,
                [](const Patch& patch) { return patch.source == PatchSource::compared; });
  return in_order(std::move(interventions));
}

Cover valid_cover(const Session& session) {
  Cover cover = session.cover;
  const int n_heads = std::max(session.architecture.n_heads, 1);
  if (!cover.stage || !is_in_model(session.architecture, *cover.stage) ||
      !inside(cover.stage->head, n_heads)) {
    return {};
  }
  cover.stage = canonical(session.architecture, normalized(*cover.stage));
  const StageInfo& stage = info(cover.stage->kind);
  const int rows = axis_size(session, *cover.stage, stage.rows);
  const int cols = axis_size(session, *cover.stage, stage.cols);
  keep_inside(cover.rows, rows);
  keep_inside(cover.columns, cols);
  keep_cells(cover.cells, rows, cols);
  keep_cells(cover.except, rows, cols);
  keep_cells(cover.right, rows, cols);
  cover.every = std::clamp(cover.every, 0, max_every);
  cover.share = std::isfinite(cover.share) ? std::clamp(cover.share, 0.0F, 1.0F) : 0.0F;
  if (cover.share == 0.0F) cover.seed = 0;
  const bool has_rule = cover.all || !cover.rows.empty() || !cover.columns.empty() || cover.every > 0 ||
                        cover.share > 0.0F || !cover.cells.empty();
  if (!has_rule) return {};
  std::erase_if(cover.right, [&](const StageCell& cell) { return !cover.covers(cell.row, cell.col); });
  return cover;
}

void drop_stale_answers(const Session& before, Session& after) {
  if (after.cover.right.empty()) return;
  Subject compared = after.subject();
  compared.selection = before.selection;
  compared.training = before.training;
  compared.sampling = before.sampling;
  compared.texts = before.texts;
  if (!(compared == before.subject())) after.cover.right.clear();
}

}  // namespace headscope
