#include "core/engine/export.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* tokens_name = "tokens.json";
constexpr const char* session_name = "session.json";

std::string tokens_json(const Trace& trace) {
  nlohmann::json texts = nlohmann::json::array();
  for (const Token& token : trace.tokens()) texts.push_back(token.text);
  return texts.dump();
}

bool is_device(const fs::path& path) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

Result<void> write_one_file(const Trace& trace, const fs::path& out, const std::string& session_json) {
  std::vector<TensorView> tensors;
  for (const StageId& id : trace.stages()) {
    const MatrixView values = trace.value(id);
    tensors.push_back(
        {path(id), {static_cast<std::size_t>(values.rows), static_cast<std::size_t>(values.cols)}, values});
  }
  return write_safetensors(out, tensors, {{"tokens", tokens_json(trace)}, {"session", session_json}});
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

/// An error where the folder holds a stage that `trace` does not have.
Result<void> check_no_other_trace(const Trace& trace, const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path file = entry->path();
    const auto id = file.extension() == ".npy" ? parse_path(file.stem().string()) : std::nullopt;
    if (!id || trace.has(*id)) continue;
    return failure("the folder '" + folder.string() + "' holds " + file.filename().string() +
                   " of another trace, which this one does not have: choose an empty folder, or empty this "
                   "one");
  }
  if (error && error != std::errc::no_such_file_or_directory) return cannot_write(folder, error);
  return {};
}

Result<void> write_folder(const Trace& trace, const fs::path& out, const std::string& session_json) {
  if (auto ok = check_no_other_trace(trace, out); !ok) return ok;
  auto folder = FolderInTheMaking::create(out);
  if (!folder) return tl::unexpected(folder.error());
  for (const StageId& id : trace.stages()) {
    if (auto ok = write_npy(folder->apart() / (path(id) + ".npy"), trace.value(id)); !ok) return ok;
  }
  if (auto ok = write_atomically(folder->apart() / tokens_name, tokens_json(trace) + "\n"); !ok) return ok;
  if (auto ok = write_atomically(folder->apart() / session_name, session_json); !ok) return ok;
  return folder->finish();
}

/// What one index along an axis is called.
std::string_view axis_name(Axis axis, bool is_map) {
  switch (axis) {
    case Axis::query_tokens:
      return is_map ? "query" : "token";
    case Axis::key_tokens:
      return is_map ? "key" : "token";
    case Axis::vocabulary:
      return "id";
    case Axis::d_model:
    case Axis::d_head:
    case Axis::d_value:
    case Axis::concat:
    case Axis::single:
      return "dimension";
  }
  return "dimension";
}

std::vector<std::string> labels_of(const Trace& trace, Axis axis, int n) {
  std::vector<std::string> labels;
  labels.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) labels.push_back(trace.label(axis, i));
  return labels;
}

}  // namespace

Result<void> write_trace(const Trace& trace, const fs::path& out, const std::string& session_json) try {
  const bool one_file = is_device(out) || (out.extension() == ".safetensors" && !fs::is_directory(out));
  return one_file ? write_one_file(trace, out, session_json) : write_folder(trace, out, session_json);
} catch (const fs::filesystem_error& error) {
  return cannot_write(out, error.code());
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': shorten the sentence");
}

std::string stage_csv(const Trace& trace, const StageId& id) {
  const StageInfo& stage = info(id.kind);
  const MatrixView values = trace.value(id);
  const bool is_map = stage.rows == Axis::query_tokens && stage.cols == Axis::key_tokens;
  const std::string axes =
      std::string(axis_name(stage.rows, is_map)) + " \\ " + std::string(axis_name(stage.cols, is_map));
  return csv_text(values, axes, labels_of(trace, stage.rows, values.rows),
                  labels_of(trace, stage.cols, values.cols));
}

Result<void> write_stage(const Trace& trace, const StageId& wished, const fs::path& out) try {
  const StageId id = normalized(wished);
  const fs::path type = out.extension();
  if (type != ".npy" && type != ".csv") {
    return usage_error("'" + out.string() + "' ends in neither .npy nor .csv, the files for one stage");
  }
  if (!trace.has(id)) return usage_error("this pass has no stage " + path(id));
  if (type == ".npy") return write_npy(out, trace.value(id));
  return write_atomically(out, stage_csv(trace, id));
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': shorten the sentence");
}

}  // namespace headscope
