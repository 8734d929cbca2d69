#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/export_form.h"
#include "app/parts/export_request.h"
#include "core/jobs/job_queue.h"
#include "core/model/model_source.h"
#include "core/page/figure_file.h"
#include "core/page/page_inputs.h"
#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// Everything needed to write a file: values and immutable results, so that it can be written in the
/// background.
struct ExportJob {
  ExportRequest request;
  PageInputs shown;                     ///< what the page on the screen is made from; a null pass: none yet
  std::shared_ptr<const Image> window;  ///< of ExportKind::window
  /// What a figure's file says of itself: the command that makes it again.
  std::function<std::vector<Metadata>(const PageInputs&, const FigureSize&, const std::string&)> metadata_of;
};

struct ExportResult {
  bool ok = false;
  std::string message;  ///< what was written, or why nothing was
  ExportTrouble trouble = ExportTrouble::none;
  ExportRequest request = {};
  std::string file = {};  ///< that was written
};

/// Weights that were trained in the window, and the folder that they were written into.
struct SavedModel {
  ModelIdentity model;
  std::filesystem::path folder;
};
using SavedModels = std::vector<SavedModel>;

/// The stage whose numbers are exported.
StageId stage_to_export(const Session& session);

/// A message for the window as a sentence, without what stands in parentheses for the command line, as
/// “(--cover)”: the window's controls have no options.
std::string sentence_without_options(const std::string& message);

/// What a figure of the request is made from: in its colours, of a worksheet with its exercise.
PageInputs inputs_of_export(const ExportJob& job);

/// How large a figure is drawn, and whether it is the whole page of the explorer.
FigureSize size_of_figure(const Session& shown, const ExportRequest& request);

/// Writes the file. A name that nobody chose gets a number where it is taken. A figure of weights that are
/// not in a file yet saves them next to itself and adds them to `saved`, whose folders serve later figures.
ExportResult export_now(const ExportJob& job, SavedModels& saved);

/// Writes files in the background, so that the window never waits; one after the other, so that each finds a
/// free name.
class Exporter {
 public:
  /// `on_finished` is called from the writing thread.
  explicit Exporter(std::function<void()> on_finished) : queue_(std::move(on_finished)) {}
  /// Waits until everything is written.
  ~Exporter() { queue_.finish(); }
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;
  void start(ExportJob job) {
    queue_.submit([this, job = std::move(job)] {
      ExportResult result = export_now(job, saved_);
      result.request = job.request;
      return result;
    });
  }
  /// A result that has come in since the last call.
  std::optional<ExportResult> take_finished() { return queue_.take(); }
  /// Whether a result is still to be taken.
  bool busy() const { return queue_.busy(); }

 private:
  SavedModels saved_;  ///< used by the queue's thread alone
  JobQueue<ExportResult> queue_;
};

}  // namespace headscope
