#include "core/engine/tensor_folder.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "core/io/atomic_file.h"
#include "core/io/npy.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* session_name = "session.json";

bool is_device(const fs::path& path) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

tl::unexpected<Error> cannot_write(const fs::path& path, const std::error_code& error) {
  return failure("cannot write '" + path.string() + "': " + error.message() + "; choose another folder");
}

/// A folder that was not there before, beside the files that go into it or come out of it. What an earlier
/// run left behind must not mix in, so an existing one is not taken.
fs::path new_folder_in(const fs::path& parent, std::error_code& error) {
  constexpr int max_names = 1000;
  const std::string stem = ".headscope-" + std::to_string(::getpid()) + "-";
  for (int i = 0; i < max_names; ++i) {
    fs::path folder = parent / (stem + std::to_string(i) + ".tmp");
    if (fs::create_directory(folder, error)) return folder;
    if (error && error != std::errc::file_exists) return {};
  }
  error = std::make_error_code(std::errc::file_exists);
  return {};
}

/// Renamings that belong together: all are undone when this object goes, unless they are kept.
class Renamings {
 public:
  explicit Renamings(std::size_t most) { done_.reserve(most); }
  Renamings(const Renamings&) = delete;
  Renamings& operator=(const Renamings&) = delete;
  ~Renamings() {
    std::error_code ignored;
    for (auto renaming = done_.rbegin(); renaming != done_.rend(); ++renaming) {
      fs::rename(renaming->second, renaming->first, ignored);
    }
  }

  std::error_code rename(fs::path from, fs::path to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (!error) done_.emplace_back(std::move(from), std::move(to));
    return error;
  }
  void keep() { done_.clear(); }

 private:
  std::vector<std::pair<fs::path, fs::path>> done_;
};

/// Moves every file of `from` to `to`, and the files that it replaces to `replaced`; all or none.
Result<void> replace_files(const fs::path& from, const fs::path& to, const fs::path& replaced) {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(from)) names.push_back(entry.path().filename());
  Renamings renamings(2 * names.size());
  for (const fs::path& name : names) {
    const fs::file_status old = fs::symlink_status(to / name);
    std::error_code error;
    if (fs::is_directory(old)) {
      error = std::make_error_code(std::errc::is_a_directory);
    } else if (fs::exists(old)) {
      error = renamings.rename(to / name, replaced / name);
    }
    if (!error) error = renamings.rename(from / name, to / name);
    if (error) return cannot_write(to / name, error);
  }
  renamings.keep();
  return {};
}

/// A folder in the making: its files are written apart and moved to their place when all are there. What is
/// still apart when this object goes, goes too.
class FolderInTheMaking {
 public:
  static Result<FolderInTheMaking> create(const fs::path& folder) {
    FolderInTheMaking made;
    made.folder_ = fs::absolute(folder / "").parent_path();  // without a trailing slash
    made.is_new_ = !fs::exists(made.folder_);
    const fs::path beside = made.is_new_ ? made.folder_.parent_path() : made.folder_;
    std::error_code error;
    made.apart_ = new_folder_in(beside, error);
    if (error) return cannot_write(folder, error);
    return made;
  }

  FolderInTheMaking(FolderInTheMaking&& other) noexcept
      : folder_(std::move(other.folder_)), apart_(std::exchange(other.apart_, {})), is_new_(other.is_new_) {}
  FolderInTheMaking& operator=(FolderInTheMaking&&) = delete;
  ~FolderInTheMaking() {
    std::error_code ignored;
    if (!apart_.empty()) fs::remove_all(apart_, ignored);
  }

  /// Where to write the files of the folder.
  const fs::path& apart() const { return apart_; }

  Result<void> finish() {
    std::error_code error;
    if (is_new_) {
      fs::rename(apart_, folder_, error);
      if (error) return cannot_write(folder_, error);
      apart_.clear();
      return {};
    }
    const fs::path replaced = new_folder_in(folder_, error);
    if (error) return cannot_write(folder_, error);
    auto done = replace_files(apart_, folder_, replaced);
    if (done) {
      fs::remove_all(replaced, error);
    } else {
      fs::remove(replaced, error);  // stays where a file could not be put back, and holds it
    }
    return done;
  }

 private:
  FolderInTheMaking() = default;

  fs::path folder_;
  fs::path apart_;  ///< empty once moved
  bool is_new_ = false;
};

/// An error where the folder holds a stage that `set` does not have.
Result<void> check_no_other_trace(const TensorSet& set, const fs::path& folder) {
  std::set<std::string_view> names;
  for (const TensorView& tensor : set.tensors) names.insert(tensor.name);
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path file = entry->path();
    const std::string stem = file.stem().string();
    const bool is_stage = file.extension() == ".npy" && parse_path(stem).has_value();
    if (!is_stage || names.contains(stem)) continue;
    return failure("the folder '" + folder.string() + "' holds " + file.filename().string() +
                   " of another trace, which this one does not have: choose an empty folder, or empty this "
                   "one");
  }
  if (error && error != std::errc::no_such_file_or_directory) return cannot_write(folder, error);
  return {};
}

Result<void> write_one_file(const TensorSet& set, const fs::path& out) {
  TensorMetadata metadata = set.tokens;
  metadata["session"] = set.session_json;
  return write_safetensors(out, set.tensors, metadata);
}

Result<void> write_folder(const TensorSet& set, const fs::path& out) {
  if (auto ok = check_no_other_trace(set, out); !ok) return ok;
  auto folder = FolderInTheMaking::create(out);
  if (!folder) return tl::unexpected(folder.error());
  for (const TensorView& tensor : set.tensors) {
    if (auto ok = write_npy(folder->apart() / (tensor.name + ".npy"), tensor.shape, tensor.values); !ok)
      return ok;
  }
  for (const auto& [name, json] : set.tokens) {
    if (auto ok = write_atomically(folder->apart() / (name + ".json"), json + "\n"); !ok) return ok;
  }
  if (auto ok = write_atomically(folder->apart() / session_name, set.session_json); !ok) return ok;
  return folder->finish();
}

}  // namespace

TensorView tensor_of(const StageId& id, const MatrixView& values) {
  return {path(id), {static_cast<std::size_t>(values.rows), static_cast<std::size_t>(values.cols)}, values};
}

std::string json_of(const std::vector<std::string>& texts) {
  return nlohmann::json(texts).dump(-1, ' ', /*ensure_ascii=*/false,
                                    nlohmann::json::error_handler_t::replace);
}

Result<void> write_tensors(const TensorSet& set, const fs::path& out) try {
  const bool one_file = is_device(out) || (out.extension() == ".safetensors" && !fs::is_directory(out));
  return one_file ? write_one_file(set, out) : write_folder(set, out);
} catch (const fs::filesystem_error& error) {
  return cannot_write(out, error.code());
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': close other programs");
}

}  // namespace headscope
