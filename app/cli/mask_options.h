#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/mask.h"

namespace headscope {

/// The value of --mask-axes, consumed as mask files are read: nothing, one word for all of them, or one for
/// each.
class MaskAxes {
 public:
  static Result<MaskAxes> parse(const std::optional<std::string>& given);
  /// Of the next file; empty: as its shape says.
  std::string next();
  /// To be called once all masks are read: an error unless there was a file for each word.
  Result<void> check_used() const;

 private:
  std::vector<std::string> words_;
  std::size_t n_files_ = 0;
};

/// The option that masks were given by, and the tokens that they count in.
struct MaskOption {
  const char* name = "--mask";
  int n_queries = 0;
  int n_keys = 0;
  bool is_self = true;       ///< of self-attention: queries and keys are the same tokens
  MaskAxes* axes = nullptr;  ///< of files; null: nothing is said of them
  /// A file's mask with these axes.
  std::function<Result<std::shared_ptr<const LoadedMask>>(const std::string&, const std::string&)> read;
};

/// Adds what the option names, one after the other, to `spec`: none (clears what came before), causal,
/// window:W, first:N, prefix:P, block:B, dilated:D, document:I,J or document:WORD, padding:I,J,
/// painted:Q.K,Q.K, or FILE.npy, which is read. Indices must lie inside.
Result<MaskSpec> with_masks(MaskSpec spec, const std::vector<std::string>& masks, const MaskOption& option);

/// The values that make `spec` again.
std::vector<std::string> mask_words(const MaskSpec& spec);

/// The value of --mask-axes that makes the files of these masks again; empty where it takes none.
std::string mask_axes_word(std::initializer_list<const MaskSpec*> masks);

/// “the mask F is square …”: a hint for a cross-attention mask given without its axes; empty if there is no
/// doubt.
std::string doubt_about_axes(const MaskSpec& cross_mask);

/// The value of hidden cells that --mask-value gives: inf (−∞), 1e9 (−1e9), or any finite number as it
/// stands.
Result<float> mask_value_of(const std::string& given);
/// The text that mask_value_of() reads as `value`.
std::string mask_value_word(float value);

}  // namespace headscope
