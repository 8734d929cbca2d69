#include "core/page/effects/effect_lines.h"

#include <algorithm>
#include <cmath>

#include "core/model/pass_edits.h"

namespace headscope {

bool is_off(const Trace& trace, const HeadId& head) {
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head);
  return edits != nullptr && edits->scale == 0.0F;
}

std::vector<HeadLine> lines_of(const Trace& trace, const HeadEffects* effects, const DirectParts& direct) {
  std::vector<HeadLine> lines;
  for (const HeadId& head : heads_of(trace.architecture())) {
    HeadLine line{head, {}, {}, {}, is_off(trace, head)};
    if (line.is_off) {
      lines.push_back(line);
      continue;
    }
    if (effects != nullptr) {
      const HeadEffect& effect = effects->heads[lines.size()];
      line.logit = effect.logit - effects->logit;
      line.probability = effect.probability - effects->probability;
    }
    const auto part = std::ranges::find_if(direct.parts, [&](const DirectPart& each) {
      return each.kind == DirectPart::Kind::head && each.place == head;
    });
    if (part != direct.parts.end()) line.direct = part->logit;
    lines.push_back(line);
  }
  return lines;
}

std::vector<HeadLine> shown_lines(std::vector<HeadLine> lines, std::size_t most) {
  if (lines.size() <= most) return lines;
  const auto weight = [](const HeadLine& line) {
    return std::fabs(line.logit.value_or(line.direct.value_or(0.0)));
  };
  std::ranges::stable_sort(lines,
                           [&](const HeadLine& a, const HeadLine& b) { return weight(a) > weight(b); });
  lines.resize(most);
  return lines;
}

}  // namespace headscope
