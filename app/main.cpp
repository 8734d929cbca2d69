#include <cstdlib>
#include <exception>
#include <iostream>
#include <variant>

#include "app/cli/run_command_line.h"
#include "app/shell/run_window.h"
#include "core/caught.h"
#include "core/system/signals.h"

namespace headscope {
namespace {

[[noreturn]] void end_with_message() {
  if (std::current_exception()) {
    std::cerr << "headscope: " << current_exception_message() << std::endl;
    std::_Exit(EXIT_FAILURE);
  }
  std::abort();
}

}  // namespace
}  // namespace headscope

int main(int argc, char** argv) {
  headscope::install_signal_handlers();
  // An exception that no code can catch (from a destructor) ends the process with a message and code 1.
  std::set_terminate(headscope::end_with_message);
  const auto asked = headscope::run_command_line(argc, argv);
  if (const int* exit_code = std::get_if<int>(&asked)) return *exit_code;
  return headscope::run_window(std::get<headscope::WindowRequest>(asked));
}
