#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "core/model/mask.h"

namespace headscope {

/// The axes of a mask file, a letter each, in the file's order: i queries, j keys, h heads, b the batch's
/// sentences, n heads or sentences, whichever count fits. An error if i or j is missing, a letter is repeated
/// or unknown, or n is combined with h or b.
Result<void> check_mask_axes(std::string_view axes);

/// Reads a mask of shape [T, S], [1, S], [H, T, S], [B, T, S] or [B, H, T, S] from a .npy file. Boolean and
/// integer: 1 = may attend, 0 = hidden, as in PyTorch's scaled_dot_product_attention (nn.MultiheadAttention's
/// boolean masks mean the opposite). Float: added to the scaled scores; −∞ hides. Errors, each with what to
/// do: other shapes, integers other than 0 and 1, NaN, +∞, and a float mask of 1 and 0 alone, which is meant
/// as a boolean one. Whether it fits a sentence, and what the first of three dimensions counts, is decided by
/// combine() of core/model/mask.h. `axes`: valid ones, for files that are written otherwise; as many as the
/// file has, or that is an error too. Empty: ij, nij or bhij.
Result<std::shared_ptr<const LoadedMask>> read_mask(const std::filesystem::path& file,
                                                    std::string_view axes = {});

}  // namespace headscope
