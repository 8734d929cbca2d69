#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

/// Stages and parameters to write together, with their metadata.
struct TensorSet {
  std::vector<TensorView> tensors;  ///< matrices, each named by its path
  /// JSON arrays of texts: "tokens", "source_tokens", and "vocabulary", the words of the columns of logits.
  std::map<std::string, std::string> tokens;
  std::string session_json;  ///< what they were computed from
};

/// A matrix under the path of its stage. The numbers stay where they are.
TensorView tensor_of(const StageId& id, const MatrixView& values);
/// The numbers of a stage, some rows at a time. The trace must outlive it.
NumberStream stream_of(const Trace& trace, const StageId& id);
/// A stage under its path, read while it is written. The trace must outlive it.
TensorView tensor_of(const Trace& trace, const StageId& id);

/// A JSON array of texts; bytes that are no UTF-8 are replaced.
std::string json_of(const std::vector<std::string>& texts);

/// Writes all of it, float32.
/// - `out` ends in .safetensors, or is a device or a pipe: one file, with `tokens` and "session" in its
///   metadata.
/// - otherwise a folder, new or existing: one <path>.npy a stage, one .json an entry of `tokens`, and
///   session.json.
/// A failure leaves no file of the set behind, and an existing folder with the files it had, as AtomicFolder
/// does. An error, too, where the folder already holds stages that are not of this set: two traces must not
/// mix.
Result<void> write_tensors(const TensorSet& set, const std::filesystem::path& out);

}  // namespace headscope
