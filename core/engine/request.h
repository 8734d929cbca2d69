#pragma once

#include <cstddef>
#include <memory>
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

/// Everything that a pass depends on. Two equal requests give equal traces.
struct Request {
  std::string sentence;            ///< the only one, or the source
  std::string target;              ///< of the decoder, where there are two stacks
  std::vector<std::string> batch;  ///< sentences padded to one length; empty: there is no batch
  int sequence = 0;                ///< the one of the batch that is traced, instead of `sentence`
  TokenizerKind tokenizer = TokenizerKind::word;
  Architecture architecture;
  AttentionOptions attention;
  std::size_t max_bytes = default_trace_bytes;  ///< of what a pass keeps
  /// Weights and words of a model that was trained, of just this architecture; null: random weights.
  ModelValue model;
  std::string output_words;  ///< as Session's; empty where they take no part
  Interventions interventions = {};
  GivenNumbers given = {};
  /// Of the pass that the interventions take numbers from; none where they take none.
  std::vector<Request> donor = {};
  /// The tokens of the texts, where they are known; texts_of() makes those that are missing.
  Texts texts = {};
  bool operator==(const Request&) const = default;
};

Request request_of(const Session& session);

/// The tokens of its texts: those that it carries, where they are of them.
Texts texts_of(const Request& request);

/// Whether two requests take the same weights.
bool same_weights(const Request& a, const Request& b);

/// The most tokens of a request whose pass fits into its `max_bytes`, of each sentence where there are two. A
/// pass that does not fit as a whole keeps less, and computes the rest again when it is looked at (Kept):
/// only what it must keep limits the tokens, and the masks of their maps.
int max_tokens(const Request& request);
/// The same for a request whose texts have been read.
int max_tokens(const Request& request, const Texts& texts);

}  // namespace headscope
