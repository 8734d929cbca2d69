#include "core/system/process.h"

#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <system_error>

namespace headscope {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    // Without /proc, use the path with which the kernel was asked to run the program.
    const auto* name =
        reinterpret_cast<const char*>(::getauxval(AT_EXECFN));  // NOLINT(performance-no-int-to-ptr)
    if (name == nullptr) return {};
    program = fs::canonical(name, error);
  }
  return error ? fs::path() : program.parent_path();
}

bool has_folders() {
  return true;
}

void yield_to_other_threads() {
  constexpr int nice = 10;
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, nice));  // If this fails, training is only less polite.
}

bool error_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

int output_columns(int otherwise) {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : otherwise;
}

}  // namespace headscope
