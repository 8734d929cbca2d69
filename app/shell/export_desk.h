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

/// How the file that the export sheet asks for will look. Previews are made in the background, one after the
/// other, so that the window never waits.
class ExportDesk {
 public:
  /// `on_finished` is called from the thread.
  explicit ExportDesk(std::function<void()> on_finished) : previews_(std::move(on_finished)) {}
  ~ExportDesk() { previews_.finish(); }
  ExportDesk(const ExportDesk&) = delete;
  ExportDesk& operator=(const ExportDesk&) = delete;

  /// What a preview depends on, apart from where the file goes.
  struct Wanted {
    ExportRequest request;
    std::uint64_t version = 0;  ///< of what pages are made from
    PixelSize room;
    bool operator==(const Wanted&) const = default;
  };
  /// Whether this is neither shown nor being made, and can be begun.
  bool asks_for_preview(const Wanted& wanted) const { return !previews_.busy() && made_ != wanted; }
  bool shows(const Wanted& wanted) const { return !previews_.busy() && made_ == wanted; }
  void make_preview(ExportJob job, Wanted wanted);

  /// Puts what was found since the last call into the form; false where there was nothing.
  bool take(ExportForm& form);
  /// The sheet was closed: what it showed is forgotten.
  void forget();
  bool busy() const { return previews_.busy(); }

 private:
  std::optional<Wanted> made_;               ///< what the last preview is or will be of
  std::shared_ptr<const CairoFonts> fonts_;  ///< used by the thread of previews alone
  JobQueue<ExportPreview> previews_;
};

}  // namespace headscope
