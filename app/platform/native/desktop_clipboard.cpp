#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "app/platform/clipboard.h"
#include "app/platform/native/descriptor.h"
#include "core/text/utf8.h"

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
      if (const int error = start(keeper, theirs.get(), process); error != 0) return error;
    }
    const timeval patience{patience_in_seconds, 0};
    setsockopt(ours.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    is_sent = send_all(ours.get(), png);
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

namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Reply = std::unique_ptr<T, Free>;

constexpr std::uint32_t max_bytes = std::uint32_t{64} << 20U;

tl::unexpected<Error> not_pasted(const std::string& why) {
  return failure("nothing was pasted: " + why);
}

/// A hidden window on its own connection, whose events GLFW does not take.
class Requestor {
 public:
  Requestor() : connection_(xcb_connect(nullptr, nullptr)) {
    if (!is_connected()) return;
    const xcb_screen_t& screen = *xcb_setup_roots_iterator(xcb_get_setup(connection_)).data;
    const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
    window_ = xcb_generate_id(connection_);
    xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screen.root, 0, 0, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, screen.root_visual, XCB_CW_EVENT_MASK, &events);
    clipboard_ = atom("CLIPBOARD");
    utf8_ = atom("UTF8_STRING");
    parts_ = atom("INCR");
  }
  ~Requestor() { xcb_disconnect(connection_); }
  Requestor(const Requestor&) = delete;
  Requestor& operator=(const Requestor&) = delete;

  bool is_connected() const { return xcb_connection_has_error(connection_) == 0; }

  /// Fails if nothing arrives for one second, if the transfer takes more than ten seconds, or if the text
  /// exceeds 64 MiB.
  Result<std::string> read(const std::function<void()>& meanwhile) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds patience(1);
    constexpr std::chrono::seconds longest(10);
    constexpr int poll_interval = 5;  // milliseconds
    const Clock::time_point end = Clock::now() + longest;
    Clock::time_point until = Clock::now() + patience;
    std::string text;
    request(utf8_);
    while (!is_done_) {
      const Reply<xcb_generic_event_t> event(xcb_poll_for_event(connection_));
      if (event && Clock::now() < end) {
        take(*event, text);
        if (is_too_long_ || text.size() > max_bytes)
          return not_pasted("the clipboard holds more than 64 MiB. Save it to a file, and open that.");
        until = std::min(end, Clock::now() + patience);
        continue;
      }
      if (!is_connected()) return not_pasted("the connection to the display was lost. Try again.");
      if (Clock::now() > end)
        return not_pasted(
            "the program that holds the clipboard did not send all of it in ten seconds. Save the text to a file, and open that.");
      if (Clock::now() > until)
        return not_pasted(
            "the program that holds the clipboard sent nothing for a second. Copy the text again, or end that program.");
      meanwhile();
      pollfd arrival{xcb_get_file_descriptor(connection_), POLLIN, 0};
      ::poll(&arrival, 1, poll_interval);
    }
    return text;
  }

 private:
  xcb_atom_t atom(std::string_view name) {
    const auto cookie = xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(name.size()), name.data());
    const Reply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(connection_, cookie, nullptr));
    return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
  }
  void request(xcb_atom_t type) {
    text_type_ = type;
    xcb_convert_selection(connection_, window_, clipboard_, type, clipboard_, XCB_CURRENT_TIME);
    xcb_flush(connection_);
  }
  void take(const xcb_generic_event_t& event, std::string& text) {
    constexpr unsigned without_sender = 0x7F;
    const unsigned kind = event.response_type & without_sender;
    if (kind == XCB_SELECTION_NOTIFY) {
      const auto& answer = reinterpret_cast<const xcb_selection_notify_event_t&>(event);
      if (answer.property != XCB_ATOM_NONE) {
        consume_property(text);
      } else if (text_type_ == utf8_) {
        request(XCB_ATOM_STRING);
      } else {
        is_done_ = true;
      }
    } else if (kind == XCB_PROPERTY_NOTIFY && comes_in_parts_) {
      const auto& change = reinterpret_cast<const xcb_property_notify_event_t&>(event);
      if (change.state == XCB_PROPERTY_NEW_VALUE) consume_property(text);
    }
  }
  /// Reads the property and deletes it, which requests the next part.
  void consume_property(std::string& text) {
    const auto cookie = xcb_get_property(connection_, 1, window_, clipboard_, XCB_ATOM_ANY, 0, max_bytes / 4);
    const Reply<xcb_get_property_reply_t> reply(xcb_get_property_reply(connection_, cookie, nullptr));
    const int size = reply ? xcb_get_property_value_length(reply.get()) : 0;
    is_too_long_ = is_too_long_ || (reply && reply->bytes_after > 0);
    if (size > 0 && reply->type == parts_) {
      comes_in_parts_ = true;
      return;
    }
    const std::string_view part(size > 0 ? static_cast<const char*>(xcb_get_property_value(reply.get())) : "",
                                static_cast<std::size_t>(size));
    if (text_type_ == utf8_) {
      text += part;
    } else {
      for (const char latin_1 : part) text += to_utf8(static_cast<unsigned char>(latin_1));
    }
    is_done_ = !comes_in_parts_ || size == 0;
  }

  xcb_connection_t* connection_;
  xcb_window_t window_ = 0;
  xcb_atom_t clipboard_ = 0;  ///< also the property in which the owner puts the text
  xcb_atom_t utf8_ = 0;
  xcb_atom_t parts_ = 0;
  xcb_atom_t text_type_ = 0;  ///< the type of the text
  bool comes_in_parts_ = false;
  bool is_too_long_ = false;
  bool is_done_ = false;
};

}  // namespace

Result<std::string> read_x11_clipboard(const std::function<void()>& meanwhile) {
  Requestor requestor;
  if (!requestor.is_connected()) return not_pasted("the display cannot be reached.");
  return requestor.read(meanwhile);
}

}  // namespace headscope
