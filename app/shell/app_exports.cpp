// The functions of App that export files.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "app/cli/figure_command.h"
#include "app/shell/app.h"
#include "app/shell/screen_commands.h"
#include "core/engine/request.h"

namespace headscope {
namespace {

bool answers_sheet(const ExportForm& form, const ExportRequest& request) {
  return form.open && form.is_saving && request.is_of_sheet;
}

/// Keeps the sheet open and shows the problem that prevented its file.
void tell_sheet(ExportForm& form, ExportTrouble trouble, const std::string& problem) {
  form.is_saving = false;
  form.trouble = trouble;
  form.problem = problem;
}

}  // namespace

void App::receive_exports() {
  ExportForm& form = screen_.export_form;
  while (const auto result = exporter_.take_finished()) {
    pacer_.event();
    if (result->ok && result->request.kind == ExportKind::scene) note_scene(result->file);
    if (answers_sheet(form, result->request)) {
      tell_sheet(form, result->trouble, result->ok ? "" : result->message);
      if (!result->ok) continue;
      form.folder = result->request.folder;
      form.open = false;
    }
    say(result->message, result->ok ? NoticeKind::information : NoticeKind::warning);
  }
}

void App::serve_export_sheet() {
  ExportForm& form = screen_.export_form;
  // A preview that was started for a sheet that has since been closed is also taken, and then discarded.
  if (export_desk_.take(form)) pacer_.event();
  if (!form.open) {
    export_desk_.forget();
    form.preview = {};
    form.is_path_typed = false;
    form.chooses_folder = false;
    tell_sheet(form, ExportTrouble::none, "");
    return;
  }
  ExportDesk::Wanted preview{request_of(form, wanted().shown, room_of_view(screen_, session().view)),
                             screen_.page_version, form.preview_room};
  preview.request.folder.clear();
  preview.request.name.clear();
  form.is_preview_old = form.preview_room.width > 0 && trace_ && !export_desk_.shows(preview);
  if (!form.is_preview_old || !export_desk_.asks_for_preview(preview)) return;
  const auto outcome = shown_outcome();
  if (!outcome) return;
  if (!outcome->trace) {
    form.is_preview_old = false;
    form.preview = {.problem = outcome->error};
    return;
  }
  export_desk_.make_preview(export_job(preview.request), preview);
}

/// Lists the folder of the sheet that shows one.
void App::list_folders() {
  ExportForm& exported = screen_.export_form;
  OpenForm& opened = screen_.open_form;
  while (auto listing = folder_lister_.take()) {
    (opened.open ? opened.listing : exported.listing) = std::move(*listing);
    pacer_.event();
  }
  if (opened.open) {
    folder_lister_.list(opened.folder);
  } else if (exported.open) {
    folder_lister_.list(request_of(exported, wanted().shown, {}).folder);
  } else {
    folder_lister_.forget();
  }
}

void App::save_scene() {
  const std::string& open = screen_.scenes.open;
  if (open.empty()) return open_export_sheet(*this, ExportKind::scene);
  start_export(
      {.kind = ExportKind::scene, .folder = folder_of(open), .name = name_in(open), .replaces = true});
}

void App::start_export(const ExportRequest& request) {
  exports_.push_back(request);
  pacer_.event();
}

bool App::waits_for_window_picture() const {
  return std::ranges::any_of(exports_, [](const ExportRequest& e) { return e.kind == ExportKind::window; });
}

std::shared_ptr<const Outcome> App::shown_outcome() {
  const std::vector<Request>& requests = wanted().requests;
  auto outcome = worker_.latest();
  if (!outcome || worker_.busy() || !(outcome->request == requests.front())) return nullptr;
  bool is_shown = !outcome->trace || outcome->trace == trace_;
  for (std::size_t i = 1; i < requests.size() && is_shown; ++i) {
    const auto held = worker_.outcome(requests[i]);
    is_shown = held && i <= held_.size() && held->trace == held_[i - 1].trace;
  }
  if (is_shown) return outcome;
  // The worker has finished since this frame began, or the session has changed. The next frame receives the
  // result.
  pacer_.event();
  return nullptr;
}

ExportJob App::export_job(const ExportRequest& request) {
  ExportJob job{request, screen_.page_inputs, nullptr, metadata_of};
  job.shown.session = wanted().shown;
  job.shown.trace = trace_;
  job.shown.trace_model = session().model;
  job.shown.held = held_;
  job.shown.hovered.reset();
  job.shown.hovered_token.reset();
  job.shown.strip_row.reset();
  return job;
}

void App::start_copy(Copied what) {
  copies_.push_back(what);
  pacer_.event();
}

/// Copies are made between frames, like exports.
void App::carry_out_copies() {
  if (copies_.empty()) return;
  const auto outcome = shown_outcome();
  if (!outcome) return;
  for (const Copied what : std::exchange(copies_, {})) {
    if (!outcome->trace) {
      say("Nothing was copied: " + outcome->error, NoticeKind::warning);
      continue;
    }
    const ExportJob job = export_job({.scale = screen_.export_form.scale, .folder = {}});
    copier_.submit([what, job, &window = window_] {
      return what == Copied::numbers
                 ? copy_of_numbers(job.shown)
                 : copy_of_figure(job, [&](const std::string& png) { return window.copy_picture(png); });
    });
  }
}

void App::receive_copies() {
  while (const auto result = copier_.take()) {
    if (!result->text.empty()) ui_.set_clipboard_text(result->text);
    say(result->message, result->ok ? NoticeKind::information : NoticeKind::warning);
    pacer_.event();
  }
}

/// Exports are made between frames, once the window has shown what is to be saved.
void App::carry_out_exports() {
  if (exports_.empty()) return;
  const auto outcome = shown_outcome();
  if (!outcome) return;
  for (const ExportRequest& request : std::exchange(exports_, {})) {
    if (request.kind == ExportKind::window && (!ui_.is_still() || page_jobs_.busy())) {
      // A later frame will be drawn for it.
      exports_.push_back(request);
      pacer_.event();
      continue;
    }
    ExportJob job = export_job(request);
    if (request.kind == ExportKind::window) {
      auto pixels = window_.read_pixels();
      if (!pixels) {
        if (answers_sheet(screen_.export_form, request)) {
          tell_sheet(screen_.export_form, ExportTrouble::other, pixels.error().message);
        } else {
          say(pixels.error().message, NoticeKind::warning);
        }
        continue;
      }
      job.window = std::make_shared<const Image>(std::move(*pixels));
    } else if (!outcome->trace && record_of(request.kind).group != ExportGroup::to_open_again) {
      const std::string problem = "Nothing was exported: " + outcome->error;
      if (answers_sheet(screen_.export_form, request)) {
        tell_sheet(screen_.export_form, ExportTrouble::other, problem);
      } else {
        say(problem, NoticeKind::warning);
      }
      continue;
    }
    exporter_.start(std::move(job));
  }
}

}  // namespace headscope
