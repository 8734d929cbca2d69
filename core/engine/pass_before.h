#pragma once

#include <memory>

#include "core/engine/request.h"
#include "core/trace/trace.h"

namespace headscope {

/// The last finished pass, as long as anybody else holds it: where a text is edited, the rows of the tokens
/// before the first change are taken from it.
class PassBefore {
 public:
  void keep(const Request& request, const std::shared_ptr<const Trace>& trace);

  /// The pass, and how many of its first rows are those of another, of which everything but the buffers'
  /// numbers is there; none where the trace is null.
  struct Shared {
    std::shared_ptr<const Trace> trace;
    int n_rows = 0;
  };
  Shared shared_with(const Request& request, const Trace::Parts& parts) const;

 private:
  Request request_;
  std::weak_ptr<const Trace> trace_;
};

}  // namespace headscope
