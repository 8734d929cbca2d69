#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/platform/clipboard.h"

namespace headscope {
namespace {

constexpr int patience_in_seconds = 5;

/// A program that reads a picture from its input and keeps it on the clipboard.
struct ClipboardHelper {
  const char* variable;  ///< the environment variable that names its display
  const char* package;
  std::vector<const char*> command;
};

std::array<ClipboardHelper, 2> clipboard_helpers() {
  return {ClipboardHelper{"WAYLAND_DISPLAY", "wl-clipboard", {"wl-copy", "--type", "image/png"}},
          ClipboardHelper{"DISPLAY", "xclip", {"xclip", "-selection", "clipboard", "-t", "image/png"}}};
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// Starts the program with `input` as standard input and without output, in its own process group, so that a
/// signal to this process does not end it. Returns 0 or an error number.
int start(const ClipboardHelper& keeper, int input, pid_t& process) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // This process blocks the signals that end it, to receive them in one thread; the child must not.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> arguments;
  arguments.reserve(keeper.command.size() + 1);
  for (const char* word : keeper.command) arguments.push_back(const_cast<char*>(word));
  arguments.push_back(nullptr);
  const int error =
      posix_spawnp(&process, keeper.command.front(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/// Returns false if the receiver does not take all bytes.
bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Waits for the program to exit, which it does once a child keeps the picture. Returns whether it succeeded.
bool exits_successfully(pid_t process) {
  constexpr std::chrono::milliseconds poll_interval(5);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(patience_in_seconds);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(process, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (std::chrono::steady_clock::now() > until) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(poll_interval);
  }
  return ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Gives the picture to the program. Returns 0 or an error number, which is ENOENT if the program is not
/// installed.
int hand_over(const ClipboardHelper& keeper, const std::string& png) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return errno;
  pid_t process = 0;
  bool is_sent = false;
  {
    const Descriptor ours(ends[0]);
    {
      const Descriptor theirs(ends[1]);
      if (const int error = start(keeper, theirs.number(), process); error != 0) return error;
    }
    const timeval patience{patience_in_seconds, 0};
    setsockopt(ours.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    is_sent = send_all(ours.number(), png);
  }
  return exits_successfully(process) && is_sent ? 0 : EIO;
}

}  // namespace

Result<void> copy_picture_to_desktop(const std::string& png) {
  std::string problem;
  for (const ClipboardHelper& keeper : clipboard_helpers()) {
    if (!is_set(keeper.variable)) continue;
    const int error = hand_over(keeper, png);
    if (error == 0) return {};
    const std::string program = keeper.command.front();
    if (!problem.empty()) problem += "; ";
    if (error == ENOENT) {
      problem += program + ", which would keep the picture, is not installed (sudo apt install " +
                 keeper.package + ")";
    } else {
      problem += program + " did not accept the picture" +
                 (error == EIO ? "" : std::string(": ") + std::strerror(error));
    }
  }
  if (problem.empty()) problem = "there is no display";
  return failure(problem + ". Export the picture to a file instead");
}

}  // namespace headscope
