#include "core/engine/batch_export.h"

#include <algorithm>
#include <list>
#include <new>

#include "core/engine/tensor_folder.h"
#include "core/io/npy.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// The stage of all sequences below each other.
OwnedMatrix stacked(BatchTraces traces, const StageId& id) {
  const MatrixView first = traces.front()->value(id);
  OwnedMatrix all(first.rows * static_cast<int>(traces.size()), first.cols);
  auto to = all.values.begin();
  for (const auto& trace : traces) {
    const MatrixView values = trace->value(id);
    for (int r = 0; r < values.rows; ++r) {
      const auto row = values.row(r);
      to = std::copy(row.begin(), row.end(), to);
    }
  }
  return all;
}

std::vector<std::size_t> batch_shape(BatchTraces traces, const MatrixView& one) {
  return {traces.size(), static_cast<std::size_t>(one.rows), static_cast<std::size_t>(one.cols)};
}

std::string tokens_json(BatchTraces traces, Stack stack) {
  std::string json;
  for (const auto& trace : traces) {
    std::vector<std::string> texts;
    for (const Token& token : trace->tokens(stack)) texts.push_back(token.text);
    json += (json.empty() ? "[" : ", ") + json_of(texts);
  }
  return json + "]";
}

/// The words that all sequences have, or, where a placeholder stands for other words in each, a list for
/// each.
std::string vocabulary_json(BatchTraces traces) {
  const auto& first = traces.front()->vocabulary();
  if (std::ranges::all_of(traces, [&](const auto& trace) { return trace->vocabulary() == first; })) {
    return json_of(first);
  }
  std::string json;
  for (const auto& trace : traces) json += (json.empty() ? "[" : ", ") + json_of(trace->vocabulary());
  return json + "]";
}

}  // namespace

Result<void> write_batch_trace(BatchTraces traces, const fs::path& out, const std::string& session_json) try {
  const Trace& first = *traces.front();
  const Architecture& a = first.architecture();
  TensorSet set;
  set.tokens["tokens"] = tokens_json(traces, a.last_stack());
  if (a.has_cross()) set.tokens["source_tokens"] = tokens_json(traces, Stack::encoder);
  if (!first.vocabulary().empty()) set.tokens["vocabulary"] = vocabulary_json(traces);
  set.session_json = session_json;
  std::list<OwnedMatrix> kept;  // what the set's views look at; a list does not move what it holds
  for (const StageId& id : first.stages()) {
    const MatrixView one = first.value(id);
    if (info(id.kind).is_parameter) {
      set.tensors.push_back(tensor_of(id, one));
      continue;
    }
    kept.push_back(stacked(traces, id));
    set.tensors.push_back({path(id), batch_shape(traces, one), kept.back().view()});
  }
  return write_tensors(set, out);
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': use fewer or shorter sentences");
}

Result<void> write_batch_stage(BatchTraces traces, const StageId& requested, const fs::path& out) try {
  const StageId id = normalized(requested);
  if (out.extension() != ".npy") {
    return usage_error(
        "'" + out.string() +
        "' does not end in .npy, the format for a batch; --sequence I selects a single sentence");
  }
  const MatrixView one = traces.front()->value(id);
  if (info(id.kind).is_parameter) return write_npy(out, one);
  return write_npy(out, batch_shape(traces, one), stacked(traces, id).view());
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': use fewer or shorter sentences");
}

}  // namespace headscope
