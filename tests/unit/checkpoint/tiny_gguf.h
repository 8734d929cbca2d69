#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/io/gguf_writer.h"

namespace headscope {

/// A Llama of one layer with eight words, as a writer, so that tests can corrupt the file.
inline GgufWriter tiny_llama() {
  GgufWriter writer;
  writer.text("general.architecture", "llama");
  for (const auto& [key, value] : {std::pair("block_count", 1U), std::pair("embedding_length", 8U),
                                   std::pair("feed_forward_length", 12U),
                                   std::pair("attention.head_count", 2U), std::pair("context_length", 16U)})
    writer.whole(std::string("llama.") + key, value);
  writer.decimal("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  for (const auto& [name, rows, cols] :
       {std::tuple("token_embd", 8, 8), std::tuple("blk.0.attn_q", 8, 8), std::tuple("blk.0.attn_k", 8, 8),
        std::tuple("blk.0.attn_v", 8, 8), std::tuple("blk.0.attn_output", 8, 8),
        std::tuple("blk.0.ffn_gate", 12, 8), std::tuple("blk.0.ffn_up", 12, 8),
        std::tuple("blk.0.ffn_down", 8, 12), std::tuple("blk.0.attn_norm", 8, 0),
        std::tuple("blk.0.ffn_norm", 8, 0), std::tuple("output_norm", 8, 0)}) {
    std::vector<std::size_t> shape{static_cast<std::size_t>(rows)};
    if (cols > 0) shape.push_back(static_cast<std::size_t>(cols));
    const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(std::max(cols, 1));
    writer.floats(std::string(name) + ".weight", shape, std::vector<float>(size, 0.1F));
  }
  return writer;
}

}  // namespace headscope
