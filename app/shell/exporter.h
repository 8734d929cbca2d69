#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "app/parts/export_request.h"
#include "core/figure/figure.h"
#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// All that a file is made of: values and immutable results, so that it can be written beside the window.
struct ExportJob {
  ExportRequest request;
  Session session;
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Trace> before;  ///< where the figure shows the difference to it
  std::shared_ptr<const Image> window;  ///< of ExportKind::window
};

struct ExportResult {
  bool ok = false;
  std::string message;  ///< what was written, or why nothing was
};

/// Writes the file; the name gets a number where it is taken.
ExportResult export_now(const ExportJob& job);

/// Writes files beside the window, which never waits for one.
class Exporter {
 public:
  void start(ExportJob job);
  /// Results since the last call.
  std::vector<ExportResult> take_finished();
  bool busy() const { return !running_.empty(); }

 private:
  std::vector<std::future<ExportResult>> running_;
};

}  // namespace headscope
