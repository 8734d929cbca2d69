#include "core/engine/export.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <new>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "core/io/csv.h"
#include "core/io/json_text.h"
#include "core/io/npy.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"
#include "core/tensor/view.h"
#include "core/text/number_text.h"
#include "core/trace/lens_names.h"
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

/// Throws if the folder holds a stage that `set` does not have.
void check_no_other_trace(const TensorSet& set, const fs::path& folder) {
  std::set<std::string_view> names;
  for (const TensorView& tensor : set.tensors) names.insert(tensor.name);
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path file = entry->path();
    const std::string stem = file.stem().string();
    const bool is_stage = file.extension() == ".npy" && parse_path(stem).has_value();
    if (!is_stage || names.contains(stem)) continue;
    refuse(failure("the folder '" + folder.string() + "' holds " + file.filename().string() +
                   " from another trace: choose an empty folder, or empty this one"));
  }
  if (error && error != std::errc::no_such_file_or_directory) refuse(cannot_write(folder, error));
}

Result<void> write_one_file(const TensorSet& set, const fs::path& out) {
  TensorMetadata metadata = set.tokens;
  metadata["session"] = set.session_json;
  return write_safetensors(out, set.tensors, metadata);
}

void write_files(const TensorSet& set, const fs::path& folder) {
  for (const TensorView& tensor : set.tensors) {
    const NumberStream numbers =
        tensor.stream ? tensor.stream : [&tensor](const RowSink& put) { put(tensor.values); };
    ensure(write_npy(folder / (tensor.name + ".npy"), tensor.shape, numbers));
  }
  for (const auto& [name, json] : set.tokens)
    ensure(write_atomically(folder / (name + ".json"), json + "\n"));
  ensure(write_atomically(folder / session_name, set.session_json));
}

constexpr int indent = 1;

/// The passes of a batch, or a single pass.
using Passes = std::span<const Trace* const>;

/// A session's JSON with "guesses": the rows in which the model's prediction is a guess; for a batch, a list
/// for each pass. The JSON is unchanged if the model was trained for no task or the text is not a JSON
/// object.
std::string with_guesses(const std::string& session_json, Passes passes, bool is_batch) {
  if (passes.front()->task_rows().expectations.empty()) return session_json;
  auto session = parse_json(session_json);
  if (!session || !session->is_object()) return session_json;
  nlohmann::json guesses = nlohmann::json::array();
  for (const Trace* pass : passes) guesses.push_back(pass->guesses().rows);
  (*session)["guesses"] = is_batch ? guesses : guesses.front();
  return json_text(*session, indent) + "\n";
}

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
    case Axis::distances:
      return "distance";
    default:
      return "dimension";
  }
}

std::vector<std::string> labels_of(const Trace& trace, const StageId& id, Axis axis, int n) {
  std::vector<std::string> labels;
  labels.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) labels.push_back(trace.full_label(id, axis, i));
  return labels;
}

/// Hands the labelled lines of a stage to `write`, a few at a time.
void write_table(const Trace& trace, const StageId& id, const TableStyle& style,
                 const std::function<void(const std::string&)>& write) {
  const StageInfo& stage = info(id.kind);
  const Extent size = trace.extent(id);
  const bool of_map = is_map(id.kind);
  const std::string axes =
      std::string(axis_name(stage.rows, of_map)) + " \\ " + std::string(axis_name(stage.cols, of_map));
  const std::vector<std::string> rows = labels_of(trace, id, stage.rows, size.rows);
  write(csv_head(axes, size.cols, labels_of(trace, id, stage.cols, size.cols), style));
  int first = 0;
  stream_of(trace, id)([&](const MatrixView& some) {
    write(csv_lines(some, std::exchange(first, first + some.rows), rows, style));
  });
}

void write_csv(const Trace& trace, const StageId& id, const fs::path& out) {
  AtomicFile file = AtomicFile::create(out).value();
  write_table(trace, id, csv_style, [&](const std::string& lines) { ensure(file.write(lines)); });
  ensure(file.commit());
}

/// The stages of all heads. Keys and values that several heads share are listed once.
std::vector<StageId> of_all_heads(const Trace& trace, const StageId& first) {
  const Architecture& a = trace.architecture();
  std::vector<StageId> heads;
  for (int head = 0; head < a.n_heads; ++head) {
    StageId id = first;
    id.head = head;
    if (canonical(a, id) == id) heads.push_back(id);
  }
  return heads;
}

/// Several streams, one after the other.
NumberStream one_by_one(std::vector<NumberStream> streams) {
  return [streams = std::move(streams)](const RowSink& put) {
    for (const NumberStream& each : streams) each(put);
  };
}

/// The rows of all heads for the first token, then for the second, and so on.
NumberStream token_by_token(const Trace& trace, std::vector<StageId> heads) {
  return [&trace, heads = std::move(heads)](const RowSink& put) {
    const Extent size = trace.extent(heads.front());
    const auto n_heads = static_cast<int>(heads.size());
    const int at_once = rows_at_once({size.rows, size.cols * n_heads});
    for (int first = 0; first < size.rows; first += at_once) {
      const int n = std::min(at_once, size.rows - first);
      OwnedMatrix rows(n * n_heads, size.cols);
      for (int head = 0; head < n_heads; ++head) {
        const StageNumbers numbers =
            trace.read(heads[static_cast<std::size_t>(head)], {first, 0, n, size.cols});
        for (int row = 0; row < n; ++row)
          std::ranges::copy(numbers.view.row(row), &rows.at(row * n_heads + head, 0));
      }
      put(rows.view());
    }
    ensure(trace.check_files());
  };
}

/// The numbers of a stage, each multiplied by a factor.
NumberStream multiplied(const Trace& trace, const StageId& id, float factor) {
  return [&trace, id, factor](const RowSink& put) {
    stream_of(trace, id)([&](const MatrixView& some) {
      OwnedMatrix rows(some.rows, some.cols);
      for (int row = 0; row < some.rows; ++row)
        std::ranges::transform(some.row(row), &rows.at(row, 0),
                               [factor](float number) { return factor * number; });
      put(rows.view());
    });
  };
}

/// Makes a tensor in the layout of TransformerLens, without a batch axis. It is read while it is written; the
/// trace must outlive it.
TensorView lens_tensor(const Trace& trace, const LensTensor& tensor) {
  const Extent size = trace.extent(tensor.stage);
  const auto rows = static_cast<std::size_t>(size.rows);
  const auto cols = static_cast<std::size_t>(size.cols);
  // A bias is a vector, not a matrix of one row.
  const bool is_vector = info(tensor.stage.kind).rows == Axis::single;
  const auto shape = [&](std::vector<std::size_t> before) {
    if (!is_vector) before.push_back(rows);
    before.push_back(cols);
    return before;
  };
  // TransformerLens has no embedding factor, so the table itself is multiplied by it.
  const auto factor = static_cast<float>(trace.architecture().embedding_factor());
  if (tensor.stage.kind == StageKind::embedding_table && factor != 1.0F)
    return {tensor.name, shape({}), {}, multiplied(trace, tensor.stage, factor)};
  if (tensor.heads == LensHeads::none) return {tensor.name, shape({}), {}, stream_of(trace, tensor.stage)};
  if (tensor.heads == LensHeads::in_rows) {
    const auto n = static_cast<std::size_t>(trace.architecture().n_heads);
    return {tensor.name, {n, rows / n, cols}, {}, stream_of(trace, tensor.stage)};
  }
  std::vector<StageId> heads = of_all_heads(trace, tensor.stage);
  const std::size_t n_heads = heads.size();
  if (tensor.heads == LensHeads::first) {
    std::vector<NumberStream> streams;
    for (const StageId& head : heads) streams.push_back(stream_of(trace, head));
    return {tensor.name, shape({n_heads}), {}, one_by_one(std::move(streams))};
  }
  return {tensor.name, {rows, n_heads, cols}, {}, token_by_token(trace, std::move(heads))};
}

/// The stage of all sequences of a batch, one below another: [B, rows, columns]; or the parameter that they
/// share.
TensorView tensor_of_batch(Passes passes, const StageId& id) {
  TensorView tensor = tensor_of(*passes.front(), id);
  if (info(id.kind).is_parameter()) return tensor;
  tensor.shape.insert(tensor.shape.begin(), passes.size());
  std::vector<NumberStream> streams;
  for (const Trace* pass : passes) streams.push_back(stream_of(*pass, id));
  tensor.stream = one_by_one(std::move(streams));
  return tensor;
}

/// The texts of the passes: of one pass what `text_of` returns, and of a batch a JSON array of these.
template <class TextOf>
std::string texts_of_passes(Passes passes, bool is_batch, const TextOf& text_of) {
  if (!is_batch) return text_of(*passes.front());
  return "[" + join_texts(passes, ", ", [&](const Trace* pass) { return text_of(*pass); }) + "]";
}

/// The metadata of the passes, without tensors.
TensorSet set_of(Passes passes, bool is_batch, const std::string& session_json) {
  const Trace& first = *passes.front();
  const Architecture& a = first.architecture();
  TensorSet set;
  const auto tokens_of = [&](Stack stack) {
    return texts_of_passes(passes, is_batch,
                           [stack](const Trace& pass) { return tokens_json(pass.tokens(stack)); });
  };
  set.tokens["tokens"] = tokens_of(a.last_stack());
  if (a.has_cross()) set.tokens["source_tokens"] = tokens_of(Stack::encoder);
  // A placeholder may stand for different words in different sequences.
  const bool differ = std::ranges::any_of(
      passes, [&](const Trace* pass) { return pass->vocabulary() != first.vocabulary(); });
  if (!first.vocabulary().empty())
    set.tokens["vocabulary"] =
        texts_of_passes(passes, differ, [](const Trace& pass) { return json_of(pass.vocabulary()); });
  set.session_json = with_guesses(session_json, passes, is_batch);
  return set;
}

/// The stages of a pass, with its parameters if they are to be written.
std::vector<StageId> written_stages(const Trace& trace, TracedParameters parameters) {
  std::vector<StageId> stages = trace.stages();
  if (parameters == TracedParameters::left_out)
    std::erase_if(stages, [](const StageId& id) { return info(id.kind).is_parameter(); });
  return stages;
}

std::vector<const Trace*> passes_of(BatchTraces traces) {
  std::vector<const Trace*> passes;
  for (const auto& trace : traces) passes.push_back(trace.get());
  return passes;
}

}  // namespace

TensorView tensor_of(const StageId& id, const MatrixView& values) {
  return {path(id), {static_cast<std::size_t>(values.rows), static_cast<std::size_t>(values.cols)}, values};
}

NumberStream stream_of(const Trace& trace, const StageId& id) {
  return [&trace, id](const RowSink& put) {
    const Extent size = trace.extent(id);
    const int at_once = rows_at_once(size);
    for (int first = 0; first < size.rows; first += at_once) {
      const int n = std::min(at_once, size.rows - first);
      put(trace.read(id, {first, 0, n, size.cols}).view);
    }
    ensure(trace.check_files());
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
  if (one_file) return write_one_file(set, out);
  return result_of([&] {
    check_no_other_trace(set, out);
    ensure(write_folder(out, [&](const fs::path& folder) { write_files(set, folder); }));
  });
} catch (const fs::filesystem_error& error) {
  return cannot_write(out, error.code());
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': close other programs");
}

TracedParameters default_parameters(const ModelRef& model) {
  return model && model->is_foreign() ? TracedParameters::left_out : TracedParameters::written;
}

Result<void> write_trace(const Trace& trace, const fs::path& out, const std::string& session_json,
                         TracedParameters parameters, TensorNames names) try {
  const bool is_for_lens = names == TensorNames::transformer_lens;
  if (is_for_lens && trace.architecture().has_cross())
    return usage_error(
        "TransformerLens's names are of models with one stack, but this one has cross-attention: leave out --names");
  const Trace* const pass = &trace;
  TensorSet set = set_of(std::span(&pass, 1), false, session_json);
  if (is_for_lens) {
    for (const LensTensor& tensor : lens_tensors(trace, parameters == TracedParameters::written))
      set.tensors.push_back(lens_tensor(trace, tensor));
  } else {
    for (const StageId& id : written_stages(trace, parameters)) set.tensors.push_back(tensor_of(trace, id));
  }
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
  if (type == ".csv") return result_of([&] { write_csv(trace, id, out); });
  const TensorView tensor = tensor_of(trace, id);
  return write_npy(out, tensor.shape, tensor.stream);
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': shorten the sentence");
}

Result<std::string> stage_table(const Trace& trace, const StageId& requested) try {
  const StageId id = normalized(requested);
  if (!trace.has(id)) return usage_error("this pass has no stage " + path(id));
  const Extent size = trace.extent(id);
  const std::int64_t n = static_cast<std::int64_t>(size.rows) * size.cols;
  if (n > max_clipboard_numbers) {
    return failure(path(id) + " has " + grouped(n) + " numbers, and the clipboard takes at most " +
                   grouped(max_clipboard_numbers) + ": export it as CSV or NPY");
  }
  return result_of([&] {
    std::string table;
    write_table(trace, id, clipboard_style, [&](const std::string& lines) { table += lines; });
    return table;
  });
} catch (const std::bad_alloc&) {
  return failure("not enough memory to copy the stage: shorten the sentence");
}

Result<void> write_batch_trace(BatchTraces traces, const fs::path& out, const std::string& session_json,
                               TracedParameters parameters) try {
  const std::vector<const Trace*> passes = passes_of(traces);
  TensorSet set = set_of(passes, true, session_json);
  for (const StageId& id : written_stages(*passes.front(), parameters))
    set.tensors.push_back(tensor_of_batch(passes, id));
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
  const TensorView tensor = tensor_of_batch(passes_of(traces), id);
  return write_npy(out, tensor.shape, tensor.stream);
} catch (const std::bad_alloc&) {
  return failure("not enough memory to write '" + out.string() + "': use fewer or shorter sentences");
}

}  // namespace headscope
