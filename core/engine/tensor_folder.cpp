#include "core/engine/tensor_folder.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "core/io/json_text.h"
#include "core/io/npy.h"
#include "core/system/atomic_file.h"
#include "core/trace/number_source.h"

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

/// Returns an error if the folder holds a stage that `set` does not have.
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
                   " from another trace: choose an empty folder, or empty this one");
  }
  if (error && error != std::errc::no_such_file_or_directory) return cannot_write(folder, error);
  return {};
}

Result<void> write_one_file(const TensorSet& set, const fs::path& out) {
  TensorMetadata metadata = set.tokens;
  metadata["session"] = set.session_json;
  return write_safetensors(out, set.tensors, metadata);
}

Result<void> write_files(const TensorSet& set, const fs::path& folder) {
  for (const TensorView& tensor : set.tensors) {
    const NumberStream numbers =
        tensor.stream ? tensor.stream : [&tensor](const RowSink& put) { return put(tensor.values); };
    if (auto ok = write_npy(folder / (tensor.name + ".npy"), tensor.shape, numbers); !ok) return ok;
  }
  for (const auto& [name, json] : set.tokens) {
    if (auto ok = write_atomically(folder / (name + ".json"), json + "\n"); !ok) return ok;
  }
  return write_atomically(folder / session_name, set.session_json);
}

Result<void> write_folder(const TensorSet& set, const fs::path& out) {
  if (auto ok = check_no_other_trace(set, out); !ok) return ok;
  auto folder = AtomicFolder::create(out);
  if (!folder) return tl::unexpected(folder.error());
  if (auto ok = write_files(set, folder->staging()); !ok) return folder->failed(ok.error());
  return folder->commit();
}

}  // namespace

TensorView tensor_of(const StageId& id, const MatrixView& values) {
  return {path(id), {static_cast<std::size_t>(values.rows), static_cast<std::size_t>(values.cols)}, values};
}

NumberStream stream_of(const Trace& trace, const StageId& id) {
  return [&trace, id](const RowSink& put) -> Result<void> {
    const Extent size = trace.extent(id);
    const int at_once = rows_at_once(size);
    for (int first = 0; first < size.rows; first += at_once) {
      const int n = std::min(at_once, size.rows - first);
      if (auto ok = put(trace.read(id, {first, 0, n, size.cols}).view); !ok) return ok;
    }
    return trace.check_files();
  };
}

TensorView tensor_of(const Trace& trace, const StageId& id) {
  const Extent size = trace.extent(id);
  return {path(id),
          {static_cast<std::size_t>(size.rows), static_cast<std::size_t>(size.cols)},
          {},
          stream_of(trace, id)};
}

std::string json_of(const std::vector<std::string>& texts) {
  return json_text(nlohmann::json(texts));
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
