#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

/// Stages and parameters to write together, with their metadata.
struct TensorSet {
  std::vector<TensorView> tensors;  ///< Matrices, each named by its path.
  /// JSON arrays of texts: "tokens", "source_tokens" and "vocabulary", which holds the words of the columns
  /// of logits.
  std::map<std::string, std::string> tokens;
  std::string session_json;  ///< What the tensors were computed from.
};

/// A matrix, named by the path of its stage. The numbers are not copied.
TensorView tensor_of(const StageId& id, const MatrixView& values);
/// The numbers of a stage, streamed a few rows at a time. The trace must outlive the stream.
NumberStream stream_of(const Trace& trace, const StageId& id);
/// A stage, named by its path, that is streamed while it is written. The trace must outlive the tensor.
TensorView tensor_of(const Trace& trace, const StageId& id);

/// A JSON array of texts. Bytes that are not UTF-8 are replaced.
std::string json_of(const std::vector<std::string>& texts);

/// Writes all tensors as float32.
/// - If `out` ends in .safetensors, or is a device or a pipe, they are written to one file, with `tokens` and
///   "session" in its metadata.
/// - Otherwise they are written to a folder, new or existing: one <path>.npy per stage, one .json per entry
///   of `tokens`, and session.json.
/// Atomic: a failure leaves no file behind and an existing folder unchanged (AtomicFolder). It is also an
/// error if the folder holds stages that are not in this set, because two traces must not mix.
Result<void> write_tensors(const TensorSet& set, const std::filesystem::path& out);

/// Whether a written trace includes the model's parameters.
enum class TracedParameters { written, left_out };

/// Returns `left_out` for a model from another program, whose files have the parameters, which may be a
/// thousand times as large as a pass.
TracedParameters default_parameters(const ModelRef& model);

/// The names and layouts of written tensors: this program's paths, or the names of TransformerLens
/// (core/trace/lens_names.h), which cover fewer stages.
enum class TensorNames { headscope, transformer_lens };

/// Writes every stage and parameter of a pass, each named by its path, to a file or a folder, atomically,
/// like write_tensors(). "tokens" are those of the output's rows; "source_tokens" are the source's, if the
/// keys come from another text. `session_json` is what the pass was computed from (to_json() of
/// core/session/session.h). For a trained model, "guesses" are added to it: the rows whose prediction is a
/// guess (core/trace/guess.h). TransformerLens has names only for activations, so no parameters are written
/// with them, and a model of two stacks is a usage error.
Result<void> write_trace(const Trace& trace, const std::filesystem::path& out,
                         const std::string& session_json,
                         TracedParameters parameters = TracedParameters::written,
                         TensorNames names = TensorNames::headscope);

/// Writes one stage as .npy (float32, [rows, columns]) or as .csv with token and dimension labels. Any other
/// extension is a usage error; a stage that the pass lacks is an error.
Result<void> write_stage(const Trace& trace, const StageId& id, const std::filesystem::path& out);

/// The maximum number of numbers in stage_table(). More would freeze the program that they are pasted into.
inline constexpr std::int64_t max_clipboard_numbers = 1'000'000;

/// One stage as text for a spreadsheet: a line per row, tabs between columns, and the labels of
/// write_stage(). It is an error if the pass lacks the stage or the stage has too many numbers.
Result<std::string> stage_table(const Trace& trace, const StageId& id);

using BatchTraces = std::span<const std::shared_ptr<const Trace>>;

/// Like write_trace(), for all sequences of a batch. Stages are [B, rows, columns]; parameters are shared.
/// "tokens", "source_tokens" and the session's "guesses" are arrays of arrays.
Result<void> write_batch_trace(BatchTraces traces, const std::filesystem::path& out,
                               const std::string& session_json,
                               TracedParameters parameters = TracedParameters::written);

/// Writes one stage of all sequences, [B, rows, columns], as .npy. Another file type is a usage error.
Result<void> write_batch_stage(BatchTraces traces, const StageId& id, const std::filesystem::path& out);

}  // namespace headscope
