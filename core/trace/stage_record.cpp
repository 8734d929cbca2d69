#include "core/trace/stage_record.h"

namespace headscope {

const LayerWeights& PassPlace::layer_weights() const {
  return stack_weights().layers[static_cast<std::size_t>(id.layer)];
}

const AttentionWeights& PassPlace::attention_weights() const {
  return id.attention == AttentionKind::self ? layer_weights().self : layer_weights().cross;
}

const NormWeights& PassPlace::norm_weights() const {
  return id.attention == AttentionKind::self ? layer_weights().self_norm : layer_weights().cross_norm;
}

const NormWeights& PassPlace::output_norm_weights() const {
  return id.attention == AttentionKind::self ? layer_weights().self_output_norm
                                             : layer_weights().cross_output_norm;
}

const AttentionBuffers& PassPlace::attention() const {
  return id.attention == AttentionKind::self ? layer().self : layer().cross;
}

const SublayerBuffers& PassPlace::around_attention() const {
  return id.attention == AttentionKind::self ? layer().around_self : layer().around_cross;
}

}  // namespace headscope
