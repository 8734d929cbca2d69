#include <variant>

#include "app/cli/run_command_line.h"
#include "app/shell/process.h"
#include "app/shell/run_window.h"

int main(int argc, char** argv) {
  headscope::prepare_process();
  const auto asked = headscope::run_command_line(argc, argv);
  if (const int* exit_code = std::get_if<int>(&asked)) return *exit_code;
  return headscope::run_window(std::get<headscope::WindowRequest>(asked));
}
