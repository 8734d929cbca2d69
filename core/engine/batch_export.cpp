#include "core/engine/batch_export.h"

#include <algorithm>
#include <new>

#include "core/engine/guesses_json.h"
#include "core/engine/tensor_folder.h"
#include "core/io/npy.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// The stages of all sequences, one below another: [B, rows, columns].
TensorView stacked(BatchTraces traces, const StageId& id) {
  const Extent one = traces.front()->extent(id);
  const NumberStream numbers = [traces, id](const PutRows& put) -> Result<void> {
    for (const auto& trace : traces) {
      if (auto ok = stream_of(*trace, id)(put); !ok) return ok;
    }
    return {};
  };
  return {path(id),
          {traces.size(), static_cast<std::size_t>(one.rows), static_cast<std::size_t>(one.cols)},
          {},
          numbers};
}

/// The stage of all sequences, or the parameter that they share.
TensorView tensor_of_batch(BatchTraces traces, const StageId& id) {
  return info(id.kind).is_parameter ? tensor_of(*traces.front(), id) : stacked(traces, id);
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

/// Returns the vocabulary that all sequences have in common, or a list of vocabularies if a placeholder
/// stands for different words in different sequences.
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

Result<void> write_batch_trace(BatchTraces traces, const fs::path& out, const std::string& session_json,
                               TracedParameters parameters) try {
  const Trace& first = *traces.front();
  const Architecture& a = first.architecture();
  TensorSet set;
  set.tokens["tokens"] = tokens_json(traces, a.last_stack());
  if (a.has_cross()) set.tokens["source_tokens"] = tokens_json(traces, Stack::encoder);
  if (!first.vocabulary().empty()) set.tokens["vocabulary"] = vocabulary_json(traces);
  set.session_json = with_guesses(session_json, traces);
  for (const StageId& id : first.stages()) {
    if (parameters == TracedParameters::written || !info(id.kind).is_parameter)
      set.tensors.push_back(tensor_of_batch(traces, id));
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
  const TensorView tensor = tensor_of_batch(traces, id);
  return write_npy(out, tensor.shape, tensor.stream);
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': use fewer or shorter sentences");
}

}  // namespace headscope
