#include "core/figure/diagram_names.h"

#include "core/enum_count.h"
#include "core/model/mask.h"

namespace headscope {

std::string attention_caption(const Trace& trace, const StageId& id) {
  const MaskSpec& mask = trace.mask_spec(id);
  const bool masked =
      mask.hides_by_rule() || trace.sliding_window(id) || !mask.painted.empty() || !mask.loaded.empty();
  const Architecture& a = trace.architecture();
  const int n = a.n_heads;
  return std::string(masked ? "masked " : "") + (a.linear_attention ? "linear " : "") +
         (id.attention == AttentionKind::self ? "self-attention, " : "cross-attention, ") +
         std::to_string(n) + (n == 1 ? " head" : " heads") +
         (a.shares_keys() ? " in groups of " + std::to_string(a.group_size()) : "");
}

std::string activation_caption(const Architecture& architecture) {
  static const auto names = one_for_each<Activation, std::string>("ReLU", "GELU", "GELU by tanh", "SiLU");
  return (architecture.gated ? "gate: " : "") + names[index_of(architecture.activation)];
}

}  // namespace headscope
