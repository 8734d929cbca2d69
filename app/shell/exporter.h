#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/export_form.h"
#include "core/jobs/job_queue.h"
#include "core/model/trained_model.h"
#include "core/page/figure_file.h"
#include "core/page/page.h"
#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// Everything needed to write a file in the background: values and immutable results.
struct ExportJob {
  ExportRequest request;
  PageInputs shown;  ///< the inputs of the page on the screen; its pass is null if there is none yet
  std::shared_ptr<const Image> window;  ///< for ExportKind::window
};

struct ExportResult {
  std::string message;  ///< what was written, or why nothing was
  ExportFailure failure_kind = ExportFailure::none;
  ExportRequest request = {};
  std::string file = {};  ///< the file that was written
};

/// Weights that were trained in the window, and the folders to which they were written.
using SavedModels = std::vector<std::pair<ModelIdentity, std::filesystem::path>>;

/// Writes the file. A name that was not chosen by the user gets a number if it is taken. A figure whose
/// weights are not in a file yet saves them beside itself and adds them to `saved`, so that later figures can
/// use the same folder.
ExportResult export_now(const ExportJob& job, SavedModels& saved);

/// The fonts of previews, sans and serif, which are opened when they are first needed.
using PreviewFonts = std::array<std::shared_ptr<FontFaces>, 2>;

/// Draws what the file would hold into a room in pixels, or the beginning of its text.
ExportPreview preview_of(const ExportJob& job, PixelSize room, PreviewFonts& fonts);

/// A sentence about what was copied, and the text for the clipboard, which is empty if there is none.
using Copied = std::pair<std::string, std::string>;

/// Takes a PNG file.
using PngSink = std::function<Result<void>(const std::string&)>;

/// Draws the figure of the page as for a file and passes it to `take` without writing a file. Its metadata
/// contain its scene, if everything that it shows is in files.
Result<Copied> copy_of_figure(const ExportJob& job, const PngSink& take);

/// Passes the session as a scene to `take`, which makes a link of it. Links hold no weights.
Result<Copied> copy_of_link(const Session& session,
                            const std::function<Result<void>(const std::string&)>& take);

/// The numbers of the selected stage with their labels, as text.
Result<Copied> copy_of_numbers(const PageInputs& shown);

}  // namespace headscope
