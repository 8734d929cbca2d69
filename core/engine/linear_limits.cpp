#include "core/engine/linear_limits.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/trace/number_text.h"
#include "core/trace/stage.h"

namespace headscope {
namespace {

/// −∞ hides a cell, and 0 changes nothing, so neither counts.
bool adds_numbers(const CombinedMask& mask) {
  return std::ranges::any_of(mask.added,
                             [](float number) { return std::isfinite(number) && number != 0.0F; });
}

Result<void> check_given_scores(const GivenNumbers& given) {
  for (const GivenMatrix& each : given.all) {
    const std::optional<StageId> id = parse_path(each.path);
    if (!id || id->kind != StageKind::raw) continue;
    const auto least = std::ranges::min_element(each.numbers->values);
    if (least == each.numbers->values.end() || *least >= 0.0F) continue;
    return failure(
        "'" + each.path + "' is given " + number_text(*least) +
        ", but linear attention divides each score by its row's sum, so no score may be negative: give numbers of 0 or more, or turn linear attention off");
  }
  return {};
}

}  // namespace

AttentionOptions without_softmax(AttentionOptions options) {
  options.scale = true;
  options.temperature = 1.0F;
  options.mask_value = MaskValue::minus_infinity;
  return options;
}

Result<void> check_linear_pass(const Request& request, const PassMasks& masks) {
  if (!request.architecture.linear_attention) return {};
  if (request.attention.softmax == SoftmaxAxis::queries)
    return usage_error(
        "linear attention has no softmax that could run over queries: choose softmax over keys, or turn linear attention off");
  for (const CombinedMask* mask :
       {&masks.source, &masks.target, &masks.cross, &masks.sliding_source, &masks.sliding_target}) {
    if (!adds_numbers(*mask)) continue;
    return failure(
        "a mask file adds numbers to the scores, but linear attention has no softmax that would turn them into factors: use a boolean mask, or a float mask that holds only 0 and −∞");
  }
  return check_given_scores(request.given);
}

}  // namespace headscope
