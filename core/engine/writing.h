#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/decoding.h"
#include "core/engine/engine.h"
#include "core/engine/request.h"
#include "core/model/sampling.h"

namespace headscope {

/// A decoder's continuation of a session's sentence or, with two stacks, of its target. Decodes each token
/// with a cache, or recomputes the text if earlier tokens see later ones or are changed by hand.
class Writing {
 public:
  /// Writes at most `n_words` words. Pieces that continue a word do not count; in a text without spaces, 16
  /// pieces count as one word. The session must have a model that predicts the next word.
  Writing(const Session& session, int n_words);

  const std::string& text() const { return *text_; }
  /// Computes the pass of the text. Must be called first. Errors are those of Engine::compute().
  Result<void> begin();
  /// Writes one more token and returns what it adds to the text, which is an empty text while a character is
  /// incomplete. nullopt at the end: the words are written, the model ends the text, or it is_full().
  Result<std::optional<std::string>> next();
  /// Whether the text has reached the model's maximum length.
  bool is_full() const;

 private:
  int n_tokens() const;
  std::vector<Candidate> candidates_now() const;
  std::string added_by(const std::vector<Token>& tokens) const;
  Result<void> extend(const std::string& added, const Token& newest);
  Stack last() const { return request_.architecture.last_stack(); }

  Request request_;
  Sampling sampling_;
  int n_words_;
  ModelTokenizers own_;
  const Tokenizer* reader_;
  std::string* text_;
  Engine engine_;
  std::shared_ptr<const Trace> trace_;
  ThreadPool one_thread_{1};
  std::optional<Decoding> decoding_;
  std::vector<Token> unfinished_;  ///< Pieces of a character whose last bytes are missing.
  int n_prompt_tokens_ = 0;        ///< The number of tokens of the beginning.
  int n_pieces_ = 0, n_started_words_ = 0;
  bool has_ended_ = false;
};

}  // namespace headscope
