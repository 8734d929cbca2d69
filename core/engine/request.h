#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/interventions.h"
#include "core/model/pass.h"
#include "core/model/trained_model.h"
#include "core/session/session.h"
#include "core/text/texts.h"
#include "core/trace/trace.h"

namespace headscope {

inline constexpr std::size_t default_trace_bytes = std::size_t{1} << 30U;

/// Everything that a pass depends on. Equal requests give equal traces. Fields that have no effect are empty.
struct Request : PassRecipe {
  std::size_t max_bytes = default_trace_bytes;  ///< The limit for what a pass keeps.
  /// The request of the pass that interventions take numbers from. Empty or one element.
  std::vector<Request> donor = {};
  /// The last layer to compute, for a model of one stack. The trace is then incomplete. Empty to compute all
  /// layers.
  std::optional<int> last_layer = {};
  bool operator==(const Request&) const = default;
};

Request request_of(const Session& session);

/// Returns the request without anything that belongs to its own tokens, so that it can compute other texts:
/// padding, painted cells and mask files, dropout, given stages, patched rows, given weights, and numbers
/// from another pass.
Request without_own_texts(Request request);

/// Whether two requests use the same weights.
bool same_weights(const Request& a, const Request& b);

/// The maximum number of tokens (of each sentence) with which the pass of a request fits into its
/// `max_bytes`. A pass that does not fit as a whole keeps less and recomputes the rest on demand (Retention),
/// so only what it must keep and the masks limit the number.
int max_tokens(const Request& request);
/// The same for a request whose texts have been read.
int max_tokens(const Request& request, const Texts& texts);
/// Whether a text of this many tokens is at most max_tokens() long.
bool has_room_for(int n_tokens, const Request& request, const Texts& texts);

/// The options without those that do not affect linear attention: scale and temperature, which cancel, and
/// the mask value, because the sums skip hidden cells.
AttentionOptions without_softmax(AttentionOptions options);

/// Returns an error if a pass with linear attention needs a softmax: over queries, for an additive mask file,
/// or for given raw scores below 0.
Result<void> check_linear_pass(const Request& request, const PassMasks& masks);

/// The approximate number of bytes of a request's pass, to refuse what does not fit before computing
/// anything: its weights with the copies of given parameters, and the minimum that a pass over its texts
/// keeps.
double memory_of(const Request& request);

/// The weights alone, which do not depend on the texts.
double weights_bytes(const Request& request);

/// Predictions over more words than this are recomputed row by row instead of kept, if they take much of the
/// memory of a pass.
inline constexpr int many_words = 1 << 14;

/// The minimum that the pass of a request keeps with this many tokens, in bytes. `vocabulary` is the number
/// of predicted words; 0 stands for those of the texts.
double pass_bytes(const Request& request, int vocabulary, int n_tokens);

/// The number of words that a request's model predicts. 0 stands for those of its texts.
int vocabulary_of(const Request& request, const Texts& texts);

/// The number of tokens in the longest text of a request.
int longest_text(const Texts& texts, std::size_t n_sequences);

/// Returns an error if `bytes` exceeds `limit`: "`what` takes 2,048 MiB, but a pass may use 1,024 MiB:
/// `advice`".
Result<void> check_kept(double bytes, std::size_t limit, const std::string& what, const std::string& advice);

}  // namespace headscope
