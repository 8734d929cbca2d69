#pragma once

#include "core/trace/given_stage.h"
#include "tests/unit/engine/passes.h"

namespace headscope {

inline void give(Request& request, const std::string& path, OwnedMatrix matrix) {
  request.given =
      with_given(std::move(request.given), {path, std::make_shared<const OwnedMatrix>(std::move(matrix))});
}

/// Overrides a random selection of this pass's stages and parameters with random numbers.
inline void give_random_numbers(RandomStream& random, const Trace& trace, Request& request) {
  for (const StageId& id : trace.stages()) {
    if (!can_be_given(id.kind) || !why_not_given(trace.graph(), id).empty()) continue;
    if (pick(random, 0, 5) > 0) continue;
    const Extent size = trace.extent(id);
    OwnedMatrix matrix(size.rows, size.cols);
    for (float& number : matrix.values) number = random.uniform(-1.5F, 1.5F);
    give(request, path(id), std::move(matrix));
  }
}

}  // namespace headscope
