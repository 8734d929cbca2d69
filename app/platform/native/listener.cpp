#include "app/platform/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "app/platform/native/descriptor.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::optional<sockaddr_un> address_of(const fs::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& name = socket.native();
  if (name.empty() || name.size() >= sizeof(address.sun_path)) return std::nullopt;
  std::ranges::copy(name, static_cast<char*>(address.sun_path));
  return address;
}

const sockaddr* any(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Descriptor new_socket(int flags = 0) {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
}

/// The device and inode of a file, which reveal that it has been replaced.
using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> identity_of(const fs::path& file) {
  struct stat about {};
  if (::lstat(file.c_str(), &about) != 0) return std::nullopt;
  return FileId{about.st_dev, about.st_ino};
}

bool is_of_this_user(int connection) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

/// Waits until the descriptor can be read or `stop` is set. Returns false after the time, and if it is set.
bool wait_for(int descriptor, int stop, int milliseconds) {
  std::array<pollfd, 2> both{pollfd{descriptor, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
  int ready = 0;
  do {
    ready = ::poll(both.data(), both.size(), milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && both[1].revents == 0;
}

std::optional<std::string> read_line(int connection, int stop) {
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(Listener::timeout_ms);
  std::string line;
  while (line.size() <= Listener::max_bytes) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 || !wait_for(connection, stop, static_cast<int>(left))) return std::nullopt;
    std::array<char, 512> part{};
    const ssize_t n = ::recv(connection, part.data(), part.size(), 0);
    if (n <= 0) return std::nullopt;
    line.append(part.data(), static_cast<std::size_t>(n));
    if (const std::size_t at = line.find('\n'); at != std::string::npos)
      return at <= Listener::max_bytes ? std::optional(line.substr(0, at)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

struct Listener::State {
  fs::path path;
  Descriptor socket;
  Descriptor stop;
  Answer answer;
  std::optional<FileId> identity = {};
  std::thread thread = {};

  void run() const {
    for (;;) {
      constexpr int forever = -1;
      if (!wait_for(socket.get(), stop.get(), forever)) return;
      const Descriptor connection(::accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (connection.get() < 0) {
        // The connection would be accepted again at once: too many files are open, say.
        constexpr int until_next_try = 100;
        wait_for(stop.get(), stop.get(), until_next_try);
        continue;
      }
      if (!is_of_this_user(connection.get())) continue;
      const auto line = read_line(connection.get(), stop.get());
      if (!line) continue;
      const std::string reply = answer(*line) + "\n";
      // An answer fits into the buffer of the socket, so this does not wait for the other program.
      static_cast<void>(::send(connection.get(), reply.data(), reply.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    }
  }
};

Result<std::unique_ptr<Listener>> Listener::open(const fs::path& socket, Answer answer) {
  const auto cannot = [&](const std::string& why) {
    return failure("cannot listen on '" + socket.string() + "': " + why);
  };
  const auto address = address_of(socket);
  if (!address) return cannot("the path is empty or too long for a socket");
  std::error_code error;
  fs::create_directories(socket.parent_path(), error);
  {
    const Descriptor other = new_socket(SOCK_NONBLOCK);
    const int refusal = ::connect(other.get(), any(*address), sizeof(*address)) == 0 ? 0 : errno;
    if (refusal == 0 || refusal == EAGAIN) return cannot("another window listens there");
    // Left behind by a killed process.
    if (refusal == ECONNREFUSED && fs::is_socket(socket, error)) fs::remove(socket, error);
  }
  auto state = std::make_unique<State>(
      State{socket, new_socket(), Descriptor(::eventfd(0, EFD_CLOEXEC)), std::move(answer)});
  const int descriptor = state->socket.get();
  constexpr mode_t only_this_user = S_IRUSR | S_IWUSR;
  constexpr int max_waiting = 8;
  // Set the mode before the socket has a name, so that others can never connect.
  const bool listens = ::fchmod(descriptor, only_this_user) == 0 &&
                       ::bind(descriptor, any(*address), sizeof(*address)) == 0 &&
                       ::chmod(socket.c_str(), only_this_user) == 0 && ::listen(descriptor, max_waiting) == 0;
  if (!listens) return cannot(std::system_category().message(errno));
  state->identity = identity_of(socket);
  state->thread = std::thread([&all = *state] { all.run(); });
  return std::unique_ptr<Listener>(new Listener(std::move(state)));
}

Listener::Listener(std::unique_ptr<State> state) : state_(std::move(state)) {}

Listener::~Listener() {
  const std::uint64_t one = 1;
  static_cast<void>(::write(state_->stop.get(), &one, sizeof(one)) > 0);
  state_->thread.join();
  std::error_code unknown;
  if (state_->identity && identity_of(state_->path) == state_->identity) fs::remove(state_->path, unknown);
}

}  // namespace headscope
