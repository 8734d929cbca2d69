#include "app/shell/process.h"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
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

}  // namespace

void prepare_process() {
  guard_mapped_files();
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_with_message);
}

}  // namespace headscope
