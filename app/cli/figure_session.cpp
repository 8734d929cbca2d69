#include "app/cli/figure_session.h"

#include <algorithm>
#include <cctype>
#include <fstream>

#include "app/cli/against.h"
#include "app/cli/model_places.h"
#include "app/cli/parser.h"
#include "app/cli/session_options.h"
#include "app/cli/shell_words.h"
#include "app/cli/stage_options.h"
#include "core/caught.h"
#include "core/checkpoint/bundled_models.h"
#include "core/checkpoint/scene_file.h"
#include "core/figure/picture_reader.h"
#include "core/io/read_file.h"
#include "core/session/action.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t most_figure_bytes = std::size_t{256} << 20U;

/// Takes off the part before a render command, which pipes a batch to it with one sentence per line.
Result<Words> take_batch(Words& words, std::string& batch) {
  // A sentence may itself be a bar, so the last bar begins the command.
  const Words piped{"|", "headscope", "render"};
  const auto bar = std::find_end(words.begin(), words.end(), piped.begin(), piped.end());
  if (bar == words.end()) return words;
  const bool prints_lines = words.size() > 2 && words[0] == "printf" && words[1] == "%s\\n";
  if (!prints_lines) return failure("its command was not written by Headscope");
  for (auto line = words.begin() + 2; line != bar; ++line) batch += *line + "\n";
  return Words(bar + 1, words.end());
}

/// Parses the options of “headscope render …”. Errors call them `what`.
Result<CommandOptions> parsed(Words words, const std::string& what) {
  CommandParser parser;
  auto against = take_against(words);
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
  const Words rest = parser.chosen()->app->remaining();
  if (!rest.empty()) return failure(what + " has an unexpected argument: " + rest.front());
  parser.options.against = std::move(*against);
  return std::move(parser.options);
}

/// The file or folder in `folder` if it exists there, as it did when the figure was written; otherwise
/// `name`.
std::string found_in(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  const fs::path inside = folder / name;
  return fs::path(name).is_relative() && fs::exists(inside, ignored) ? inside.string() : name;
}

/// Sources that look up models and masks in a folder first.
Sources files_in(const fs::path& folder) {
  Sources sources = files();
  sources.model = [folder, open = sources.model](const std::string& name) {
    return open(is_bundled(name) ? name : found_in(folder, name));
  };
  sources.mask = [folder, read = sources.mask](const std::string& name, const std::string& axes) {
    return read(found_in(folder, name), axes);
  };
  sources.numbers = [folder, read = sources.numbers](const std::string& name) {
    return read(found_in(folder, name));
  };
  return sources;
}

}  // namespace

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

Result<Session> read_session(const fs::path& file) {
  const auto bytes = read_file(file, most_figure_bytes);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto refused = [&](const std::string& why) {
    return failure("'" + file.string() + "' cannot be opened as a session: " + why);
  };
  const std::vector<Metadata> metadata = metadata_in(*bytes);
  const auto command = std::ranges::find(metadata, "Command", &Metadata::key);
  if (command == metadata.end()) {
    return refused("only PNG and SVG figures made by Headscope record their command");
  }
  auto session = session_of_command(command->text, files_in(file.parent_path()));
  return session ? std::move(session) : refused(session.error().message);
}

}  // namespace

/// A file from elsewhere may hold anything, so no exception may escape.
Result<Session> session_of_figure(const fs::path& file) {
  try {
    return read_session(file);
  } catch (...) {
    return failure("'" + file.string() + "' cannot be opened: " + caught_text());
  }
}

Result<Session> session_of_file(const fs::path& file) {
  if (!is_scene_file(file)) return session_of_figure(file);
  auto kept = read_scene(file, model_places());
  if (!kept) return tl::unexpected(kept.error());
  if (!kept->complaint.empty())
    return failure("'" + file.string() + "' cannot be opened completely: " + kept->complaint);
  return std::move(kept->session);
}

void take_scene(CommandOptions& options, std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  const std::string& first = arguments.front();
  if (first.starts_with("-") || !(is_scene_file(first) || is_figure_file(first))) return;
  options.scene = first;
  arguments.erase(arguments.begin());
}

Result<Session> session_of_command(const std::string& command, Sources sources) {
  auto words = shell_words(command);
  if (!words) return tl::unexpected(words.error());
  std::string batch;
  auto rest = take_batch(*words, batch);
  if (!rest) return tl::unexpected(rest.error());
  auto options = parsed(std::move(*rest), "its command");
  if (!options) return tl::unexpected(options.error());
  sources.batch = [&batch](const std::string&) -> Result<std::string> { return batch; };
  return session_of_figure_options(*options, sources);
}

Result<Session> changed_by_words(const std::string& text, const Session& before, Sources sources) {
  auto words = shell_words(text);
  if (!words) return tl::unexpected(words.error());
  std::optional<std::string> scene;
  if (!words->empty() && is_scene_file(words->front())) {
    scene = words->front();
    words->erase(words->begin());
  } else {
    sources.scene = [&before](const std::string&) -> Result<Session> { return before; };
  }
  words->insert(words->begin(), {"headscope", "render", "--out", "scene.svg"});
  auto options = parsed(std::move(*words), "the scene");
  if (!options) return tl::unexpected(options.error());
  const std::initializer_list<const CommandOptions::Text*> files_and_sizes{
      &options->weights, &options->input, &options->key_input, &options->value_input, &options->query,
      &options->key,     &options->value, &options->page_size, &options->scale};
  if (std::ranges::any_of(files_and_sizes, [](const auto* given) { return given->has_value(); }))
    return usage_error(
        "it cannot write a figure or open a module: save what it shows as a scene and name that file");
  options->scene = scene.value_or("the step before");
  auto session = session_of(*options, sources);
  if (!session) return session;
  auto selected = selected_session(*options, std::move(*session), Unnamed::stays);
  return selected ? with_held(options->against, std::move(*selected), sources) : selected;
}

Result<Session> session_of_figure_options(const CommandOptions& options, const Sources& sources) {
  auto session = session_of(options, sources);
  if (!session) return session;
  if (!options.scene) session->selection.token.reset();
  auto selected = selected_session(options, std::move(*session));
  return selected ? with_held(options.against, std::move(*selected), sources) : selected;
}

}  // namespace headscope
