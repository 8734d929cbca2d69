#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/session/session.h"

namespace headscope {

/// A file for another machine, with its path relative to the folder of all such files.
struct PortableFile {
  std::string name;
  std::string bytes;
};

/// The maximum total size of such files.
inline constexpr std::size_t max_portable_bytes = std::size_t{64} << 20U;

/// Adds a file, or the files of a model's folder that are read when it is opened, under the relative path
/// `name`. Skips names that exist. Errors do not reveal local paths: a file cannot be read, a link leads out
/// of the folder, or the total exceeds max_portable_bytes.
Result<void> add_portable(const std::filesystem::path& path, const std::filesystem::path& name,
                          std::vector<PortableFile>& files);
/// Merges lists of files. Errors are those of add_portable().
Result<void> add_portable(std::vector<PortableFile> more, std::vector<PortableFile>& files);

/// A session that opens on another machine.
struct PortableScene {
  std::vector<PortableFile> files;  ///< The scene, then the weights and captures that it needs.
  std::string missing_parts;        ///< Which models are missing, and why. Empty if none is.
};

/// `name` is the scene's file name. Errors: weights without a file, or masks, are too large; something cannot
/// be written.
Result<PortableScene> portable_scene(const Session& session,
                                     const std::filesystem::path& name = "sent.headscope");

}  // namespace headscope
