#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

/// Writes every stage and parameter of a pass, float32, each named by its path. `session_json` says what the
/// pass was computed from (to_json of core/session/session.h) and goes along as it is.
/// - `out` ends in .safetensors, or is a device or a pipe: one file, with "tokens" (a JSON array of texts)
/// and
///   "session" in its metadata.
/// - otherwise a folder, new or existing: one <path>.npy a stage, tokens.json and session.json.
/// A failure leaves no file of the trace behind, and an existing folder with the files it had (should the
/// disk refuse to put one back, it is kept in a folder .headscope-….tmp therein). A process that is killed
/// while it moves the files into an existing folder can leave some of both. An error, too, where the folder
/// already holds stages that this pass does not have: two traces must not mix.
Result<void> write_trace(const Trace& trace, const std::filesystem::path& out,
                         const std::string& session_json);

/// Writes one stage as .npy (float32, [rows, columns]) or as .csv with token and dimension labels. A usage
/// error where `out` ends in neither; an error where the pass has no such stage.
Result<void> write_stage(const Trace& trace, const StageId& id, const std::filesystem::path& out);

/// The stage as .csv text, as write_stage writes it: what goes to the clipboard.
std::string stage_csv(const Trace& trace, const StageId& id);

}  // namespace headscope
