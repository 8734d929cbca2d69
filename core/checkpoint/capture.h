#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/model/trained_model.h"

namespace headscope {

/// Whether a file holds captured attention. This is a safetensors file with `attentions` or `queries`, a
/// cache of TransformerLens or a trace that Headscope wrote, a JSON file that begins with `tokens` or
/// `attention`, or a .npy file of four axes whose last row sums to 1. Little of the file is read.
bool is_capture(const std::filesystem::path& file);

/// Opens attention that another program computed for one text. `name` becomes the model's name. A safetensors
/// file holds, as F32, F16 or BF16, either the weights, `attentions` [L, H, T, S], or `queries` [L, H, T, K]
/// and `keys` [L, Hₖ, S, K], from which they are computed with `scale` (one number; 1/√K if there is none).
/// With all three, the weights are those of the file, and no scores are computed. It may also hold `values`
/// [L, Hₖ, S, V], `hidden_states` [L + 1, T, D], and `mask` [T, S], [1, S] or [H, T, S], where 1 means “may
/// attend”, or whose floats are added to the scaled scores. Its metadata has `tokens` and, if the keys are
/// those of another text, `source_tokens` (JSON arrays of texts), and `name`. A JSON file is that of
/// CircuitsVis: `tokens` and `attention` [H, T, S] or [L, H, T, S]. A .npy file holds [L, H, T, S], a cache
/// of TransformerLens `blocks.0.attn.hook_pattern` and so on, and a trace the weights of each head of
/// self-attention.
///
/// The file stays mapped, and weights are read on demand. Errors, which name the file and the tensor: other
/// types and shapes, sizes that disagree, NaN or ±∞, and rows of weights that are not shares.
Result<std::shared_ptr<const TrainedModel>> open_capture(const std::filesystem::path& file,
                                                         const std::string& name);

/// Writes the file from which a capture was opened, also if it has been removed since. It is an error if its
/// numbers were in a JSON or .npy file, which is not kept, or if the file cannot be written.
Result<void> write_capture(const std::filesystem::path& file, const TrainedModel& capture);

/// Describes a capture without its numbers: “Captured attention · 12 layers × 12 heads · 25 tokens”. Errors
/// are those of open_capture() that can be found in headers.
Result<std::string> describe_capture(const std::filesystem::path& file);

/// A Python program that writes captured attention. The build embeds the files of assets/capture into this
/// program.
struct CaptureScript {
  std::string_view name;
  std::string_view text;
};

std::span<const CaptureScript> capture_scripts();

}  // namespace headscope
