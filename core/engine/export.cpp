#include "core/engine/export.h"

#include <new>
#include <utility>
#include <vector>

#include "core/engine/tensor_folder.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/npy.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

std::string tokens_json(const std::vector<Token>& tokens) {
  std::vector<std::string> texts;
  texts.reserve(tokens.size());
  for (const Token& token : tokens) texts.push_back(token.text);
  return json_of(texts);
}

/// The label of one index along an axis.
std::string_view axis_name(Axis axis, bool of_map) {
  switch (axis) {
    case Axis::query_tokens:
      return of_map ? "query" : "token";
    case Axis::key_tokens:
      return of_map ? "key" : "token";
    case Axis::table_rows:
      return "id";
    case Axis::vocabulary:
      return "word";
    case Axis::position_rows:
      return "position";
    default:
      return "dimension";
  }
}

std::vector<std::string> labels_of(const Trace& trace, const StageId& id, Axis axis, int n) {
  std::vector<std::string> labels;
  labels.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) labels.push_back(trace.label(id, axis, i));
  return labels;
}

Result<void> write_csv(const Trace& trace, const StageId& id, const fs::path& out) {
  const StageInfo& stage = info(id.kind);
  const Extent size = trace.extent(id);
  const bool of_map = is_map(id.kind);
  const std::string axes =
      std::string(axis_name(stage.rows, of_map)) + " \\ " + std::string(axis_name(stage.cols, of_map));
  const std::vector<std::string> rows = labels_of(trace, id, stage.rows, size.rows);
  Result<AtomicFile> file = AtomicFile::create(out);
  if (!file) return tl::unexpected(file.error());
  const std::string head = csv_head(axes, size.cols, labels_of(trace, id, stage.cols, size.cols));
  if (auto ok = file->write(head); !ok) return ok;
  int first = 0;
  auto streamed = stream_of(trace, id)([&](const MatrixView& some) {
    const std::string lines = csv_lines(some, std::exchange(first, first + some.rows), rows);
    return file->write(lines);
  });
  return streamed ? file->commit() : streamed;
}

}  // namespace

Result<void> write_trace(const Trace& trace, const fs::path& out, const std::string& session_json) try {
  const Architecture& a = trace.architecture();
  TensorSet set;
  set.tokens["tokens"] = tokens_json(trace.tokens(a.last_stack()));
  if (a.has_cross()) set.tokens["source_tokens"] = tokens_json(trace.tokens(Stack::encoder));
  if (!trace.vocabulary().empty()) set.tokens["vocabulary"] = json_of(trace.vocabulary());
  set.session_json = session_json;
  for (const StageId& id : trace.stages()) set.tensors.push_back(tensor_of(trace, id));
  return write_tensors(set, out);
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': shorten the sentence");
}

Result<void> write_stage(const Trace& trace, const StageId& requested, const fs::path& out) try {
  const StageId id = normalized(requested);
  const fs::path type = out.extension();
  if (type != ".npy" && type != ".csv") {
    return usage_error("'" + out.string() +
                       "' ends in neither .npy nor .csv, the formats for a single stage");
  }
  if (!trace.has(id)) return usage_error("this pass has no stage " + path(id));
  if (type == ".csv") return write_csv(trace, id, out);
  const TensorView tensor = tensor_of(trace, id);
  return write_npy(out, tensor.shape, tensor.stream);
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': shorten the sentence");
}

}  // namespace headscope
