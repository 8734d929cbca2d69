#include "app/shell/folders.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "app/cli/figure_session.h"
#include "app/cli/lesson_command.h"
#include "core/checkpoint/capture.h"
#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/saved_session.h"
#include "core/system/process.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// The value of XDG_PICTURES_DIR="$HOME/Pictures" in the lines of user-dirs.dirs. Empty if it is not set.
std::string pictures_in(std::string_view lines) {
  constexpr std::string_view key = "XDG_PICTURES_DIR=\"";
  std::size_t at = lines.find(key);
  while (at != std::string_view::npos && at > 0 && lines[at - 1] != '\n') at = lines.find(key, at + 1);
  if (at == std::string_view::npos) return {};
  lines.remove_prefix(at + key.size());
  std::string value;
  for (std::size_t i = 0; i < lines.size() && lines[i] != '"' && lines[i] != '\n'; ++i) {
    if (lines[i] == '\\' && i + 1 < lines.size()) ++i;
    value += lines[i];
  }
  return value;
}

/// The kind of a file that can be opened. Empty for any other file.
std::string kind_of_openable(const fs::path& path) {
  if (is_scene_file(path)) return "scene";
  if (is_lesson_file(path)) return "lesson";
  if (is_figure_file(path)) return "picture";
  // Telling what a .pt file holds takes parsing it, which a list does for no file.
  if (path.extension() == ".pt") return "weights";
  if (is_capture(path)) return "captured attention";
  if (path.extension() == ".safetensors") return "weights";
  if (path.extension() == ".gguf") return "model";
  if (path.extension() == ".npy" || path.extension() == ".csv") return "mask";
  constexpr std::array<std::string_view, 12> texts{".txt", ".TXT", ".text", ".md",  ".tex",  ".py",
                                                   ".js",  ".c",   ".h",    ".cpp", ".java", ".rs"};
  if (std::ranges::find(texts, path.extension().string()) != texts.end()) return "text";
  return {};
}

void list(const fs::path& entry, FolderListing& listing) {
  constexpr std::size_t most = 5000;
  std::error_code unknown;
  std::string name = entry.filename().string();
  if (name.starts_with('.') || listing.names.size() + listing.files.size() >= most) return;
  if (!fs::is_directory(entry, unknown)) {
    if (std::string what = kind_of_openable(entry); !what.empty())
      listing.files.push_back({std::move(name), std::move(what)});
  } else if (has_model_config(entry)) {
    listing.files.push_back({std::move(name), "model"});
  } else {
    listing.names.push_back(std::move(name));
  }
}

}  // namespace

fs::path folder_from_typed(const std::string& typed) {
  if (typed.empty()) return ".";
  const fs::path home = environment_variable("HOME");
  const bool is_home = !home.empty() && (typed == "~" || typed.starts_with("~/"));
  return is_home ? home / typed.substr(std::min<std::size_t>(typed.size(), 2)) : fs::path(typed);
}

std::string shown_folder(const fs::path& folder) {
  std::string home = fs::path(environment_variable("HOME")).lexically_normal().string();
  while (home.size() > 1 && home.ends_with('/')) home.pop_back();
  std::string path = folder.lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (home.size() <= 1 || !path.starts_with(home)) return path;
  if (path.size() == home.size()) return "~";
  return path[home.size()] == '/' ? "~" + path.substr(home.size()) : path;
}

std::string pictures_folder() {
  const fs::path home = environment_variable("HOME");
  fs::path settings = environment_variable("XDG_CONFIG_HOME");
  if (settings.empty() && !home.empty()) settings = home / ".config";
  const auto lines = read_file(settings / "user-dirs.dirs");
  constexpr std::string_view variable = "$HOME";
  std::string value = lines ? pictures_in(*lines) : std::string();
  if (value.starts_with(variable)) value = home.string() + value.substr(variable.size());
  std::error_code unknown;
  const bool is_own = !value.empty() &&
                      fs::path(value).lexically_normal() != (home / "").lexically_normal() &&
                      fs::path(value).lexically_normal() != home.lexically_normal();
  if (is_own && fs::is_directory(value, unknown)) return shown_folder(value);
  if (fs::is_directory(home, unknown)) return shown_folder(home);
  const fs::path here = fs::current_path(unknown);
  return unknown ? std::string() : shown_folder(here);
}

FolderListing listing_of(const std::string& folder) {
  std::error_code problem;
  const fs::path path = fs::absolute(folder_from_typed(folder), problem).lexically_normal();
  const fs::path plain = path.has_filename() ? path : path.parent_path();
  FolderListing listing{folder, shown_folder(plain), shown_folder(plain.parent_path()), {}, {}, false, {}};
  fs::directory_iterator entries(path, problem);
  for (; !problem && entries != fs::directory_iterator(); entries.increment(problem))
    list(entries->path(), listing);
  if (problem) listing.problem = "This folder cannot be read: " + problem.message() + ".";
  listing.is_model = !problem && has_model_config(path);
  listing.is_there = problem != std::errc::no_such_file_or_directory;
  std::ranges::sort(listing.names);
  std::ranges::sort(listing.files, {}, &ListedFile::name);
  return listing;
}

void FolderLister::list(const std::string& folder) {
  if (listed_ == folder || queue_.busy()) return;
  listed_ = folder;
  queue_.submit([folder] { return listing_of(folder); },
                [folder](const std::string& problem) {
                  return FolderListing{folder, folder, folder, {}, {}, false, problem};
                });
}

}  // namespace headscope
