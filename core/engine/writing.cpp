#include "core/engine/writing.h"

#include <cstdint>
#include <span>
#include <string_view>

#include "core/engine/decoding.h"

namespace headscope {

Writing::Writing(const Session& session, int n_words)
    : request_(request_of(session)),
      sampling_(session.sampling),
      n_words_(n_words),
      own_(model_tokenizers(session.tokenizer, session.model)) {
  const bool two = session.architecture.has_cross();
  reader_ = two ? own_.target_tokenizer.get() : own_.source_tokenizer.get();
  if (reader_ == nullptr) reader_ = &tokenizer(session.tokenizer);
  text_ = two ? &request_.target : &request_.sentence;
}

int Writing::n_tokens() const {
  return decoding_ ? decoding_->n_decoded() : static_cast<int>(trace_->tokens(last()).size());
}

bool Writing::is_full() const {
  const int most = request_.architecture.max_tokens();
  return most > 0 && n_tokens() >= most;
}

/// The words that may come next.
std::vector<Candidate> Writing::candidates_now() const {
  if (!decoding_)
    return candidates(trace_->read_row({.kind = StageKind::logits}, n_tokens() - 1).view.row(0), sampling_);
  const auto n_words = static_cast<std::size_t>(decoding_->newest().shape.vocabulary);
  return candidates({decoding_->newest().at({.kind = StageKind::logits}), n_words}, sampling_);
}

Result<void> Writing::begin() {
  auto trace = engine_.compute(request_, TooLong::refuse);
  if (!trace) return tl::unexpected(trace.error());
  trace_ = *trace;
  if (can_decode_further(*trace_)) {
    const DecodingWork work = decoding_work(*trace_, static_cast<int>(trace_->tokens(last()).size()));
    const bool is_small = static_cast<double>(work.computed) < parallel_threshold;
    decoding_.emplace(*trace_, is_small ? one_thread_ : shared_pool());
    decoding_->prefill();
    decoding_->step();
  }
  if (n_pieces_ == 0) n_prompt_tokens_ = n_tokens();
  return {};
}

/// What the text would be extended by.
std::string Writing::added_by(const std::vector<Token>& tokens) const {
  // What a token adds depends on the characters just before it alone.
  constexpr std::size_t n_bytes = 64;
  const auto continues_character = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
  };
  std::string_view end = *text_;
  if (end.size() > n_bytes) end.remove_prefix(end.size() - n_bytes);
  while (!end.empty() && continues_character(end.front())) end.remove_prefix(1);
  return reader_->with_appended_tokens(end, tokens).substr(end.size());
}

Result<void> Writing::extend(const std::string& added, const Token& newest) {
  *text_ += added;
  if (!decoding_) return begin();
  decoding_->step(newest);
  return trace_->check_files();
}

Result<std::optional<std::string>> Writing::next() {
  constexpr int pieces_of_word = 16;
  const auto ended = [&]() -> std::optional<std::string> {
    if (has_ended_ || unfinished_.empty()) return std::nullopt;
    has_ended_ = true;
    return added_by(unfinished_);
  };
  if (has_ended_ || std::int64_t{n_pieces_} >= std::int64_t{pieces_of_word} * n_words_) return ended();
  const Vocabulary& words = request_.model->vocabulary;
  Token token;
  token.id = choose(candidates_now(), sampling_, n_prompt_tokens_ - 1 + n_pieces_);
  if (token.id == words.end()) return ended();
  token.text = token.lookup = words.word(token.id);
  unfinished_.push_back(token);
  std::string added = added_by(unfinished_);
  const bool begins_word =
      unfinished_.size() == 1 && !added.empty() && (added.front() == ' ' || added.front() == '\n');
  // A special piece adds no text.
  if (added.empty() || (begins_word && n_started_words_++ == n_words_)) {
    unfinished_.pop_back();
    return ended();
  }
  constexpr std::size_t longest_character = 4;
  // Without a cache, the model reads only what the text shows.
  if (decoding_ && added.ends_with("\xEF\xBF\xBD") && unfinished_.size() < longest_character) {
    added.clear();
  } else {
    unfinished_.clear();
  }
  ++n_pieces_;
  if (is_full()) {
    *text_ += added;
    has_ended_ = true;
    return added;
  }
  if (auto ok = extend(added, token); !ok) return tl::unexpected(ok.error());
  return added;
}

}  // namespace headscope
