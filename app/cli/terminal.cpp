#include "app/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace headscope {

bool error_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

int output_columns(int otherwise) {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : otherwise;
}

}  // namespace headscope
