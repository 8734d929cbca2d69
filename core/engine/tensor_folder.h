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

}  // namespace headscope
