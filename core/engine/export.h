#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

/// Whether a written trace includes the model's parameters in addition to the stages.
enum class TracedParameters { written, left_out };

/// Returns `left_out` for a model from another program: its own files have the parameters, which may be a
/// thousand times as large as a pass.
TracedParameters usual_parameters(const ModelValue& model);

/// The names and layouts of what is written: the paths of this program, or those of TransformerLens
/// (core/trace/lens_names.h), which has names for fewer stages.
enum class TensorNames { headscope, transformer_lens };

/// Writes every stage and parameter of a pass, each named by its path, to one file or a folder, all of them
/// or none, as write_tensors() of core/engine/tensor_folder.h does. "tokens" are those for which the output
/// has rows; "source_tokens" are the source's, if the keys come from another text. `session_json` says what
/// the pass was computed from (to_json() of core/session/session.h). For a trained model, "guesses" are added
/// to it: the rows in which the model's prediction is a guess (core/trace/guess.h). With TransformerLens's
/// names, which are names of activations, no parameters are written. A model of two stacks, which has no such
/// names, is then a usage error.
Result<void> write_trace(const Trace& trace, const std::filesystem::path& out,
                         const std::string& session_json,
                         TracedParameters parameters = TracedParameters::written,
                         TensorNames names = TensorNames::headscope);

/// Writes one stage as .npy (float32, [rows, columns]) or as .csv with token and dimension labels. It is a
/// usage error if `out` ends in neither, and an error if the pass has no such stage.
Result<void> write_stage(const Trace& trace, const StageId& id, const std::filesystem::path& out);

/// The most numbers that stage_table() returns. More would freeze the program that they are pasted into.
inline constexpr std::int64_t most_numbers_on_clipboard = 1'000'000;

/// One stage as text for pasting into a spreadsheet: a line for each row, tabs between the columns, and the
/// labels of write_stage(). It is an error if the pass has no such stage or the stage has too many numbers.
Result<std::string> stage_table(const Trace& trace, const StageId& id);

using BatchTraces = std::span<const std::shared_ptr<const Trace>>;

/// Does what write_trace() of export.h does, for all sequences of a batch together. Stages are [B, rows,
/// columns]. Parameters, which the sequences share, are unchanged. "tokens", "source_tokens" and the
/// session's "guesses" are arrays of arrays.
Result<void> write_batch_trace(BatchTraces traces, const std::filesystem::path& out,
                               const std::string& session_json,
                               TracedParameters parameters = TracedParameters::written);

/// Writes one stage of all sequences, [B, rows, columns], as .npy. Another file type is a usage error.
Result<void> write_batch_stage(BatchTraces traces, const StageId& id, const std::filesystem::path& out);

}  // namespace headscope
