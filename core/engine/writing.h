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

/// A text that a decoder writes on from a session's sentence; with two stacks, from its target. Each token is
/// decoded with a cache, unless earlier tokens see later ones or are changed by hand; then the whole text is
/// computed again.
class Writing {
 public:
  /// At most `n_words` words are written. Pieces that continue a word do not count; in a text without spaces,
  /// where no word begins, 16 pieces count as one. The session must have a model that predicts the next word.
  Writing(const Session& session, int n_words);

  const std::string& text() const { return *text_; }
  /// Computes the pass of the text. Comes first. Errors are those of Engine::compute().
  Result<void> begin();
  /// Writes one more token and returns what it adds to the text: nothing as long as a character is not
  /// complete. Empty at the end: the words are written, the model ends the text, or it is_full().
  Result<std::optional<std::string>> next();
  /// Whether the text is as long as the model reads.
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
  TaskPool one_thread_{1};
  std::optional<Decoding> decoding_;
  std::vector<Token> unfinished_;  ///< Pieces of a character of which the last bytes are missing.
  int n_first_ = 0;                ///< The number of tokens of the beginning.
  int n_pieces_ = 0, n_begun_ = 0;
  bool has_ended_ = false;
};

}  // namespace headscope
