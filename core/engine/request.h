#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/given_numbers.h"
#include "core/model/pass.h"
#include "core/model/trained_model.h"
#include "core/session/session.h"
#include "core/text/texts.h"
#include "core/trace/trace.h"

namespace headscope {

inline constexpr std::size_t default_trace_bytes = std::size_t{1} << 30U;

/// Everything that a pass depends on. Equal requests give equal traces.
struct Request {
  std::string sentence;            ///< The only sentence, or the source.
  std::string target;              ///< The decoder's sentence, if there are two stacks.
  std::vector<std::string> batch;  ///< Sentences that are padded to one length. Empty if there is no batch.
  int sequence = 0;                ///< The sentence of the batch that is traced, instead of `sentence`.
  TokenizerKind tokenizer = TokenizerKind::word;
  Architecture architecture;
  AttentionOptions attention;
  std::size_t max_bytes = default_trace_bytes;  ///< The limit for what a pass keeps.
  /// The weights and words of a trained model, which must have this architecture. Null stands for random
  /// weights.
  ModelValue model;
  std::string output_words;  ///< As in Session. Empty if they have no effect.
  Interventions interventions = {};
  GivenNumbers given = {};
  /// The request of the pass from which interventions take numbers. Empty if none do.
  std::vector<Request> donor = {};
  /// The last layer to compute, for a model of one stack. The trace is then incomplete. Empty to compute all
  /// layers.
  std::optional<int> last_layer = {};
  /// The tokens of the texts, as far as they are known. texts_of() adds the missing ones.
  Texts texts = {};
  bool operator==(const Request&) const = default;
};

Request request_of(const Session& session);

/// Returns the request for other texts, without everything that belongs to its own tokens: padding, painted
/// cells and mask files, dropout, given stages, patched rows, given weights, and numbers from another pass.
Request for_other_texts(Request request);

/// The tokens of the request's texts. Those that it carries are reused if they belong to the texts.
Texts texts_of(const Request& request);

/// Whether two requests use the same weights.
bool same_weights(const Request& a, const Request& b);

/// The largest number of tokens with which the pass of a request fits into its `max_bytes`; with two
/// sentences, for each of them. A pass that does not fit as a whole keeps less and computes the rest again on
/// demand (Kept). The number of tokens is limited only by what a pass must keep and by the masks.
int max_tokens(const Request& request);
/// The same for a request whose texts have been read.
int max_tokens(const Request& request, const Texts& texts);
/// Whether a text of this many tokens is at most max_tokens() long.
bool has_room_for(int n_tokens, const Request& request, const Texts& texts);

/// The options without those that have no effect on linear attention: scale and temperature, which would
/// cancel, and the mask value, because hidden cells are left out of the sums.
AttentionOptions without_softmax(AttentionOptions options);

/// Returns an error if a pass with linear attention is asked for something that needs a softmax: one over
/// queries, a mask file that adds numbers, or given raw scores below 0.
Result<void> check_linear_pass(const Request& request, const PassMasks& masks);

}  // namespace headscope
