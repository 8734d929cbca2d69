#include "core/page/parts/covered_page.h"

#include <algorithm>
#include <initializer_list>

#include "core/figure/pages.h"
#include "core/page/lines/lines_page.h"
#include "core/page/parts/covered.h"
#include "core/trace/cover.h"

namespace headscope {
namespace {

bool is_one_of(StageKind kind, std::initializer_list<StageKind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// Whether the covered stage is one of these kinds at the selected place, in any head of its attention.
bool is_in_selected_attention(const PageInputs& in, std::initializer_list<StageKind> kinds) {
  const StageId& covered = *in.session.cover.stage;
  const StageId place = in.at(StageKind::weights);
  return is_one_of(covered.kind, kinds) && covered.stack == place.stack && covered.layer == place.layer &&
         covered.attention == place.attention;
}

/// Whether the covered stage is one of these kinds in the selected head.
bool is_in_selected_head(const PageInputs& in, std::initializer_list<StageKind> kinds) {
  const StageId& covered = *in.session.cover.stage;
  return is_one_of(covered.kind, kinds) && covered == in.at(covered.kind);
}

/// Whether the covered stage holds weights of the selected attention in any layer.
bool holds_selected_weights(const PageInputs& in) {
  const StageId& covered = *in.session.cover.stage;
  const StageId place = in.at(StageKind::weights);
  return is_one_of(covered.kind, {StageKind::weights, StageKind::dropped}) && covered.stack == place.stack &&
         covered.attention == place.attention;
}

}  // namespace

bool lines_tell_covered(const PageInputs& in) {
  const StageId& covered = *in.session.cover.stage;
  const Selection& selection = in.session.selection;
  using enum StageKind;
  const bool is_kind = covered.kind == lined_kind(in) ||
                       is_one_of(covered.kind, {raw, scaled, capped, masked, weights, dropped});
  if (!is_kind || covered.stack != selection.stack || covered.attention != selection.attention) return false;
  return std::ranges::any_of(lined_heads(in), [&](const HeadPlace& head) {
    return head.layer == covered.layer && head.head == covered.head;
  });
}

/// A held subject may show the same numbers, and a difference reveals one number through the other.
bool comparison_tells_covered(const PageInputs& in) {
  const StageId& covered = *in.session.cover.stage;
  if (in.session.held.empty() || covered.kind != in.session.selection.stage) return false;
  if (covered == in.at(covered.kind)) return true;
  return std::ranges::any_of(in.session.held, [&](const Subject& held) {
    return covered == canonical(held.architecture, held.selection.at(covered.kind));
  });
}

bool scale_tells_covered(const PageInputs& in) {
  using enum StageKind;
  return is_in_selected_head(in, {raw, scaled, capped, masked, weights, dropped, sink_share});
}

/// Its heading names the key with the greatest weight of the selected head.
bool split_tells_covered(const PageInputs& in) {
  using enum StageKind;
  return is_in_selected_attention(in, {query, key, normed_query, normed_key, rotated_query, rotated_key,
                                       mapped_query, mapped_key, raw, scaled}) ||
         is_in_selected_head(in, {capped, masked, weights, dropped});
}

bool tiles_tell_covered(const PageInputs& in) {
  using enum StageKind;
  return is_in_selected_head(in, {masked, output});
}

bool watch_tells_covered(const PageInputs& in) {
  using enum StageKind;
  return scale_tells_covered(in) || split_tells_covered(in) || is_in_selected_head(in, {value, output});
}

bool predictions_tell_covered(const PageInputs& in) {
  using enum StageKind;
  return is_one_of(in.session.cover.stage->kind, {logits, probabilities});
}

/// The sentences name the answer, and the weight that the selected head gives to its word.
bool effects_tell_covered(const PageInputs& in) {
  using enum StageKind;
  return predictions_tell_covered(in) || is_in_selected_head(in, {weights, dropped});
}

bool has_hidden_number(const PageInputs& in, const StageId& stage, PageTools& tools) {
  const Cover& cover = in.session.cover;
  if (cover.solution || !cover.is_over(canonical(in.trace->architecture(), stage))) return false;
  const auto count = counted_cells(in, tools);
  return !count || count->right < count->covered;
}

std::string reason_covered(const PageInputs& in, bool (*tells_covered)(const PageInputs&), PageTools& tools) {
  const auto& stage = in.session.cover.stage;
  if (tells_covered == nullptr || !stage || !has_hidden_number(in, *stage, tools) || !tells_covered(in))
    return {};
  return "Some numbers of “" + stage_title(*in.trace, *stage) +
         "” are covered: uncover them to see this page.";
}

std::optional<HeadPlace> covered_head(const PageInputs& in, PageTools& tools) {
  const auto& stage = in.session.cover.stage;
  if (!stage || !holds_selected_weights(in) || !has_hidden_number(in, *stage, tools)) return std::nullopt;
  return HeadPlace{stage->layer, stage->head};
}
}  // namespace headscope
