#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

/// Whether a trace has the model's parameters beside the stages.
enum class TracedParameters { written, left_out };

/// Left out where the model comes from elsewhere: its own files have them, and they may be a thousand times
/// as large as a pass.
TracedParameters usual_parameters(const ModelValue& model);

/// The names and layouts of what is written: the paths of this program, or those of TransformerLens
/// (core/trace/lens_names.h), which has names for fewer stages.
enum class TensorNames { headscope, transformer_lens };

/// Writes every stage and parameter of a pass, each named by its path, to one file or a folder as
/// write_tensors of core/engine/tensor_folder.h does: all of it or nothing. "tokens" are those that the
/// output has a row for; "source_tokens", where keys come from elsewhere, the source's. `session_json` says
/// what the pass was computed from (to_json of core/session/session.h); of a trained model, "guesses" are
/// added to it: the rows at which what the model tells is a guess (core/trace/guess.h). With the names of
/// TransformerLens, which are of activations, no parameters are written; a model of two stacks, which has no
/// such names, is a usage error.
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

}  // namespace headscope
