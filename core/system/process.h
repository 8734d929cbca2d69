#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// The folder of the running program, or of this shared library if another program loaded it. Empty if
/// unknown.
std::filesystem::path program_folder();

/// Whether the file system is visible to users. In a browser it is private: files are uploaded and
/// downloaded.
bool has_visible_folders();

/// Lowers the priority of this thread and of threads that it starts (on Linux, priority is per thread).
void lower_thread_priority();

/// Whether standard error is a terminal, on which a line can be overwritten.
bool stderr_is_terminal();

/// The width of the terminal on standard output in columns, or `fallback` if it is unknown or not a
/// terminal.
int terminal_columns(int fallback);

/// The folders to search for bundled models, in order: relative to the program, installed (BIN/../share) or
/// in the build tree, so that both are relocatable; then the XDG data folders ($XDG_DATA_HOME,
/// $XDG_DATA_DIRS). Call this before changing the working directory.
std::vector<std::filesystem::path> bundled_model_folders();

/// The usual folders of downloaded models: the Hugging Face hub cache ($HF_HUB_CACHE, else $HF_HOME/hub, else
/// huggingface/hub in the cache folder), LM Studio (~/.lmstudio/models, ~/.cache/lm-studio/models) and Ollama
/// ($OLLAMA_MODELS, else ~/.ollama/models).
std::vector<std::filesystem::path> downloaded_model_folders();

/// The value of an environment variable, or empty if it is unset.
std::string environment_variable(const char* name);

/// The path that a user typed. An empty one is the current folder, and ~ is the home folder, as in a shell.
inline std::filesystem::path path_from_typed(const std::string& typed) {
  if (typed.empty()) return ".";
  const std::filesystem::path home = environment_variable("HOME");
  const bool is_home = !home.empty() && (typed == "~" || typed.starts_with("~/"));
  return is_home ? home / typed.substr(std::min<std::size_t>(typed.size(), 2)) : std::filesystem::path(typed);
}

/// The path of the socket on which the window can listen: in $XDG_RUNTIME_DIR, else
/// $XDG_STATE_HOME/headscope, else ~/.local/state/headscope. Empty if there is no such folder.
std::filesystem::path window_socket_path();

}  // namespace headscope
