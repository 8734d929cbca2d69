#include <iostream>
#include <ostream>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "core/engine/writing.h"
#include "core/system/signals.h"

namespace headscope {
namespace {

constexpr int usual_words = 50;
constexpr int max_words = 100'000;

/// The session to continue. An option of sampling implies sampling, unless --next-word says otherwise.
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
    return invalid_value("--model", name, "only a decoder that predicts the next word can write on");
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
    const auto given = parse_whole_number("--words", *o.written_words, 1, max_words);
    if (!given) return tl::unexpected(given.error());
    n_words = *given;
  }
  const SignalWatch signals;
  const auto session = writing_session(o);
  if (!session) return tl::unexpected(session.error());
  Writing writing(*session, n_words);
  out << writing.text() << std::flush;
  Result<void> ok = writing.begin();
  while (ok && !signals.shutdown_requested()) {
    const auto added = writing.next();
    if (!added) {
      ok = tl::unexpected(added.error());
    } else if (!*added) {
      break;
    } else {
      out << **added << std::flush;
    }
  }
  out << '\n' << std::flush;
  if (ok && writing.is_full())
    std::cerr << "headscope: the text is as long as the model reads: " << session->architecture.max_tokens()
              << " tokens\n";
  return ok;
}

}  // namespace headscope
