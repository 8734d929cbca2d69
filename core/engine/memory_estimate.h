#pragma once

#include <string>

#include "core/engine/request.h"
#include "core/model/pass.h"

namespace headscope {

/// The approximate number of bytes of a request's pass, to refuse what does not fit before computing
/// anything.
struct MemoryEstimate {
  double weights = 0.0;  ///< Includes the copies of given parameters.
  double pass = 0.0;     ///< The minimum that a pass over these texts keeps.
  double total() const { return weights + pass; }
};
MemoryEstimate memory_of(const Request& request);

/// The weights alone, which do not depend on the texts.
double weights_bytes(const Request& request);

/// Predictions over more words than this are recomputed row by row instead of kept, if they take much of the
/// memory of a pass.
inline constexpr int many_words = 1 << 14;

/// The minimum that passes of a request keep. `vocabulary` is the number of predicted words; 0 stands for
/// those of the texts.
class MinimalPass {
 public:
  MinimalPass(const Request& request, int vocabulary);
  double bytes(int n_tokens) const;

 private:
  PassShape shape_;
  int vocabulary_;
};

/// The minimum that the pass of a request keeps with this many tokens, in bytes: MinimalPass::bytes().
double pass_bytes(const Request& request, int vocabulary, int n_tokens);

/// The number of words that a request's model predicts. 0 stands for those of its texts.
int vocabulary_of(const Request& request, const Texts& texts);

/// The number of tokens in the longest text of a request.
int longest_text(const Texts& texts, std::size_t n_sequences);

/// Returns an error if `bytes` exceeds `limit`: "`what` takes 2,048 MiB, but a pass may use 1,024 MiB:
/// `advice`".
Result<void> check_kept(double bytes, std::size_t limit, const std::string& what, const std::string& advice);

}  // namespace headscope
