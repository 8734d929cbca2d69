#pragma once

#include "core/model/architecture.h"

namespace headscope {

inline Architecture with_positions(Positions positions) {
  Architecture a;
  a.positions = positions;
  return a;
}

}  // namespace headscope
