#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/session/session.h"

namespace headscope {

/// A file that is sent to others, with its path relative to the folder in which they find it.
struct SentFile {
  std::string name;
  std::string bytes;
};

/// The most bytes of the files that are sent together.
inline constexpr std::size_t most_sent_bytes = std::size_t{64} << 20U;

/// Adds a file, or those files of a model's folder that are read when it is opened, under a path relative to
/// the others. Names that are already there are left out. Errors, which tell nothing of where the files lie:
/// a file cannot be read, a link leads out of the folder, or all files together would have more than
/// most_sent_bytes.
Result<void> add_sent(const std::filesystem::path& path, const std::filesystem::path& name,
                      std::vector<SentFile>& files);
/// Adds files that were gathered before. The error is that of add_sent().
Result<void> add_sent(std::vector<SentFile> more, std::vector<SentFile>& files);

/// A session that opens on another machine.
struct SentScene {
  std::vector<SentFile> files;  ///< The scene, and then the weights and captures that it needs.
  std::string lacks;            ///< Which models are not among the files, and why. Empty if none is missing.
};

/// `name` is that of the scene's file. Errors: weights that are in no file are too large, masks are, or
/// something cannot be written.
Result<SentScene> sent_scene(const Session& session, const std::filesystem::path& name = "sent.headscope");

}  // namespace headscope
