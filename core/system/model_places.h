#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// The folders that may hold the bundled models, in order of preference: beside the running program, whether
/// it is installed (BIN/../share) or just built, so that either can be moved; then the data folders of the
/// XDG base directory specification ($XDG_DATA_HOME, $XDG_DATA_DIRS). Call this before the program changes
/// its working folder.
std::vector<std::filesystem::path> model_places();

/// Returns where downloaded models usually lie: in the cache of Hugging Face's hub ($HF_HUB_CACHE, else
/// $HF_HOME/hub, else huggingface/hub in the folder for caches), in LM Studio's folders (.lmstudio/models and
/// .cache/lm-studio/models in the home folder), and in Ollama's ($OLLAMA_MODELS, else .ollama/models in the
/// home folder).
std::vector<std::filesystem::path> downloaded_models();

/// The value of an environment variable; empty if it is not set.
std::string environment(const char* name);

/// The socket on which the window listens if it is asked to: in $XDG_RUNTIME_DIR or, without it, in
/// $XDG_STATE_HOME/headscope or ~/.local/state/headscope. Empty if there is no such folder.
std::filesystem::path window_socket();

}  // namespace headscope
