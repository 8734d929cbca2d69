#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/embedded_file.h"
#include "core/model/trained_model.h"

namespace headscope {

/// Whether a file holds captured attention: a safetensors file with `attentions` or `queries`, a
/// TransformerLens cache, a trace that Headscope wrote, a JSON file that begins with `tokens` or `attention`,
/// a .pt file of torch.save() with a list of the layers' weights or such a cache, or a .npy file of floats
/// with three to five axes whose last row sums to 1. Reads little of the file, except that
/// it parses the pickle of a .pt file.
bool is_capture(const std::filesystem::path& file);

/// Opens attention that another program computed for one text. `name` becomes the model's name. Formats:
/// - safetensors, in F32, F16 or BF16: either the weights, `attentions` [L, H, T, S], or `queries`
///   [L, H, T, K] and `keys` [L, Hₖ, S, K], from which they are computed with `scale` (one number, by default
///   1/√K). With all three, uses the weights of the file and computes no scores. Optional: `values` [L, Hₖ,
///   S, V], `hidden_states` [L + 1, T, D], and `mask` [T, S], [1, S] or [H, T, S], where 1 means “may
///   attend”, or whose floats are added to the scaled scores. The metadata has `tokens` and, if the keys are
///   those of another text, `source_tokens` (JSON arrays of texts), and `name`;
/// - JSON of CircuitsVis: `tokens` and `attention` [H, T, S] or [L, H, T, S];
/// - .pt of torch.save(): a list of the layers' weights [H, T, S], one tensor of all of them, or a
///   TransformerLens cache;
/// - .npy: [L, H, T, S] or, for one layer, [H, T, S];
/// - a TransformerLens cache: `blocks.0.attn.hook_pattern` and so on;
/// - a trace of Headscope: the weights of each head, in cross-attention if it has two texts.
/// A batch axis of length 1 may follow that of the layers.
///
/// The file stays mapped; weights are read on demand. Errors name the file and the tensor: other types and
/// shapes, inconsistent sizes, NaN or ±∞, and rows of weights that are not shares.
Result<std::shared_ptr<const TrainedModel>> open_capture(const std::filesystem::path& file,
                                                         const std::string& name);

/// Writes the file that a capture was opened from, even if that has been removed. It is an error if it was a
/// JSON, .npy or .pt file, which is not kept, or if the file cannot be written.
Result<void> write_capture(const std::filesystem::path& file, const TrainedModel& capture);

/// Describes a capture from its header: “Captured attention · 12 layers × 12 heads · 25 tokens”. Errors are
/// those of open_capture() that show in headers.
Result<std::string> describe_capture(const std::filesystem::path& file);

/// The Python programs of assets/capture, which write captured attention.
std::span<const EmbeddedFile> capture_scripts();

}  // namespace headscope
