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

/// Renders previews for the export sheet in the background, one at a time.
class ExportPreviewer {
 public:
  /// `on_finished` is called from the background thread.
  explicit ExportPreviewer(std::function<void()> on_finished) : previews_(std::move(on_finished)) {}
  ~ExportPreviewer() { previews_.finish(); }
  ExportPreviewer(const ExportPreviewer&) = delete;
  ExportPreviewer& operator=(const ExportPreviewer&) = delete;

  /// What a preview depends on, apart from the path of the file.
  struct PreviewKey {
    ExportRequest request;
    std::uint64_t version = 0;  ///< the version of the pages' inputs
    PixelSize room;
    bool operator==(const PreviewKey&) const = default;
  };
  /// Whether this preview has yet to be made and can be started now.
  bool needs_preview(const PreviewKey& key) const { return !previews_.busy() && made_ != key; }
  bool shows(const PreviewKey& key) const { return !previews_.busy() && made_ == key; }
  void make_preview(ExportJob job, PreviewKey key);

  /// Moves the preview made since the last call into the form. Returns false if there is none.
  bool take(ExportForm& form);
  /// Discards the preview because the sheet was closed.
  void forget();
  bool busy() const { return previews_.busy(); }

 private:
  std::optional<PreviewKey> made_;                  ///< the subject of the last preview, finished or not
  std::shared_ptr<FontFaces> fonts_, serif_fonts_;  ///< used only by the previews' thread
  JobQueue<ExportPreview> previews_;
};

}  // namespace headscope
