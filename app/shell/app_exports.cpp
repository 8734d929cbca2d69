// How an App exports files.
#include <algorithm>
#include <utility>

#include "app/cli/session_figure.h"
#include "app/shell/app.h"
#include "core/engine/request.h"

namespace headscope {
void App::receive_exports() {
  while (const auto result = exporter_.take_finished()) {
    say(result->message, result->ok ? NoticeKind::information : NoticeKind::warning);
    pacer_.event();
  }
}

void App::start_export(const ExportRequest& request) {
  exports_.push_back(request);
  pacer_.event();
}

bool App::waits_for_window_picture() const {
  return std::ranges::any_of(exports_, [](const ExportRequest& e) { return e.kind == ExportKind::window; });
}

/// Between frames, when the window has shown what it is asked to save.
void App::carry_out_exports() {
  if (exports_.empty()) return;
  const auto outcome = worker_.latest();
  if (!outcome || !(outcome->request == wanted().request)) return;  // the pass is on its way
  const Session* compared = screen_.difference ? session_before() : nullptr;
  const auto computed = before_worker_.latest();
  const bool has_outcome = compared != nullptr && computed && computed->request == request_of(*compared);
  if (has_outcome && !computed->trace) compared = nullptr;  // there is nothing to compare with
  if (compared != nullptr && !before_) return;              // so is the one that it is compared with
  for (const ExportRequest& request : std::exchange(exports_, {})) {
    if (request.kind == ExportKind::window && (!ui_.is_still() || page_jobs_.busy())) {
      // A later frame is drawn for it.
      exports_.push_back(request);
      pacer_.event();
      continue;
    }
    ExportJob job{request, session(), trace_, nullptr, {}, 0.0, screen_.page_inputs, nullptr, metadata_of};
    if (compared != nullptr) {
      job.before = before_;
      job.session_before = *compared;
      job.held_range = screen_.memo.held_ranges[session().selection.stage];
    }
    if (request.kind == ExportKind::window) {
      auto pixels = window_.read_pixels();
      if (!pixels) {
        say(pixels.error().message, NoticeKind::warning);
        continue;
      }
      job.window = std::make_shared<const Image>(std::move(*pixels));
    } else if (!outcome->trace) {
      say("Nothing was exported: " + outcome->error, NoticeKind::warning);
      continue;
    }
    exporter_.start(std::move(job));
  }
}

}  // namespace headscope
