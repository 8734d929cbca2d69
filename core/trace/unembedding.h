#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/linear.h"

namespace headscope {

/// The vocabulary and weights of the final linear layer.
struct Unembedding {
  std::vector<std::string> words;
  std::shared_ptr<const Linear> linear;  ///< [D, words]
};

}  // namespace headscope
