#include "app/cli/run_command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <streambuf>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/figure_session.h"
#include "app/cli/help.h"
#include "app/cli/lesson_command.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/parser.h"
#include "app/cli/session_options.h"
#include "app/cli/shell_words.h"
#include "app/cli/stage_options.h"
#include "app/cli/textbook_command.h"
#include "core/caught.h"
#include "core/engine/opening.h"
#include "core/io/file_kind.h"
#include "core/page/page_record.h"
#include "core/system/process.h"
#include "core/text/utf8.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

constexpr const char* top_help =
    R"(Headscope shows how attention works: every number in every head, for any
sentence you type.

Usage:
  headscope [MODEL] [OPTIONS]    open the window with a model: pronouns (the
                                 default), stories, copying, reversing,
                                 untrained (random weights), a folder of a
                                 model, or a GGUF file; or with captured
                                 attention, a scene, a figure, or a lesson
                                 NAME.md
  headscope render [OPTIONS]     write a figure: PNG, SVG or PDF
  headscope film [OPTIONS]       write a film of a page: WebP, GIF or PNGs
  headscope worksheet [OPTIONS]  write an exercise for paper and its solution
  headscope trace [OPTIONS]      write the numbers: safetensors, NPY or CSV
  headscope explain [OPTIONS]    explain how one cell was computed
  headscope info [OPTIONS]       list stages, shapes, parameters and limits
  headscope train [OPTIONS]      train a small model and write its folder
  headscope write [OPTIONS]      write on from a sentence, word by word
  headscope tokenize [OPTIONS]   list a sentence's tokens and ids
  headscope textbook [OPTIONS] [NAME]
                                 list worked examples, open or check them
  headscope lesson [OPTIONS] [NAME]
                                 list lessons, open, check or print them
  headscope search [OPTIONS] FILE
                                 find sentences by how a head attends in them
  headscope capture [OPTIONS] [NAME]
                                 print a program that captures attention
  headscope options [OPTIONS] [WORD]
                                 explain the options that commands share

Each command has its own --help. The window accepts the options of render, and
these:
  --screenshot F.png   write a picture of the window and exit
  --size WxH           size of the window
  --ui-scale K         scale of the interface: 0.5 to 4
  --listen             show what headscope.connect() pushes in Python

  -h, --help           show this help
  --version            show the version

Examples:
  headscope --sentence "The cat sat on the mat" --heads 8
  headscope render --mask causal --head all --out heads.png
  headscope render --stage all --head 2 --theme dark --out stages.pdf
  headscope trace --sentence "To be or not to be" --out trace.safetensors
  headscope trace --stage weights --head 1 --out weights.csv
  headscope worksheet --head 2 --cover rows:it --out sheet.pdf
  headscope film --page watch --out row.webp
  headscope stories --page decoding
  headscope textbook raschka-3.5.1-causal-mask
  headscope lesson 01-what-does-it-mean
  headscope explain --stage weights --head 0 --row it --column animal
  headscope explain --stage raw --row the:1 --column street
  headscope render --preset "The paper" --attention cross --out cross.png
  headscope trace --weights mha.safetensors --heads 8 --input x.npy --out folder

Rows are queries, columns are keys; everything is counted from 0. Exit codes:
0 success, 2 invalid option or value, 1 any other failure.
)";

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

int fail(const Error& error, const Subcommand* command) {
  std::cerr << "headscope: " << escaped_message(error.message) << '\n';
  if (error.kind != Error::Kind::usage) return exit_failed;
  std::cerr << "Try “headscope " << (command == nullptr ? "" : command->app->get_name() + " ")
            << "--help”.\n";
  return exit_usage;
}

/// The exit code of a command that has printed its result.
int finish_output(const Subcommand* command) {
  std::cout.flush();
  if (std::cout) return exit_done;
  return fail({Error::Kind::failure, "cannot write to standard output: is the disk full?"}, command);
}

/// Escapes untrusted text on its way to a terminal: writes control characters other than line ends and tabs
/// as "\\x1b". Line-buffered.
class EscapingBuffer : public std::streambuf {
 public:
  explicit EscapingBuffer(std::streambuf& to) : to_(to) {}

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    line_ += traits_type::to_char_type(c);
    return line_.back() == '\n' && !pass_on() ? traits_type::eof() : c;
  }
  int sync() override { return pass_on() && to_.pubsync() == 0 ? 0 : -1; }

 private:
  bool pass_on() {
    const std::string text = escaped_controls(std::exchange(line_, {}));
    const auto size = static_cast<std::streamsize>(text.size());
    return to_.sputn(text.data(), size) == size;
  }
  std::streambuf& to_;
  std::string line_;
};

int execute(const Subcommand& command, const CommandOptions& options) {
  EscapingBuffer buffer(*std::cout.rdbuf());
  std::ostream out(&buffer);
  const auto done = result_of([&] {
    command.run(options, out);
    return exit_done;
  });
  out.flush();
  if (!out) std::cout.setstate(std::ios::badbit);
  return done ? finish_output(&command) : fail(done.error(), &command);
}

/// The error for an option that took another option as its value, because its own is missing. Empty if there
/// is none.
std::optional<Error> missing_value(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.starts_with("--") && app.get_option_no_throw(value) != nullptr)
        return Error{Error::Kind::usage,
                     option->get_name() + " needs a value, but is followed by the option " + value};
    }
  }
  return std::nullopt;
}

/// The error for an argument that no option takes: an unknown option, an unknown command, or a value without
/// an option.
Error unexpected_argument(const CommandParser& parser, const CLI::App& app, const std::string& argument) {
  if (auto missing = missing_value(app)) return *missing;
  const std::string word = argument.substr(0, argument.find('='));
  std::vector<std::string> known;
  const bool is_option = word.starts_with("-");
  if (is_option) {
    for (const CLI::Option* option : app.get_options()) known.push_back(option->get_name());
  } else {
    for (const Subcommand& command : parser.commands) known.push_back(command.app->get_name());
  }
  constexpr std::size_t longest = 120;
  std::string message = is_option ? "there is no option " + truncated(word, longest)
                                  : "“" + truncated(argument, longest) + "” was not expected";
  if (!is_option && &app != &parser.app) {
    return {Error::Kind::usage,
            message + ": put each value after its option, and a sentence after --sentence"};
  }
  if (const std::string asked = did_you_mean(word, known); !asked.empty()) {
    message += ": " + asked;
  } else if (!is_option) {
    message += ": it is neither a command (" + joined_with_or({known.begin(), known.end()}) +
               ") nor a scene or figure of this program, nor a lesson (NAME.md), nor a model (" +
               bundled_names() + ", untrained, or a folder written by “headscope train”)";
  }
  return {Error::Kind::usage, message};
}

/// An option that takes one value but was given several. Null if there is none.
const CLI::Option* repeated_option(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw && option->results().size() > 1) {
      return option;
    }
  }
  return nullptr;
}

Error repeated_option_error(const std::string& option, const std::vector<std::string>& values) {
  std::string list;
  constexpr std::size_t max_named = 8;
  constexpr std::size_t longest = 60;
  for (std::size_t i = 0; i < std::min(max_named, values.size()); ++i)
    list += (list.empty() ? "" : ", ") + shell_quoted(truncated(values[i], longest));
  if (values.size() > max_named) list += ", …";
  return {Error::Kind::usage, option + " is given more than once (" + list + "): keep one of them"};
}

/// The error for a switch that was given a value: “--details=x”.
Error switch_with_value(const CommandParser& parser, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const Subcommand* command = parser.selected_command();
    for (const CLI::App* app : {&parser.app, command == nullptr ? &parser.app : command->app}) {
      const CLI::Option* option = app->get_option_no_throw(name);
      if (option != nullptr && name != word && option->get_items_expected_max() == 0)
        return {Error::Kind::usage,
                name + " takes no value: leave out “" + truncated(word.substr(name.size()), 60) + "”"};
    }
  }
  return {Error::Kind::usage, "an option has a value that it does not take"};
}

Error parse_failure(const CommandParser& parser, const CLI::ParseError& error) {
  const Subcommand* command = parser.selected_command();
  if (auto missing = missing_value(command == nullptr ? parser.app : *command->app)) return *missing;
  const CLI::Option* repeated = repeated_option(parser.app);
  if (repeated == nullptr && command != nullptr) repeated = repeated_option(*command->app);
  if (repeated != nullptr) return repeated_option_error(repeated->get_name(), repeated->results());
  if (command != nullptr && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    for (const std::string& word : command->app->remaining())
      if (word.starts_with("--")) return unexpected_argument(parser, *command->app, word);
  }
  // CLI11 says “--sentence: 1 required TEXT missing”.
  const std::string message = error.what();
  const bool lacks_value =
      dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && message.ends_with(" missing");
  if (lacks_value)
    return {Error::Kind::usage, message.substr(0, message.find(':')) + " needs a value after it"};
  return {Error::Kind::usage, message};
}

/// Replaces the title of a page, which the window shows, by its name.
void name_page(CommandOptions& options) {
  if (const auto page = options.text(setting("selection.view")))
    options.values["--page"] = {page_name_of(*page)};
}

/// Options may precede the command that they belong to. Any other option there is an error, because it would
/// be ignored silently.
void check_options_before(const CommandParser& parser, const Subcommand& command) {
  for (const CLI::Option* before : parser.app.get_options()) {
    if (before->count() == 0) continue;
    const std::string name = before->get_name();
    const CLI::Option* own = command.app->get_option_no_throw(name);
    // The window and a figure each have a size.
    const bool is_of_window = before->get_group() == window_group;
    if (own == nullptr || (is_of_window && own->get_group() != window_group)) {
      const char* cure = is_of_window ? ": options before a command apply to the window" : "";
      std::string message = name;
      message.append(" cannot be combined with ").append(command.app->get_name()).append(cure);
      refuse(usage_error(message));
    }
    const bool one_value = own->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
    if (one_value && own->count() > 0) {
      std::vector<std::string> values = before->results();
      values.insert(values.end(), own->results().begin(), own->results().end());
      refuse(tl::unexpected(repeated_option_error(name, values)));
    }
  }
}

/// Options of the window are errors if a command opens none.
void check_no_window_options(const CommandParser& parser, const Subcommand& command) {
  for (const CLI::App* app : {&parser.app, static_cast<const CLI::App*>(command.app)}) {
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group() == window_group && option->count() > 0)
        refuse(usage_error(
            option->get_name() + " is for the window, and “headscope " + command.app->get_name() +
            "” opens one only for a NAME, without --check and --print, where there is a display"));
    }
  }
}

/// The window that its own options describe, without contents.
WindowRequest empty_window(const CommandOptions& o) {
  constexpr int min_side = 320;
  constexpr int max_side = 8192;
  WindowRequest window;
  window.listens = o.is_on("--listen");
  if (o.has("--size"))
    window.size = parse_dimensions("--size", *o.text("--size"), min_side, max_side).value();
  if (o.has("--ui-scale"))
    window.ui_scale =
        static_cast<float>(parse_decimal_number("--ui-scale", *o.text("--ui-scale"), 0.5, 4.0).value());
  if (o.has("--screenshot")) {
    if (o.is_on("--listen"))
      refuse(usage_error("--screenshot closes the window, so nothing can be pushed: leave out --listen"));
    if (std::filesystem::path(*o.text("--screenshot")).extension() != ".png") {
      refuse(invalid_value("--screenshot", *o.text("--screenshot"), "the file name must end in .png"));
    }
    window.screenshot = *o.text("--screenshot");
  }
  return window;
}

/// The window that opens on a lesson. The lesson is read here first, so that its mistakes are printed.
WindowRequest lesson_in_window(const CommandOptions& o) {
  WindowRequest window = empty_window(o);
  open_lesson(*o.named).value();
  window.lesson = *o.named;
  return window;
}

WindowRequest window_request(const CommandParser& parser) {
  const CommandOptions& o = parser.options;
  bool session_is_given = o.has(setting("model")) || o.scene || !o.against.empty();
  for (const CLI::Option* option : parser.app.get_options()) {
    if (option->count() > 0 && option->get_group() != window_group) session_is_given = true;
  }
  const bool is_text = o.named && !is_lesson_file(*o.named);
  if (o.named && session_is_given)
    refuse(usage_error((is_text ? "a model of its own learns the text: open '"
                                : "a lesson shows the scenes of its steps: open '") +
                       *o.named + "' without options for a model or a sentence"));
  if (o.named && !is_text) return lesson_in_window(o);
  WindowRequest window = empty_window(o);
  if (is_text) window.file = *o.named;
  const auto session = result_of([&] { return session_of(o); });
  if (!session && !session_is_given) {
    window.complaint = session.error().message;
    return window;
  }
  window.opening = session.value();
  const Session with_all = with_compared(o.against, selected_session(o, *session), files());
  if (session_is_given) window.session = with_all;
  if (with_all.model) window.complaint = unsupported_parts_text(*with_all.model);
  if (o.scene) window.scene = *o.scene;
  return window;
}

}  // namespace

Result<CommandOptions> render_options(std::vector<std::string> words) try {
  CommandParser parser(true);
  parser.options.against = consume_against(words).value();
  words.insert(words.begin(), "render");
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // CLI11 takes the last word first
  try {
    parser.app.parse(reversed);
  } catch (const CLI::ValidationError&) {
    return tl::unexpected(switch_with_value(parser, words));
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(parse_failure(parser, error));
  }
  const CLI::App& render = *parser.selected_command()->app;
  std::vector<std::string> rest = render.remaining();
  consume_scene(parser.options, rest);
  consume_model(parser.options, rest);
  if (!rest.empty()) return tl::unexpected(unexpected_argument(parser, render, rest.front()));
  name_page(parser.options);
  expand_choices(parser.options);
  return std::move(parser.options);
} catch (const tl::bad_expected_access<Error>& refused) {
  return tl::unexpected(refused.error());
} catch (...) {
  return failure(current_exception_message());
}

std::variant<int, WindowRequest> run_command_line(int argc, const char* const* argv) try {
  CommandParser parser;
  std::vector<std::string> words(argv + 1, argv + argc);
  auto against = consume_against(words);
  if (!against) return fail(against.error(), nullptr);
  parser.options.against = std::move(*against);
  const std::vector<std::string> all_words = words;
  std::ranges::reverse(words);  // CLI11 takes the last word first
  try {
    parser.app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const Subcommand* command = parser.selected_command();
    std::cout << (command == nullptr ? std::string(top_help)
                                     : help_page(*command->app, terminal_columns(default_columns)));
    return finish_output(command);
  } catch (const CLI::CallForVersion&) {
    std::cout << "headscope " << version << '\n';
    return finish_output(nullptr);
  } catch (const CLI::ValidationError&) {  // only switches are validated by CLI11
    return fail(switch_with_value(parser, all_words), parser.selected_command());
  } catch (const CLI::ParseError& error) {
    return fail(parse_failure(parser, error), parser.selected_command());
  }
  const Subcommand* command = parser.selected_command();
  const CLI::App& app = command == nullptr ? parser.app : *command->app;
  std::vector<std::string> rest = app.remaining();
  const auto runs = [command](auto... any) { return command != nullptr && ((command->run == any) || ...); };
  const bool is_textbook = runs(&run_textbook);
  const bool is_lesson = runs(&run_lesson);
  const bool is_training = runs(&run_train);
  const bool takes_name = is_textbook || is_lesson || runs(&run_capture, &run_search, &run_options);
  if (!takes_name && !is_training) consume_scene(parser.options, rest);
  const bool is_text = !rest.empty() && is_plain_text(rest.front()) && !is_lesson_file(rest.front());
  if (command == nullptr && is_text) consume_name(parser.options, rest);
  if (!takes_name && !is_training && !runs(&run_tokenize)) consume_model(parser.options, rest);
  const bool takes_lesson = command == nullptr || runs(&run_render);
  const bool is_own_lesson = takes_lesson && !rest.empty() && is_lesson_file(rest.front());
  if (takes_name || is_own_lesson) consume_name(parser.options, rest);
  if (!rest.empty()) return fail(unexpected_argument(parser, app, rest.front()), command);
  name_page(parser.options);
  const bool shows_page = runs(&run_trace) && parser.options.has(setting("selection.view"));
  const bool draws = command == nullptr || runs(&run_render, &run_film);
  const bool shows_several = draws || shows_page;
  if (shows_several) expand_choices(parser.options);
  try {
    if (command == nullptr) return window_request(parser);
    check_options_before(parser, *command);
    if (!parser.options.against.empty() && !shows_several)
      refuse(usage_error("--against cannot be combined with " + command->app->get_name() +
                         ": only a figure, the numbers of a page and the window show two subjects"));
    if (auto session = is_textbook ? textbook_in_window(parser.options) : std::nullopt) {
      WindowRequest window = empty_window(parser.options);
      window.session = std::move(*session);
      return window;
    }
    if (is_lesson && opens_in_window(parser.options)) return lesson_in_window(parser.options);
    check_no_window_options(parser, *command);
  } catch (const tl::bad_expected_access<Error>& refused) {
    return fail(refused.error(), command);
  }
  return execute(*command, parser.options);
} catch (...) {
  return fail({Error::Kind::failure, current_exception_message()}, nullptr);
}

}  // namespace headscope
