#include <chrono>
#include <iostream>
#include <ostream>
#include <string>

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
  // Pieces that continue a word do not count; the last word is complete once another one begins.
  for (int n_begun = 0; !interrupted.flag();) {
    const auto trace = engine.compute(request, TooLong::refuse);
    if (!trace) {
      out << '\n';
      return tl::unexpected(trace.error());
    }
    const int most = session->architecture.most_tokens();
    const Stack last_stack = session->architecture.last_stack();
    const auto n_tokens = static_cast<int>((*trace)->tokens(last_stack).size());
    const MatrixView logits = (*trace)->value({.kind = StageKind::logits});
    const auto possible = candidates(logits.row(n_tokens - 1), session->sampling);
    const int chosen = choose(possible, session->sampling, n_tokens - 1);
    if (chosen == session->model->vocabulary.end()) break;
    Token next;
    next.id = chosen;
    next.text = next.lookup = session->model->vocabulary.word(chosen);
    const std::string longer = reader->with_next(text, next);
    const std::string added = longer.substr(std::min(text.size(), longer.size()));
    const bool begins_word = !added.empty() && (added.front() == ' ' || added.front() == '\n');
    if (begins_word && n_begun++ == n_words) break;
    out << added << std::flush;
    text = longer;
    if (most > 0 && n_tokens >= most) {
      out << '\n';
      std::cerr << "headscope: the text is as long as the model reads: " << most << " tokens\n";
      return {};
    }
  }
  out << '\n';
  return {};
}

}  // namespace headscope
