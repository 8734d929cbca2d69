#include "core/page/parts/covered_page.h"

#include <algorithm>
#include <initializer_list>

#include "core/figure/pages.h"
#include "core/page/lines/lines_page.h"
#include "core/page/parts/covered.h"
#include "core/trace/cover.h"

namespace headscope {
namespace {

/// Whether numbers of one of these kinds of the selected head are hidden.
bool hides_in_head(const PageInputs& in, std::initializer_list<StageKind> kinds) {
  return std::ranges::any_of(
      kinds, [&](StageKind kind) { return in.trace->has(in.at(kind)) && cover_of(in, in.at(kind)).stage; });
}

/// Whether the weights of a head are hidden.
bool hides_weights(const PageInputs& in, StageId weights) {
  for (const StageKind kind : {StageKind::weights, StageKind::dropped}) {
    weights.kind = kind;
    if (in.trace->has(weights) && cover_of(in, weights).stage) return true;
  }
  return false;
}

}  // namespace

bool lines_reveal_covered(const PageInputs& in) {
  const Selection& selection = in.session.selection;
  return std::ranges::any_of(line_heads(in), [&](const HeadIndex& head) {
    const StageId lined{line_stage_kind(in), selection.stack, head.layer, selection.attention, head.head};
    return hides_weights(in, lined) || (in.trace->has(lined) && cover_of(in, lined).stage);
  });
}

/// A compared subject may show the same numbers, and a difference reveals one number through the other.
bool comparison_reveals_covered(const PageInputs& in) {
  if (in.session.compared.empty()) return false;
  const StageKind shown = in.session.selection.stage;
  if (hides_in_head(in, {shown})) return true;
  const StageId& covered = *in.session.cover.stage;
  return covered.kind == shown && std::ranges::any_of(in.session.compared, [&](const Subject& compared) {
           return covered == canonical(compared.architecture, compared.selection.at(covered.kind));
         });
}

bool scale_reveals_covered(const PageInputs& in) {
  return hides_in_head(in, {StageKind::weights, StageKind::dropped, StageKind::sink_share});
}

/// It shows the scores of every head, and its heading names the key with the greatest weight of the selected
/// one.
bool split_reveals_covered(const PageInputs& in) {
  StageId raw = in.at(StageKind::raw);
  for (raw.head = 0; raw.head < in.trace->architecture().n_heads; ++raw.head) {
    if (in.trace->has(raw) && cover_of(in, raw).stage) return true;
    const StageId scaled = with_kind(raw, StageKind::scaled);
    const StageId& covered = *in.session.cover.stage;
    const std::vector<StageId> from = inputs_of(*in.trace, raw);
    if (covered == scaled || std::ranges::find(from, covered) != from.end()) return true;
  }
  return hides_weights(in, in.at(StageKind::weights));
}

bool tiles_reveal_covered(const PageInputs& in) {
  return hides_in_head(in, {StageKind::masked, StageKind::output});
}

/// All that it shows leads to the head's output.
bool watch_reveals_covered(const PageInputs& in) {
  return hides_in_head(in, {StageKind::output});
}

bool predictions_reveal_covered(const PageInputs& in) {
  const StageKind kind = in.session.cover.stage->kind;
  return kind == StageKind::logits || kind == StageKind::probabilities;
}

/// The sentences name the answer, and the weight that the selected head gives to its word.
bool effects_reveal_covered(const PageInputs& in) {
  return predictions_reveal_covered(in) || hides_weights(in, in.at(StageKind::weights));
}

bool has_hidden_number(const PageInputs& in, const StageId& stage, PageTools& tools) {
  const Cover& cover = in.session.cover;
  if (cover.solution) return false;
  if (!cover.is_over(canonical(in.trace->architecture(), stage)))
    return cover_of(in, stage).stage.has_value();
  const auto count = counted_cells(in, tools);
  return !count || count->right < count->covered;
}

std::string reason_covered(const PageInputs& in, bool (*reveals_covered)(const PageInputs&),
                           PageTools& tools) {
  const auto& stage = in.session.cover.stage;
  if (reveals_covered == nullptr || !stage || !has_hidden_number(in, *stage, tools) || !reveals_covered(in))
    return {};
  return "Some numbers of “" + stage_title(*in.trace, *stage) +
         "” are covered: uncover them to see this page.";
}

std::optional<HeadIndex> covered_head(const PageInputs& in, PageTools& tools) {
  const auto& stage = in.session.cover.stage;
  const Selection& selection = in.session.selection;
  if (!stage || stage->stack != selection.stack || stage->attention != selection.attention ||
      !has_hidden_number(in, *stage, tools))
    return std::nullopt;
  const StageId weights{StageKind::weights, stage->stack, stage->layer, stage->attention, stage->head};
  return hides_weights(in, weights) ? std::optional(HeadIndex{stage->layer, stage->head}) : std::nullopt;
}
}  // namespace headscope
