#include "core/system/process.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <system_error>

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

}  // namespace headscope
