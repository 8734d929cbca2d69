#include "app/cli/against.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"
#include "core/text/choices.h"

namespace headscope {
namespace {

constexpr const char* against_option = "--against";

using Words = std::vector<std::string>;

/// Parses the words that describe one subject, and returns the others.
Result<Words> read_words(Words words, CommandOptions& options) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  add_subject_options(app, options);
  std::ranges::reverse(words);  // CLI11 takes the last word first
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return usage_error(std::string("after ") + against_option + ": " + error.what());
  }
  return app.remaining();
}

}  // namespace

Result<std::vector<CommandOptions>> consume_against(Words& words) {
  for (const std::string& word : words) {
    if (word.starts_with(std::string(against_option) + "="))
      return usage_error(std::string(against_option) + " takes no value: options come after it");
  }
  if (const auto n = std::ranges::count(words, against_option); n > max_compared) {
    return usage_error(std::string(against_option) + " is given " + std::to_string(n) + " times: at most " +
                       std::to_string(max_compared) + " subjects can be compared with one");
  }
  const auto first = std::ranges::find(words, against_option);
  const Words rest(first, words.end());
  words.erase(first, words.end());
  std::vector<CommandOptions> all;
  for (auto begin = rest.begin(); begin != rest.end();) {
    const auto end = std::find(begin + 1, rest.end(), against_option);
    auto others = read_words(Words(begin + 1, end), all.emplace_back());
    if (!others) return tl::unexpected(others.error());
    words.insert(words.end(), others->begin(), others->end());
    begin = end;
  }
  return all;
}

void expand_choices(CommandOptions& options) {
  const auto given = options.text(setting("sentence"));
  if (!given) return;
  if (options.against.size() >= max_compared) return;
  std::vector<std::string> sentences = expand_alternatives(*given, max_compared + 1 - options.against.size());
  if (sentences.size() == 1) return;
  options.settings["--sentence"] = {sentences.back()};
  sentences.pop_back();
  for (const std::string& sentence : sentences)
    options.against.emplace_back().settings["--sentence"] = {sentence};
  if (!names_page(options)) options.settings["--page"] = {"compare"};
}

Result<Subject> subject_against(const CommandOptions& options, const Session& session,
                                const ResourceLoader& loader) {
  const auto changed = changed_session(options, with_subject(session, session.subject()), loader);
  if (!changed) return tl::unexpected(changed.error());
  const auto selected = selected_session(options, *changed, UnspecifiedPlace::keeps_selection);
  if (!selected) return tl::unexpected(selected.error());
  Subject subject = selected->subject();
  subject.selection.stage = session.selection.stage;
  return subject;
}

Result<Session> with_compared(const std::vector<CommandOptions>& against, Session session,
                              const ResourceLoader& loader) {
  std::vector<Subject> compared;
  for (const CommandOptions& options : against) {
    auto subject = subject_against(options, session, loader);
    if (!subject) {
      return tl::unexpected(Error{subject.error().kind,
                                  std::string("after ") + against_option + ": " + subject.error().message});
    }
    compared.push_back(std::move(*subject));
  }
  if (!compared.empty()) session.compared = std::move(compared);
  return session;
}

}  // namespace headscope
