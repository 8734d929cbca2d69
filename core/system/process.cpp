#include "core/system/process.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <utility>

namespace headscope {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  // In a library loaded by another program, such as a Python module, the installed file is the library.
  Dl_info own{}, program_itself{};
  const auto* headers =
      reinterpret_cast<const void*>(::getauxval(AT_PHDR));  // NOLINT(performance-no-int-to-ptr)
  const bool is_known = ::dladdr(reinterpret_cast<const void*>(&program_folder), &own) != 0 &&
                        ::dladdr(headers, &program_itself) != 0;
  if (is_known && own.dli_fbase != program_itself.dli_fbase)
    return fs::canonical(own.dli_fname, error).parent_path();
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    // Without /proc, use the path passed to execve.
    const auto* name =
        reinterpret_cast<const char*>(::getauxval(AT_EXECFN));  // NOLINT(performance-no-int-to-ptr)
    if (name == nullptr) return {};
    program = fs::canonical(name, error);
  }
  return error ? fs::path() : program.parent_path();
}

bool has_visible_folders() {
  return true;
}

void lower_thread_priority() {
  constexpr int nice = 10;
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, nice));  // Best effort.
}

bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

int terminal_columns(int fallback) {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : fallback;
}

namespace {

namespace fs = std::filesystem;

/// Adds a data folder, ignoring relative ones as the XDG specification requires.
void add(const fs::path& data, std::vector<fs::path>& places) {
  if (data.is_absolute()) places.push_back((data / "headscope" / "models").lexically_normal());
}

}  // namespace

std::vector<fs::path> bundled_model_folders() {
  std::vector<fs::path> places;
  if (const fs::path folder = program_folder(); !folder.empty()) {
    add(folder / ".." / "share", places);
    add(folder / "share", places);
  }
  const std::string home = environment_variable("HOME");
  std::string data_home = environment_variable("XDG_DATA_HOME");
  if (data_home.empty() && !home.empty()) data_home = home + "/.local/share";
  add(data_home, places);
  std::string rest = environment_variable("XDG_DATA_DIRS");
  if (rest.empty()) rest = "/usr/local/share:/usr/share";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    add(rest.substr(0, end), places);
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return places;
}

namespace {

/// The Hugging Face hub cache. Empty without a home folder.
fs::path hub_cache(const fs::path& home) {
  if (const std::string cache = environment_variable("HF_HUB_CACHE"); !cache.empty()) return cache;
  if (const std::string folder = environment_variable("HF_HOME"); !folder.empty())
    return fs::path(folder) / "hub";
  fs::path caches = environment_variable("XDG_CACHE_HOME");
  if (caches.empty() && !home.empty()) caches = home / ".cache";
  return caches.empty() ? fs::path() : caches / "huggingface" / "hub";
}

}  // namespace

std::vector<fs::path> downloaded_model_folders() {
  const fs::path home = environment_variable("HOME");
  fs::path ollama = environment_variable("OLLAMA_MODELS");
  if (ollama.empty() && !home.empty()) ollama = home / ".ollama" / "models";
  std::vector<fs::path> places{hub_cache(home), std::move(ollama)};
  if (!home.empty()) {
    places.push_back(home / ".lmstudio" / "models");
    places.push_back(home / ".cache" / "lm-studio" / "models");
  }
  std::erase(places, fs::path());
  return places;
}

fs::path window_socket_path() {
  if (const std::string folder = environment_variable("XDG_RUNTIME_DIR"); fs::path(folder).is_absolute())
    return fs::path(folder) / "headscope.socket";
  fs::path state = environment_variable("XDG_STATE_HOME");
  if (!state.is_absolute() && !environment_variable("HOME").empty())
    state = fs::path(environment_variable("HOME")) / ".local" / "state";
  return state.is_absolute() ? state / "headscope" / "socket" : fs::path();
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing writes to it
  return value != nullptr ? value : "";
}

}  // namespace headscope
