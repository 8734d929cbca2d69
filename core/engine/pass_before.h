#pragma once

#include <memory>

#include "core/engine/request.h"
#include "core/trace/trace.h"

namespace headscope {

/// Remembers the last finished pass for as long as something else holds it. If a text is edited, the rows of
/// the tokens before the first change are taken from this pass.
class PassBefore {
 public:
  void keep(const Request& request, const std::shared_ptr<const Trace>& trace);

  /// The remembered pass, and the number of its first rows that a new pass shares. The trace is null if there
  /// are none.
  struct Shared {
    std::shared_ptr<const Trace> trace;
    int n_rows = 0;
  };
  /// Returns what a new pass shares with the remembered one. `parts` are those of the new pass; they must be
  /// complete except for the numbers in the buffers.
  Shared shared_with(const Request& request, const Trace::Parts& parts) const;

 private:
  Request request_;
  std::weak_ptr<const Trace> trace_;
};

}  // namespace headscope
