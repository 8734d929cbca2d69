#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/mask.h"

namespace headscope {

/// The words of --mask-axes, which are used up as mask files are read: none, one word for all files, or one
/// word per file.
class MaskAxes {
 public:
  static Result<MaskAxes> parse(const std::optional<std::string>& given);
  /// The axes of the next file. Empty if they follow from its shape.
  std::string next();
  /// Fails if a word was left without a file. Call it after all masks have been read.
  Result<void> check_used() const;

 private:
  std::vector<std::string> words_;
  std::size_t n_files_ = 0;
};

/// The option that gave the masks, and the numbers of tokens that they refer to.
struct MaskOption {
  const char* name = "--mask";
  int n_queries = 0;
  int n_keys = 0;
  bool is_self = true;       ///< self-attention: queries and keys are the same tokens
  MaskAxes* axes = nullptr;  ///< the axes of mask files; null if none are given
  /// Reads the mask in a file with these axes.
  std::function<Result<std::shared_ptr<const LoadedMask>>(const std::string&, const std::string&)> read;
};

/// Adds the masks that the option names to `spec`, one after the other: none (removes the masks before it),
/// causal, window:W, first:N, prefix:P, block:B, dilated:D, document:I,J or document:WORD, padding:I,J,
/// painted:Q.K,Q.K, or FILE.npy, which is read. Indices must be within the tokens.
Result<MaskSpec> with_masks(MaskSpec spec, const std::vector<std::string>& masks, const MaskOption& option);

/// A hint about a cross-attention mask that was given without its axes: “the mask F is square …”. Empty if
/// the axes are unambiguous.
std::string doubt_about_axes(const MaskSpec& cross_mask);

}  // namespace headscope
