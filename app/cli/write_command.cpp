#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "core/engine/decoded_text.h"
#include "core/engine/decoding.h"
#include "core/engine/engine.h"
#include "core/engine/request.h"
#include "core/model/sampling.h"
#include "core/system/signals.h"

namespace headscope {
namespace {

constexpr int usual_words = 50;
constexpr int max_words = 100'000;

/// The session to write on from. Giving an option of sampling samples, unless --next-word says otherwise.
Result<Session> writing_session(const CommandOptions& o) {
  auto session = session_of(o);
  if (!session) return session;
  const Setting& greedy = setting("sampling.greedy");
  for (const Setting& each : sampling_settings) {
    if (o.has(each) && !o.has(greedy)) session->sampling.greedy = false;
  }
  auto with_sampling = with_settings(o, "sampling.", std::move(*session));
  if (!with_sampling) return with_sampling;
  const Architecture& a = with_sampling->architecture;
  const std::string name = with_sampling->model ? with_sampling->model->title() : "untrained";
  if (!with_sampling->model || a.last_stack() != Stack::decoder || a.output_layer == OutputLayer::none ||
      with_sampling->model->is_capture() || !with_sampling->model->class_names.empty())
    return wrong_value("--model", name, "only a decoder that predicts the next word can write on");
  if (a.has_cross() && with_sampling->target.empty()) {
    const Vocabulary& words = with_sampling->model->vocabulary;
    if (words.begin() >= 0) with_sampling->target = words.word(words.begin());
  }
  return with_sampling;
}

/// A text that grows by tokens. Each one is decoded with a cache, unless earlier tokens see later ones or are
/// changed by hand; then the whole text is computed again.
class Writing {
 public:
  explicit Writing(const Session& session)
      : request_(request_of(session)), own_(model_tokenizers(session.tokenizer, session.model)) {
    const bool two = session.architecture.has_cross();
    reader_ = two ? own_.of_target.get() : own_.of_source.get();
    if (reader_ == nullptr) reader_ = &tokenizer(session.tokenizer);
    text_ = two ? &request_.target : &request_.sentence;
  }

  const std::string& text() const { return *text_; }
  bool has_cache() const { return decoding_.has_value(); }
  int n_tokens() const {
    return decoding_ ? decoding_->n_decoded() : static_cast<int>(trace_->tokens(last()).size());
  }
  /// The words that may come next. compute() must have succeeded.
  std::vector<Candidate> next(const Sampling& sampling) const {
    if (!decoding_)
      return candidates(trace_->read_row({.kind = StageKind::logits}, n_tokens() - 1).view.row(0), sampling);
    const auto n_words = static_cast<std::size_t>(decoding_->newest().shape.vocabulary);
    return candidates({decoding_->newest().at({.kind = StageKind::logits}), n_words}, sampling);
  }
  Result<void> compute() {
    auto trace = engine_.compute(request_, TooLong::refuse);
    if (!trace) return tl::unexpected(trace.error());
    trace_ = *trace;
    if (!can_decode_on(*trace_)) return {};
    const DecodingWork work = decoding_work(*trace_, static_cast<int>(trace_->tokens(last()).size()));
    const bool is_small = static_cast<double>(work.computed) < parallel_threshold;
    decoding_.emplace(*trace_, is_small ? one_thread_ : shared_pool());
    decoding_->take_all_but_last();
    decoding_->step();
    return {};
  }
  /// What the text would be extended by.
  std::string added_by(std::span<const Token> tokens) const {
    // What a token adds depends on the characters just before it alone.
    constexpr std::size_t n_bytes = 64;
    const auto continues_character = [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    };
    std::string_view end = *text_;
    if (end.size() > n_bytes) end.remove_prefix(end.size() - n_bytes);
    while (!end.empty() && continues_character(end.front())) end.remove_prefix(1);
    return reader_->with_next(end, tokens).substr(end.size());
  }
  Result<void> extend(std::string_view added, const Token& newest) {
    *text_ += added;
    if (!decoding_) return compute();
    decoding_->step(newest);
    return trace_->check_files();
  }

 private:
  Stack last() const { return trace_->architecture().last_stack(); }

  Request request_;
  ModelTokenizers own_;
  const Tokenizer* reader_;
  std::string* text_;
  Engine engine_;
  std::shared_ptr<const Trace> trace_;
  TaskPool one_thread_{1};
  std::optional<Decoding> decoding_;
};

}  // namespace

Result<void> run_write(const CommandOptions& o, std::ostream& out) {
  int n_words = usual_words;
  if (o.written_words) {
    const auto given = whole_number("--words", *o.written_words, 1, max_words);
    if (!given) return tl::unexpected(given.error());
    n_words = *given;
  }
  const auto session = writing_session(o);
  if (!session) return tl::unexpected(session.error());
  Writing writing(*session);
  const InterruptWatch interrupted;
  out << writing.text() << std::flush;
  if (auto ok = writing.compute(); !ok) {
    out << '\n';
    return ok;
  }
  // Pieces that continue a word do not count; the last word is complete once another one begins. In a text
  // without spaces, no word begins.
  constexpr int pieces_of_word = 16;
  const std::int64_t most_pieces = std::int64_t{pieces_of_word} * n_words;
  const int most_tokens = session->architecture.most_tokens();
  const Vocabulary& words = session->model->vocabulary;
  std::vector<Token> unfinished;  // pieces of a character of which the last bytes are missing
  int n_begun = 0;
  const int n_first = writing.n_tokens();
  for (std::int64_t n_pieces = 0; !interrupted.flag() && n_pieces < most_pieces; ++n_pieces) {
    const auto possible = writing.next(session->sampling);
    Token next;
    next.id = choose(possible, session->sampling, n_first - 1 + static_cast<int>(n_pieces));
    if (next.id == words.end()) break;
    next.text = next.lookup = words.word(next.id);
    unfinished.push_back(next);
    std::string added = writing.added_by(unfinished);
    if (added.empty()) break;  // a special piece, which adds no text
    const bool begins_word = unfinished.size() == 1 && (added.front() == ' ' || added.front() == '\n');
    if (begins_word && n_begun++ == n_words) break;
    constexpr std::size_t longest_character = 4;
    // Without a cache, the model reads only what the text shows.
    if (writing.has_cache() && added.ends_with("\xEF\xBF\xBD") && unfinished.size() < longest_character) {
      added.clear();
    } else {
      unfinished.clear();
    }
    out << added << std::flush;
    if (most_tokens > 0 && writing.n_tokens() >= most_tokens) {
      out << '\n' << std::flush;
      std::cerr << "headscope: the text is as long as the model reads: " << most_tokens << " tokens\n";
      return {};
    }
    if (auto ok = writing.extend(added, next); !ok) {
      out << '\n';
      return ok;
    }
  }
  if (!unfinished.empty()) out << writing.added_by(unfinished);
  out << '\n';
  return {};
}

}  // namespace headscope
