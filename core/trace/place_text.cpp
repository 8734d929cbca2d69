#include "core/trace/place_text.h"

#include <cctype>

#include "core/trace/guess.h"
#include "core/trace/patch_stage.h"

namespace headscope {

std::string place_text(const Architecture& architecture, const StageId& id) {
  const StageInfo& stage = info(id.kind);
  const bool two_stacks = architecture.has_cross();
  if (stage.scope == StageScope::model) return {};
  std::string place = id.stack == Stack::encoder ? "Encoder" : "Decoder";
  if (stage.scope == StageScope::stack) return two_stacks ? place : "";
  const std::string layer = "ayer " + std::to_string(id.layer);
  place = two_stacks ? place + " l" + layer : "L" + layer;
  if (stage.scope >= StageScope::attention && two_stacks && id.stack == Stack::decoder)
    place += id.attention == AttentionKind::self ? ", self-attention" : ", cross-attention";
  if (stage.scope == StageScope::head)
    place += ", " + (stage.of_group ? group_text(architecture, id.head) : "head " + std::to_string(id.head));
  return place;
}

std::string place_text(const Trace& trace, const StageId& id) {
  return place_text(trace.architecture(), id) + taught_suffix(trace, id);
}

std::string head_text(const Architecture& architecture, const HeadId& head) {
  std::string text = place_text(architecture, stage_in(head, StageKind::weights));
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

std::string head_text(const Trace& trace, const HeadId& head) {
  return head_text(trace.architecture(), head) + taught_suffix(trace, stage_in(head, StageKind::weights));
}

std::string head_label(int layer, int head) {
  return std::to_string(layer) + "." + std::to_string(head);
}

std::string head_label(const Architecture& architecture, const HeadId& head) {
  const std::string stack = !architecture.has_cross()                ? ""
                            : head.attention == AttentionKind::cross ? "cross "
                            : head.stack == Stack::encoder           ? "encoder "
                                                                     : "decoder ";
  return stack + head_label(head.layer, head.head);
}

}  // namespace headscope
