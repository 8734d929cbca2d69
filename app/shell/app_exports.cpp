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
  if (!outcome || worker_.busy() || !(outcome->request == wanted().requests.front())) return;
  for (const ExportRequest& request : std::exchange(exports_, {})) {
    if (request.kind == ExportKind::window && (!ui_.is_still() || page_jobs_.busy())) {
      // A later frame is drawn for it.
      exports_.push_back(request);
      pacer_.event();
      continue;
    }
    ExportJob job{request, screen_.page_inputs, nullptr, metadata_of};
    job.shown.session = wanted().shown;
    job.shown.trace = trace_;
    job.shown.trace_model = session().model;
    job.shown.held = held_;
    job.shown.hovered.reset();
    job.shown.hovered_token.reset();
    job.shown.strip_row.reset();
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
