#pragma once

#include <string>
#include <vector>

#include "core/tensor/matrix.h"

namespace headscope {

/// The words that a pass can predict, and the weights of its final linear layer.
struct Unembedding {
  std::vector<std::string> words;
  Matrix weight;   ///< [D, words]
  RowVector bias;  ///< [words]; empty: there is none
};

}  // namespace headscope
