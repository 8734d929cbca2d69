#pragma once

#include <string>

#include "core/engine/request.h"
#include "core/model/pass.h"

namespace headscope {

/// Approximately how many bytes the pass of a request takes. The window, the command line and the worked
/// examples all use it to refuse what does not fit before anything is computed.
struct MemoryEstimate {
  double weights = 0.0;  ///< Includes the copies that are made if parameters are given.
  double pass = 0.0;     ///< The least that a pass over these texts keeps.
  double total() const { return weights + pass; }
};
MemoryEstimate memory_of(const Request& request);

/// The weights alone, which do not depend on the texts.
double weights_bytes(const Request& request);

/// The predictions of more words than this are not kept if they take much of the memory of a pass, because
/// their rows can be computed again.
inline constexpr int many_words = 1 << 14;

/// The least that passes of a request keep. `vocabulary` is the number of words that they predict; 0 stands
/// for those of the texts.
class LeastPass {
 public:
  LeastPass(const Request& request, int vocabulary);
  double bytes(int n_tokens) const;

 private:
  PassShape shape_;
  int vocabulary_;
};

/// The same for this many tokens.
double pass_bytes(const Request& request, int vocabulary, int n_tokens);

/// How many words a request's model chooses from. 0 stands for the words of its texts.
int vocabulary_of(const Request& request, const Texts& texts);

/// The number of tokens in the longest text of a request.
int longest_text(const Texts& texts, std::size_t n_sequences);

/// Returns an error if numbers to be kept take more than `most` bytes: "`what` takes 2,048 MiB, but a pass
/// may use 1,024 MiB: `cure`".
Result<void> check_kept(double bytes, std::size_t most, const std::string& what, const std::string& cure);

}  // namespace headscope
