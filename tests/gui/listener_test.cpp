#include "app/platform/listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace headscope {
namespace {

namespace fs = std::filesystem;

class ListenerTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(socket_.parent_path()); }
  void TearDown() override { fs::remove_all(socket_.parent_path()); }

  std::unique_ptr<Listener> listener() {
    auto made = Listener::open(socket_, [](const std::string& message) { return "heard " + message; });
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? std::move(*made) : nullptr;
  }
  /// A connection to the socket, or −1.
  int connected() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(socket_.native(), static_cast<char*>(address.sun_path));
    const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
      return connection;
    ::close(connection);
    return -1;
  }
  /// What is answered to a message. Empty if the connection is closed without an answer.
  std::string answer_to(const std::string& message) const {
    const int connection = connected();
    EXPECT_GE(connection, 0);
    static_cast<void>(::send(connection, message.data(), message.size(), MSG_NOSIGNAL));
    std::string said;
    std::array<char, 512> part{};
    for (ssize_t n = 0; (n = ::recv(connection, part.data(), part.size(), 0)) > 0;)
      said.append(part.data(), static_cast<std::size_t>(n));
    ::close(connection);
    return said;
  }

  fs::path socket_ =
      fs::temp_directory_path() / ("headscope-listener-" + std::to_string(::getpid())) / "socket";
};

TEST_F(ListenerTest, AnswersLines) {
  const auto kept = listener();
  EXPECT_EQ(answer_to("one\n"), "heard one\n");
  EXPECT_EQ(answer_to("two\nand more\n"), "heard two\n");
  EXPECT_EQ(answer_to("\n"), "heard \n");
}

TEST_F(ListenerTest, OnlyItsUserMayUseTheSocket) {
  const auto kept = listener();
  struct stat status {};
  ASSERT_EQ(::stat(socket_.c_str(), &status), 0);
  EXPECT_TRUE(S_ISSOCK(status.st_mode));
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(ListenerTest, HostileProgramsGetNoAnswerAndKeepNobodyWaitingForLong) {
  const auto kept = listener();
  EXPECT_EQ(answer_to(std::string(Listener::max_bytes + 1, 'x') + "\n"), "");
  EXPECT_EQ(answer_to(std::string(std::size_t{1} << 16U, 'x')), "");
  const int silent = connected();
  const int gone = connected();
  ::close(gone);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(answer_to("next\n"), "heard next\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(3 * Listener::timeout_ms));
  ::close(silent);
  EXPECT_EQ(answer_to(std::string(Listener::max_bytes, 'x') + "\n").size(), Listener::max_bytes + 7);
}

TEST_F(ListenerTest, OneProgramListensAtATime) {
  auto kept = listener();
  const auto second = Listener::open(socket_, [](const std::string&) { return std::string(); });
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another window listens there"), std::string::npos);
  kept.reset();
  EXPECT_FALSE(fs::exists(socket_));
  EXPECT_EQ(connected(), -1);
  EXPECT_NE(listener(), nullptr);
}

TEST_F(ListenerTest, WhatAKilledProgramLeftIsReplaced) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(socket_.native(), static_cast<char*>(address.sun_path));
  const int left = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ::close(left);
  const auto kept = listener();
  EXPECT_EQ(answer_to("one\n"), "heard one\n");
}

TEST_F(ListenerTest, APathThatIsTooLongIsRefused) {
  EXPECT_FALSE(Listener::open(socket_.parent_path() / std::string(200, 'x'), {}));
}

}  // namespace
}  // namespace headscope
