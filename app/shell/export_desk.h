#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "app/parts/export_form.h"
#include "app/shell/exporter.h"
#include "core/jobs/job_queue.h"

namespace headscope {

/// Makes the previews for the export sheet. They are made in the background, one after the other, so that the
/// window never waits.
class ExportDesk {
 public:
  /// `on_finished` is called from the background thread.
  explicit ExportDesk(std::function<void()> on_finished) : previews_(std::move(on_finished)) {}
  ~ExportDesk() { previews_.finish(); }
  ExportDesk(const ExportDesk&) = delete;
  ExportDesk& operator=(const ExportDesk&) = delete;

  /// What a preview depends on, apart from the path of the file.
  struct Wanted {
    ExportRequest request;
    std::uint64_t version = 0;  ///< the version of the pages' inputs
    PixelSize room;
    bool operator==(const Wanted&) const = default;
  };
  /// Whether this preview is neither shown nor being made, and can be started now.
  bool asks_for_preview(const Wanted& wanted) const { return !previews_.busy() && made_ != wanted; }
  bool shows(const Wanted& wanted) const { return !previews_.busy() && made_ == wanted; }
  void make_preview(ExportJob job, Wanted wanted);

  /// Moves the preview made since the last call into the form. Returns false if there is none.
  bool take(ExportForm& form);
  /// Discards the preview because the sheet was closed.
  void forget();
  bool busy() const { return previews_.busy(); }

 private:
  std::optional<Wanted> made_;                      ///< the subject of the last preview, finished or not
  std::shared_ptr<FontFaces> fonts_, serif_fonts_;  ///< used only by the previews' thread
  JobQueue<ExportPreview> previews_;
};

}  // namespace headscope
