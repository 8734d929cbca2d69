#include "core/io/stored_zip.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace headscope {
namespace {

constexpr std::uint64_t in_64_bits = 0xFFFFFFFF;
constexpr const char* damaged = "it is damaged or cut off";

/// Reads a little-endian number of `n` bytes. The caller makes sure that it lies within the file.
std::uint64_t number_at(std::string_view file, std::size_t at, std::size_t n) {
  std::uint64_t number = 0;
  for (std::size_t i = n; i-- > 0;) number = number << 8U | static_cast<unsigned char>(file[at + i]);
  return number;
}

/// Whether the `n` bytes from `at` on lie within the file.
bool within(std::string_view file, std::uint64_t at, std::uint64_t n) {
  return at <= file.size() && n <= file.size() - at;
}

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t n_entries = 0;
};

/// Finds the central directory through the end record, which only a comment of limited length may follow.
Result<Directory> find_directory(std::string_view file) {
  constexpr std::size_t end_bytes = 22;
  constexpr std::size_t locator_bytes = 20;
  constexpr std::size_t end_64_bytes = 56;
  constexpr std::size_t most_behind_it = 0xFFFF;
  const std::size_t searched_from = file.size() - std::min(file.size(), end_bytes + most_behind_it);
  const std::size_t found_at = file.substr(searched_from).rfind("PK\x05\x06");
  if (found_at == std::string_view::npos) return failure(damaged);
  const std::size_t end = searched_from + found_at;
  if (!within(file, end, end_bytes)) return failure(damaged);
  Directory found{number_at(file, end + 16, 4), number_at(file, end + 12, 4), number_at(file, end + 10, 2)};
  const bool has_locator = end >= locator_bytes && file.substr(end - locator_bytes, 4) == "PK\x06\x07";
  if (has_locator) {
    const std::uint64_t at = number_at(file, end - locator_bytes + 8, 8);
    if (!within(file, at, end_64_bytes) || file.substr(at, 4) != "PK\x06\x06") return failure(damaged);
    found = {number_at(file, at + 48, 8), number_at(file, at + 40, 8), number_at(file, at + 32, 8)};
  }
  if (!within(file, found.begin, found.bytes)) return failure(damaged);
  return found;
}

/// An entry as the central directory lists it.
struct Listed {
  std::string_view name;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t header = 0;
};

/// Replaces the numbers that did not fit into 32 bits by the 64-bit numbers of an extra field.
bool read_extra(std::string_view extra, Listed& listed) {
  while (extra.size() >= 4) {
    const std::uint64_t tag = number_at(extra, 0, 2);
    const std::uint64_t length = number_at(extra, 2, 2);
    extra.remove_prefix(4);
    if (length > extra.size()) return false;
    std::string_view field = extra.substr(0, length);
    extra.remove_prefix(length);
    if (tag != 1) continue;
    for (std::uint64_t* number : {&listed.size, &listed.packed, &listed.header}) {
      if (*number != in_64_bits) continue;
      if (field.size() < 8) return false;
      *number = number_at(field, 0, 8);
      field.remove_prefix(8);
    }
  }
  return true;
}

/// Reads the next entry of the directory and removes it from `rest`.
Result<Listed> next_listed(std::string_view& rest) {
  constexpr std::size_t fixed_bytes = 46;
  if (rest.size() < fixed_bytes || rest.substr(0, 4) != "PK\x01\x02") return failure(damaged);
  const std::uint64_t flags = number_at(rest, 8, 2);
  const std::uint64_t method = number_at(rest, 10, 2);
  const std::uint64_t name_size = number_at(rest, 28, 2);
  const std::uint64_t extra_size = number_at(rest, 30, 2);
  const std::uint64_t comment_size = number_at(rest, 32, 2);
  if (!within(rest, fixed_bytes, name_size + extra_size + comment_size)) return failure(damaged);
  Listed listed{rest.substr(fixed_bytes, name_size), number_at(rest, 20, 4), number_at(rest, 24, 4),
                number_at(rest, 42, 4)};
  if (!read_extra(rest.substr(fixed_bytes + name_size, extra_size), listed)) return failure(damaged);
  rest.remove_prefix(fixed_bytes + name_size + extra_size + comment_size);
  const std::string entry = "its entry '" + std::string(listed.name) + "' is ";
  if ((flags & 1U) != 0) return failure(entry + "encrypted");
  if (method != 0 || listed.packed != listed.size)
    return failure(entry + "compressed, which torch.save never does: compressed entries are not read");
  return listed;
}

/// Finds the bytes of an entry, which follow a local header that repeats its name.
Result<StoredEntry> located(std::string_view file, const Listed& listed) {
  constexpr std::size_t fixed_bytes = 30;
  const auto lies = [&] {
    return failure("its entry '" + std::string(listed.name) + "' lies outside the file");
  };
  if (!within(file, listed.header, fixed_bytes) || file.substr(listed.header, 4) != "PK\x03\x04")
    return lies();
  const std::uint64_t names = number_at(file, listed.header + 26, 2) + number_at(file, listed.header + 28, 2);
  const std::uint64_t begin = listed.header + fixed_bytes + names;
  if (!within(file, begin, listed.size)) return lies();
  return StoredEntry{listed.name, file.substr(begin, listed.size)};
}

/// The name of an entry that shares bytes with another. No value if there is none.
std::optional<std::string_view> overlapping(std::vector<StoredEntry> entries) {
  std::ranges::sort(entries, {}, [](const StoredEntry& entry) { return entry.bytes.data(); });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i - 1].bytes.data() + entries[i - 1].bytes.size() > entries[i].bytes.data())
      return entries[i].name;
  }
  return std::nullopt;
}

}  // namespace

bool is_zip(std::string_view file) {
  return file.starts_with("PK\x03\x04");
}

Result<std::vector<StoredEntry>> stored_entries(std::string_view file) {
  const auto directory = find_directory(file);
  if (!directory) return tl::unexpected(directory.error());
  std::string_view rest = file.substr(directory->begin, directory->bytes);
  std::vector<StoredEntry> entries;
  while (!rest.empty()) {
    const auto listed = next_listed(rest);
    if (!listed) return tl::unexpected(listed.error());
    const auto entry = located(file, *listed);
    if (!entry) return tl::unexpected(entry.error());
    entries.push_back(*entry);
  }
  if (entries.size() != directory->n_entries) return failure(damaged);
  if (const auto twice = overlapping(entries))
    return failure("its entry '" + std::string(*twice) + "' overlaps another");
  return entries;
}

}  // namespace headscope
