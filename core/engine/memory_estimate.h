#pragma once

#include <string>

#include "core/engine/request.h"

namespace headscope {

/// About how many bytes the pass of a request takes. What does not fit is refused by this before anything is
/// computed, in the window, on the command line and in worked examples alike.
struct MemoryEstimate {
  double weights = 0.0;  ///< with the copies that are made where parameters are given
  double pass = 0.0;     ///< the least that a pass of these texts keeps, with its masks
  double total() const { return weights + pass; }
};
MemoryEstimate memory_of(const Request& request);

/// The weights alone, which do not depend on the texts.
double weights_bytes(const Request& request);

/// The least that a pass of so many tokens keeps. `vocabulary`: the words that it predicts; 0: those of the
/// texts.
double pass_bytes(const Request& request, int vocabulary, int n_tokens);

/// How many words a request's model chooses among; 0: the words of its texts.
int vocabulary_of(const Request& request, const Texts& texts);

/// The tokens of the longest text of a request.
int longest_text(const Texts& texts, std::size_t n_sequences);

/// An error where numbers that are to be kept take more than `most` bytes: "`what` takes 2,048 MiB, but a
/// pass may use 1,024 MiB: `cure`".
Result<void> check_kept(double bytes, std::size_t most, const std::string& what, const std::string& cure);

}  // namespace headscope
