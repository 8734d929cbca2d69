#include "tests/fuzz/fuzzing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "core/text/visible.h"

namespace headscope::fuzzing {
namespace {

struct Lead {
  unsigned char first, last;      ///< The range of leading bytes.
  unsigned char lowest, highest;  ///< The range of the byte after them.
  int more;                       ///< The number of bytes after the leading one.
};

constexpr std::array<Lead, 9> leads{{{0x00, 0x7F, 0x80, 0xBF, 0},
                                     {0xC2, 0xDF, 0x80, 0xBF, 1},
                                     {0xE0, 0xE0, 0xA0, 0xBF, 2},
                                     {0xE1, 0xEC, 0x80, 0xBF, 2},
                                     {0xED, 0xED, 0x80, 0x9F, 2},
                                     {0xEE, 0xEF, 0x80, 0xBF, 2},
                                     {0xF0, 0xF0, 0x90, 0xBF, 3},
                                     {0xF1, 0xF3, 0x80, 0xBF, 3},
                                     {0xF4, 0xF4, 0x80, 0x8F, 3}}};

/// Returns the length in bytes of the UTF-8 sequence at the beginning of a text, or 0 if it is ill-formed.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (const Lead& lead : leads) {
    if (byte(0) < lead.first || byte(0) > lead.last) continue;
    const auto length = static_cast<std::size_t>(lead.more) + 1;
    if (text.size() < length) return 0;
    if (length > 1 && (byte(1) < lead.lowest || byte(1) > lead.highest)) return 0;
    for (std::size_t i = 2; i < length; ++i) {
      if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
    }
    return length;
  }
  return 0;
}

/// Returns whether a text begins with a control character: C0, DEL, or C1 encoded in UTF-8.
bool begins_with_control(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x20 || first == 0x7F) return true;
  return first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "headscope-fuzz-XXXXXX").string();
    require(::mkdtemp(pattern.data()) != nullptr, "a folder for files can be made");
    path_ = pattern;
    std::filesystem::current_path(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::current_path(path_.parent_path(), ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

void (*next_work)() = [] {};

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void require_readable(std::string_view message) {
  require(!message.empty(), "a message says something");
  require_printed(escaped_message(message));
}

void require_printed(std::string_view message) {
  for (std::string_view rest = message; !rest.empty();) {
    const std::size_t length = sequence_length(rest);
    if (length == 0) require(false, "a message is UTF-8: " + std::string(message));
    if (begins_with_control(rest) && !rest.starts_with("\n  "))
      require(false, "a message has no control characters: " + std::string(message));
    rest.remove_prefix(length);
  }
}

void require_weights(const MatrixView& map) {
  constexpr double tolerance = 1e-3;
  for (int row = 0; row < map.rows; ++row) {
    double sum = 0.0;
    for (int col = 0; col < map.cols; ++col) {
      const auto weight = static_cast<double>(map(row, col));
      require(weight >= 0.0 && weight <= 1.0 + tolerance, "a weight is a share");
      sum += weight;
    }
    require(sum == 0.0 || std::abs(sum - 1.0) < tolerance, "a row of weights sums to 1 or is 0");
  }
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::vector<std::string_view> parts_of(std::string_view input, std::size_t n) {
  std::vector<std::string_view> parts(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t end = i + 1 < n ? std::min(input.find('\0'), input.size()) : input.size();
    parts[i] = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return parts;
}

std::string length_bytes(std::size_t length) {
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(length >> shift & 0xFFU);
  return bytes;
}

const std::filesystem::path& scratch() {
  static const ScratchFolder folder;
  return folder.path();
}

void put(const std::string& name, std::string_view bytes) {
  std::ofstream file(scratch() / name, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  require(file.good(), "a file of the harness can be written");
}

}  // namespace headscope::fuzzing
