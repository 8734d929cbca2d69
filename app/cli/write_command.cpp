#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "core/engine/engine.h"
#include "core/model/sampling.h"

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
  Request request = request_of(*session);
  std::string& text = session->architecture.has_cross() ? request.target : request.sentence;
  const ModelTokenizers own = model_tokenizers(session->tokenizer, session->model);
  const Tokenizer* reader = session->architecture.has_cross() ? own.of_target.get() : own.of_source.get();
  if (reader == nullptr) reader = &tokenizer(session->tokenizer);
  const InterruptWatch interrupted;
  Engine engine;
  out << text << std::flush;
  std::size_t n_printed = text.size();
  // Pieces that continue a word do not count; the last word is complete once another one begins. In a text
  // without spaces, no word begins.
  constexpr int pieces_of_word = 16;
  const std::int64_t most_pieces = std::int64_t{pieces_of_word} * n_words;
  std::int64_t n_pieces = 0;
  int n_first = 0;  // the tokens before the first piece
  // While the engine finds the pass before, it computes only the rows behind it.
  std::shared_ptr<const Trace> pass_before;
  for (int n_begun = 0; !interrupted.flag() && n_pieces < most_pieces; ++n_pieces) {
    const auto trace = engine.compute(request, TooLong::refuse);
    if (!trace) {
      out << '\n';
      return tl::unexpected(trace.error());
    }
    const int most = session->architecture.most_tokens();
    const Stack last_stack = session->architecture.last_stack();
    const auto n_tokens = static_cast<int>((*trace)->tokens(last_stack).size());
    if (n_pieces == 0) n_first = n_tokens;
    pass_before = *trace;
    const MatrixView logits = (*trace)->value({.kind = StageKind::logits});
    const auto possible = candidates(logits.row(n_tokens - 1), session->sampling);
    const int chosen = choose(possible, session->sampling, n_first - 1 + static_cast<int>(n_pieces));
    if (chosen == session->model->vocabulary.end()) break;
    Token next;
    next.id = chosen;
    next.text = next.lookup = session->model->vocabulary.word(chosen);
    const std::string longer = reader->with_next(text, next);
    if (longer == text) break;  // a special piece, which adds no text
    const std::string_view added = std::string_view(longer).substr(std::min(n_printed, longer.size()));
    const bool begins_word = !added.empty() && (added.front() == ' ' || added.front() == '\n');
    if (begins_word && n_begun++ == n_words) break;
    text = longer;
    // The last bytes of a character may be missing, which shows as U+FFFD.
    if (!added.ends_with("\xEF\xBF\xBD")) {
      out << added << std::flush;
      n_printed = longer.size();
    }
    if (most > 0 && n_tokens >= most) {
      out << '\n';
      std::cerr << "headscope: the text is as long as the model reads: " << most << " tokens\n";
      return {};
    }
  }
  out << text.substr(std::min(n_printed, text.size())) << '\n';
  return {};
}

}  // namespace headscope
