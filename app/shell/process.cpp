#include "app/shell/process.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "core/caught.h"

namespace headscope {
namespace {

[[noreturn]] void end_with_message() {
  if (std::current_exception()) {
    std::cerr << "headscope: " << caught_text() << std::endl;
    std::_Exit(EXIT_FAILURE);
  }
  std::abort();
}

}  // namespace

void prepare_process() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_with_message);
}

}  // namespace headscope
