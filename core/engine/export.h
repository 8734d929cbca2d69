#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

/// Writes every stage and parameter of a pass, each named by its path, to one file or a folder as
/// write_tensors of core/engine/tensor_folder.h does: all of it or nothing. "tokens" are those that the
/// output has a row for; "source_tokens", where keys come from elsewhere, the source's. `session_json` says
/// what the pass was computed from (to_json of core/session/session.h) and is stored unchanged.
Result<void> write_trace(const Trace& trace, const std::filesystem::path& out,
                         const std::string& session_json);

/// Writes one stage as .npy (float32, [rows, columns]) or as .csv with token and dimension labels. A usage
/// error where `out` ends in neither; an error where the pass has no such stage.
Result<void> write_stage(const Trace& trace, const StageId& id, const std::filesystem::path& out);

}  // namespace headscope
