#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Loads what options name: models, masks, batches, scenes and matrices.
struct ResourceLoader {
  /// Trained weights, by the name of a bundled model or by their folder.
  std::function<Result<std::shared_ptr<const TrainedModel>>(const std::string& name)> model;
  /// A mask, by its file and the file's axes (core/engine/mask_file.h). Empty axes follow from the shape.
  std::function<Result<std::shared_ptr<const LoadedMask>>(const std::string& file, const std::string& axes)>
      mask;
  /// The text of a batch file.
  std::function<Result<std::string>(const std::string& file)> batch;
  /// The session of a scene, or of a figure made by this program.
  std::function<Result<Session>(const std::string& file)> scene;
  /// A matrix, by its file.
  std::function<Result<OwnedMatrix>(const std::string& file)> numbers;
};

/// Loads from files.
ResourceLoader files();

/// Looks up what a session already holds, by name: its model, masks and batch. Reads no file.
ResourceLoader session_loader(const Session& session);

/// The lines of a batch file that are not blank.
Result<std::vector<std::string>> batch_of(const std::string& file, const ResourceLoader& loader);

}  // namespace headscope
