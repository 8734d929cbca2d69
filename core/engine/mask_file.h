#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "core/model/mask.h"

namespace headscope {

/// Checks the axes of a mask file, one letter each in the file's order: i for queries, j for keys, h for
/// heads, b for the batch's sentences, and n for heads or sentences, whichever fits. Errors: i or j is
/// missing, a letter is repeated or unknown, or n is combined with h or b.
Result<void> check_mask_axes(std::string_view axes);

/// Reads a mask of shape [T, S], [1, S], [H, T, S], [B, T, S] or [B, H, T, S] from a .npy file. In a boolean
/// or integer mask, 1 means "may attend" and 0 "hidden", as in PyTorch's scaled_dot_product_attention (the
/// opposite of boolean masks in nn.MultiheadAttention). A float mask is added to the scaled scores; −∞ hides.
/// Errors, with what to do: other shapes, integers other than 0 and 1, NaN, +∞, and a float mask of only 1
/// and 0, which must be meant as boolean. combine() of core/model/mask.h decides whether the mask fits a
/// sentence and what the first of three dimensions counts. `axes` are valid axes for files in another order,
/// as many as the file has; empty stands for ij, nij or bhij.
Result<std::shared_ptr<const LoadedMask>> read_mask(const std::filesystem::path& file,
                                                    std::string_view axes = {});

}  // namespace headscope
