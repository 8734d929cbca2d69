#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/mask.h"

namespace headscope {

/// The words of --mask-axes, consumed as mask files are read: none, one for all files, or one per file.
class MaskAxes {
 public:
  explicit MaskAxes(const std::optional<std::string>& given);
  /// The axes of the next file. Empty if they follow from its shape.
  std::string next();
  /// Fails if words remain. Call it after all masks have been read.
  void check_used() const;

 private:
  std::vector<std::string> words_;
  std::size_t n_files_ = 0;
};

/// The option that the masks come from, and the token counts that they refer to.
struct MaskOption {
  const char* name = "--mask";
  int n_queries = 0;
  int n_keys = 0;
  bool is_self = true;       ///< self-attention: queries and keys are the same tokens
  MaskAxes* axes = nullptr;  ///< the axes of mask files; null if none are given
  /// Reads the mask in a file with these axes.
  std::function<Result<std::shared_ptr<const LoadedMask>>(const std::string&, const std::string&)> read;
};

/// Appends the masks that the option names to `spec`: none (removes all earlier ones), causal, window:W,
/// first:N, prefix:P, block:B, dilated:D, document:I,J or document:WORD, padding:I,J, painted:Q.K,Q.K, or a
/// file FILE.npy. Refuses indices that are not tokens.
MaskSpec with_masks(MaskSpec spec, const std::vector<std::string>& masks, const MaskOption& option);

/// A hint about a cross-attention mask that was given without its axes: “the mask F is square …”. Empty if
/// the axes are unambiguous.
std::string axes_warning(const MaskSpec& cross_mask);

}  // namespace headscope
