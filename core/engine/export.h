#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

/// Writes every stage and parameter of a pass, each named by its path, to one file or a folder like
/// write_tensors() of core/engine/tensor_folder.h: all of it or nothing. "tokens" are those for which the
/// output has a row; "source_tokens" are those of the source, if keys come from elsewhere. `session_json`
/// says what the pass was computed from (to_json() of core/session/session.h). For a trained model, "guesses"
/// are added to it: the rows in which the model's prediction is a guess (core/trace/guess.h).
Result<void> write_trace(const Trace& trace, const std::filesystem::path& out,
                         const std::string& session_json);

/// Writes one stage as .npy (float32, [rows, columns]) or as .csv with token and dimension labels. It is a
/// usage error if `out` ends in neither, and an error if the pass has no such stage.
Result<void> write_stage(const Trace& trace, const StageId& id, const std::filesystem::path& out);

/// The most numbers that stage_table() returns. More would freeze the program that they are pasted into.
inline constexpr std::int64_t most_numbers_on_clipboard = 1'000'000;

/// One stage as text for pasting into a spreadsheet: a line for each row, tabs between the columns, and the
/// labels of write_stage(). It is an error if the pass has no such stage or the stage has too many numbers.
Result<std::string> stage_table(const Trace& trace, const StageId& id);

}  // namespace headscope
