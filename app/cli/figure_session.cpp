#include "app/cli/figure_session.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <fstream>
#include <utility>

#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/parser.h"
#include "app/cli/session_options.h"
#include "app/cli/shell_words.h"
#include "app/cli/stage_options.h"
#include "core/caught.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/opening.h"
#include "core/page/figure_file.h"
#include "core/paint/picture_reader.h"
#include "core/session/action.h"
#include "core/system/process.h"
#include "core/system/read_file.h"
#include "core/text/choices.h"
#include "core/text/utf8.h"

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
  options.values["--sentence"] = {sentences.back()};
  sentences.pop_back();
  for (const std::string& sentence : sentences)
    options.against.emplace_back().values["--sentence"] = {sentence};
  if (!names_page(options)) options.values["--page"] = {"compare"};
}

Subject subject_against(const CommandOptions& options, const Session& session, const ResourceLoader& loader) {
  const Session changed = changed_session(options, with_subject(session, session.subject()), loader);
  Subject subject = selected_session(options, changed, true).subject();
  subject.selection.stage = session.selection.stage;
  return subject;
}

Session with_compared(const std::vector<CommandOptions>& against, Session session,
                      const ResourceLoader& loader) {
  std::vector<Subject> compared;
  for (const CommandOptions& options : against) {
    auto subject = result_of([&] { return subject_against(options, session, loader); });
    if (!subject) refuse(after(std::string("after ") + against_option + ": ", subject.error()));
    compared.push_back(std::move(*subject));
  }
  if (!compared.empty()) session.compared = std::move(compared);
  return session;
}

namespace fs = std::filesystem;

bool is_figure_file(const fs::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  if (extension == ".png" || extension == ".svg" || extension == ".pdf") return true;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  constexpr std::size_t of_its_head = 65536;
  std::string head(of_its_head, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), of_its_head);
  head.resize(static_cast<std::size_t>(in.gcount()));
  return is_picture(head);
}

namespace {

/// The metadata that the program wrote into a figure.
Result<std::vector<Metadata>> metadata_of_file(const fs::path& file) {
  return read_file(file).map([](const std::string& bytes) { return metadata_in(bytes); });
}

Result<LoadedSession> read_figure(const fs::path& file, const ModelRef& instead) {
  const auto entries = metadata_of_file(file);
  if (!entries) return tl::unexpected(entries.error());
  if (const Metadata* scene = entry_of(*entries, scene_key))
    return read_scene_text(scene->text, file, bundled_model_folders(), instead);
  const auto refused = [&](const std::string& why) {
    return failure("'" + file.string() + "' cannot be opened as a scene: " + why);
  };
  if (const Metadata* why = entry_of(*entries, scene_omitted_key))
    return refused("it was written without its scene, because " + why->text);
  const Metadata* command = entry_of(*entries, command_key);
  if (command == nullptr) return refused("only figures made by Headscope hold the scene that they show");
  // A picture of a few kilobytes may hold a text of megabytes.
  constexpr std::size_t longest_shown = 100'000;
  return refused(
      "an earlier Headscope wrote it, with no scene in it but this command, which makes the figure again: " +
      truncated(command->text, longest_shown));
}

/// The session, if it was read completely: a command needs all of it.
Result<Session> require_complete(Result<LoadedSession> kept, const fs::path& file) {
  if (!kept) return tl::unexpected(kept.error());
  if (!kept->complaint.empty())
    return failure("'" + file.string() + "' cannot be opened completely: " + kept->complaint);
  return std::move(kept->session);
}

}  // namespace

/// The file is untrusted, so no exception may escape.
Result<LoadedSession> read_figure_scene(const fs::path& file, const ModelRef& instead) {
  try {
    return read_figure(file, instead);
  } catch (...) {
    return failure("'" + file.string() + "' cannot be opened: " + current_exception_message());
  }
}

Result<Session> read_session_file(const fs::path& file) {
  return require_complete(
      is_scene_file(file) ? read_scene(file, bundled_model_folders()) : read_figure_scene(file), file);
}

void consume_scene(CommandOptions& options, std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  const std::string& first = arguments.front();
  if (first.starts_with("-") || !(is_scene_file(first) || is_figure_file(first))) return;
  options.scene = first;
  arguments.erase(arguments.begin());
}

Result<CommandOptions> parse_render_words(std::vector<std::string> words, const std::string& what) {
  CommandParser parser(true);
  auto against = consume_against(words);
  if (!against) return failure(what + " cannot be parsed: " + against.error().message);
  if (words.size() < 2 || words[0] != "headscope" || words[1] != "render") {
    return failure(what + " was not written by Headscope");
  }
  words.erase(words.begin());
  std::ranges::reverse(words);  // CLI11 takes the last word first
  try {
    parser.app.parse(words);
  } catch (const CLI::Error& error) {
    return failure(what + " cannot be parsed: " + error.what());
  }
  const std::vector<std::string> rest = parser.selected_command()->app->remaining();
  if (!rest.empty()) return failure(what + " has an unexpected argument: " + rest.front());
  parser.options.against = std::move(*against);
  return std::move(parser.options);
}

/// The file is untrusted, so no exception may escape.
std::optional<CommandOptions> read_figure_options(const fs::path& file) {
  try {
    const auto entries = metadata_of_file(file);
    const Metadata* command = entries ? entry_of(*entries, command_key) : nullptr;
    if (command == nullptr) return std::nullopt;
    auto words = shell_words(command->text);
    if (!words) return std::nullopt;
    auto options = parse_render_words(std::move(*words), "the command of the figure");
    return options ? std::optional(std::move(*options)) : std::nullopt;
  } catch (...) {
    return std::nullopt;
  }
}

/// The file is untrusted, so no exception may escape.
Result<std::optional<FigureSize>> read_figure_size(const fs::path& file) {
  if (is_scene_file(file)) return std::nullopt;
  try {
    const auto entries = metadata_of_file(file);
    const Metadata* scene = entries ? entry_of(*entries, scene_key) : nullptr;
    if (scene == nullptr) return std::nullopt;
    return size_in_scene(scene->text).map_error([&](const Error& error) {
      return Error{error.kind, "'" + file.string() + "' cannot be drawn again: " + error.message};
    });
  } catch (...) {
    return failure("'" + file.string() + "' cannot be opened: " + current_exception_message());
  }
}

namespace {

/// The options in the words of a scene, with the scene's file if the words begin with one.
Result<CommandOptions> scene_options(const std::string& text) {
  auto words = shell_words(text);
  if (!words) return tl::unexpected(words.error());
  CommandOptions::Text file;
  if (!words->empty() && is_scene_file(words->front())) {
    file = words->front();
    words->erase(words->begin());
  }
  words->insert(words->begin(), {"headscope", "render", "--out", "scene.svg"});
  auto options = parse_render_words(std::move(*words), "the scene");
  if (options) options->scene = file;
  return options;
}

Session with_words(CommandOptions& options, const Session& before, ResourceLoader loader) {
  Session start = before;
  const auto model = options.text(setting("model"));
  // A step that names a model opens it on its head and sentence.
  if (!options.scene && model && *model != "untrained" && !options.has("--preset")) {
    start = reduce(start, model_to_open(options, *model, loader));
    options.values.erase(setting("model").option);
  }
  if (!options
           .first_of({"--weights", "--input", "--key-input", "--value-input", "--query", "--key", "--value",
                      "--size", "--scale"})
           .empty())
    refuse(usage_error(
        "it cannot write a figure or open a module: save what it shows as a scene and name that file"));
  if (!options.scene) {
    loader.scene = [&start](const std::string&) -> Result<Session> { return start; };
    options.scene = "the step before";
  }
  return with_compared(options.against, selected_session(options, session_of(options, loader), true), loader);
}

}  // namespace

bool determines_model(const std::string& text) {
  const auto options = scene_options(text);
  return !options || options->scene || options->has(setting("model")) || options->has("--preset");
}

Result<Session> apply_words(const std::string& text, const Session& before, ResourceLoader loader) {
  auto parsed = scene_options(text);
  if (!parsed) return tl::unexpected(parsed.error());
  return result_of([&] { return with_words(*parsed, before, loader); });
}

void select_default_row(const CommandOptions& options, Session& session) {
  const bool is_named = session.selection.token || options.has(setting("selection.token"));
  // “Why divide” chooses a row that the division changes.
  if (options.scene || is_named || !names_page(options) || session.view == PageName::scale) return;
  session.selection.token = default_row(session);
  for (Subject& each : session.compared) {
    if (!each.selection.token) each.selection.token = default_row(with_subject(session, each));
  }
}

Result<Session> figure_session(const CommandOptions& options, const ResourceLoader& loader) {
  return result_of([&] {
    Session session = session_of(options, loader);
    if (!options.scene) session.selection.token.reset();
    return with_compared(options.against, selected_session(options, std::move(session)), loader);
  });
}

}  // namespace headscope
