#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <variant>

#include "app/cli/run_command_line.h"
#include "app/shell/run_window.h"
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

/// Maps a page of zeros where a mapped file has been cut off, so that its reader can continue. If anything
/// else raised the signal, the process ends as it would without this handler.
void put_zeros(int signal, siginfo_t* info, void* /*context*/) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr) / page * page;
  const bool is_beyond_file = info->si_code == BUS_ADRERR;
  void* const begin = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (is_beyond_file && ::mmap(begin, page, PROT_READ, flags, -1, 0) == begin) return;
  std::signal(signal, SIG_DFL);
}

void guard_mapped_files() {
  struct sigaction guard {};
  guard.sa_sigaction = put_zeros;
  guard.sa_flags = SA_SIGINFO;
  ::sigemptyset(&guard.sa_mask);
  ::sigaction(SIGBUS, &guard, nullptr);
}

/// Prepares the whole process before anything else runs:
/// - Writing a file beyond the allowed size becomes an error instead of ending the process.
/// - A file that becomes shorter while it is mapped reads as zeros beyond its end, which
/// MappedFile::is_whole() detects.
/// - An exception that no code can catch (from a destructor) ends the process with a message and code 1.
void prepare_process() {
  guard_mapped_files();
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_with_message);
}

}  // namespace
}  // namespace headscope

int main(int argc, char** argv) {
  headscope::prepare_process();
  const auto asked = headscope::run_command_line(argc, argv);
  if (const int* exit_code = std::get_if<int>(&asked)) return *exit_code;
  return headscope::run_window(std::get<headscope::WindowRequest>(asked));
}
