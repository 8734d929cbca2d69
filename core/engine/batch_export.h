#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/engine/export.h"
#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

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
