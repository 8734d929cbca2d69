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

/// Adds a file, or the files of a folder, under a path relative to the others. Of a folder of a model that
/// has safetensors files, other formats of the same weights are left out. Errors: a file cannot be read, a
/// link leads out of the folder, or all of the files together would have more than most_sent_bytes.
Result<void> add_sent(const std::filesystem::path& path, const std::filesystem::path& name,
                      std::vector<SentFile>& files);

/// A session that opens on another machine.
struct SentScene {
  std::vector<SentFile> files;  ///< The scene, and then the weights and captures that it needs.
  std::string lacks;            ///< Which models are not among the files, and why. Empty if none is missing.
};

/// `name` is that of the scene's file. Errors: weights that are in no file are too large, masks are, or
/// something cannot be written.
Result<SentScene> sent_scene(const Session& session, const std::filesystem::path& name = "sent.headscope");

}  // namespace headscope
