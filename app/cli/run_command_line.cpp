#include "app/cli/run_command_line.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/escaped_output.h"
#include "app/cli/help_texts.h"
#include "app/cli/model_option.h"
#include "app/cli/near_matches.h"
#include "app/cli/option_values.h"
#include "app/cli/render_command_text.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"
#include "app/cli/version.h"
#include "app/cli/window_session.h"
#include "core/caught.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

using Run = Result<void> (*)(const CommandOptions&, std::ostream&);

struct Command {
  CLI::App* app;
  Run run;
};

/// The program's options and commands, and what was typed for them.
struct Parser {
  CommandOptions options;
  CLI::App app{"", "headscope"};
  std::vector<Command> commands;

  Parser();
  CLI::App& add(const char* name, const char* summary, const char* examples, Run run);
  /// The command that was asked for; null: the window.
  const Command* chosen() const;
};

CLI::App& Parser::add(const char* name, const char* summary, const char* examples, Run run) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer(std::string("\nExamples:\n") + examples);
  command->allow_extras();
  commands.push_back({command, run});
  return *command;
}

/// What the window and the figure both take.
void add_scene_options(CLI::App& command, CommandOptions& options) {
  add_input_options(command, options);
  add_stage_options(command, options);
  add_cell_options(command, options);
  add_picture_options(command, options);
  add_attention_options(command, options);
  add_model_options(command, options);
}

Parser::Parser() {
  app.set_version_flag("--version", std::string("headscope ") + version);
  app.allow_extras();

  CLI::App& render = add("render", "Write a figure of one stage, of all heads or of all stages of a head.",
                         "  headscope render --out weights.png\n"
                         "  headscope render --mask causal --head all --out heads.png\n"
                         "  headscope render --stage all --head 2 --theme dark --out stages.pdf\n",
                         run_render);
  add_out_option(render, options, "F.png, F.svg or F.pdf");
  add_figure_file_options(render, options);
  add_scene_options(render, options);

  CLI::App& trace = add("trace", "Write the numbers of a pass: all of them, or one stage.",
                        "  headscope trace --out trace.safetensors\n"
                        "  headscope trace --mask causal --out folder\n"
                        "  headscope trace --stage weights --head 1 --out weights.csv\n",
                        run_trace);
  add_out_option(trace, options, "F.safetensors or a folder; with --stage F.npy or F.csv");
  add_input_options(trace, options);
  add_module_options(trace, options);
  add_stage_options(trace, options);
  add_attention_options(trace, options);
  add_model_options(trace, options);

  CLI::App& explain = add("explain", "Say how one cell came to be, with its numbers.",
                          "  headscope explain --row it --column animal\n"
                          "  headscope explain --stage query --head 1 --row the:1 --column 5\n",
                          run_explain);
  add_input_options(explain, options);
  add_stage_options(explain, options);
  add_cell_options(explain, options);
  add_attention_options(explain, options);
  add_model_options(explain, options);

  CLI::App& info = add("info", "List stages with their shapes, parameters, memory and the longest sentence.",
                       "  headscope info\n  headscope info --preset \"Seed 1: d\"\n", run_info);
  add_input_options(info, options);
  add_attention_options(info, options);
  add_model_options(info, options);

  CLI::App& train = add(
      "train", "Train a small model and write its folder.",
      "  headscope train --task pronouns --out my-pronouns\n"
      "  headscope train --task reversing --d-model 32 --heads 2 --steps 600 --out my-reversing\n\n"
      "What is not given is the task's: d_model 64, 4 heads, d_ff 128, words out tied; pronouns: 2 layers,\n"
      "pre-norm, GELU, rotary, 1200 steps of 96 sentences; copying: 2 layers, no norm, learned positions, "
      "1000 steps\n"
      "of 64; reversing: 1 + 1 layers, pre-norm, learned positions, 1000 steps of 64.\n",
      run_train);
  add_out_option(train, options, "the model's folder");
  add_training_options(train, options);
  add_trained_model_options(train, options);

  CLI::App& tokenize = add("tokenize",
                           "List the tokens of a sentence: index, id and token, a line each; with --batch, "
                           "the sentence's number first.",
                           "  headscope tokenize --sentence \"To be or not to be\"\n", run_tokenize);
  add_input_options(tokenize, options);

  add_window_options(app, options);
  add_scene_options(app, options);
}

const Command* Parser::chosen() const {
  for (const Command& command : commands) {
    if (command.app->parsed()) return &command;
  }
  return nullptr;
}

int fail(const Error& error, const Command* command) {
  std::cerr << "headscope: " << escaped_message(error.message) << '\n';
  if (error.kind != Error::Kind::usage) return exit_failed;
  std::cerr << "Try “headscope " << (command == nullptr ? "" : command->app->get_name() + " ")
            << "--help”.\n";
  return exit_usage;
}

/// The exit code of what printed its result.
int finish_output(const Command* command) {
  std::cout.flush();
  if (std::cout) return exit_done;
  return fail({Error::Kind::failure, "cannot write to standard output: is the disk full?"}, command);
}

int carry_out(const Command& command, const CommandOptions& options) {
  EscapedOutput out(*std::cout.rdbuf());
  const Result<void> done = command.run(options, out);
  out.flush();
  if (!out) std::cout.setstate(std::ios::badbit);
  return done ? finish_output(&command) : fail(done.error(), &command);
}

/// An argument that no option takes: an unknown option, an unknown command, or a value without an option.
Error unexpected_argument(const Parser& parser, const CLI::App& app, const std::string& argument) {
  const std::string word = argument.substr(0, argument.find('='));
  std::vector<std::string> known;
  const bool is_option = word.starts_with("-");
  if (is_option) {
    for (const CLI::Option* option : app.get_options()) known.push_back(option->get_name());
  } else {
    for (const Command& command : parser.commands) known.push_back(command.app->get_name());
  }
  std::string message = is_option ? "there is no option " + word : "“" + argument + "” was not expected";
  if (!is_option && &app != &parser.app) {
    return {Error::Kind::usage, message + ": a value stands after its option, a sentence after --sentence"};
  }
  const auto near = near_matches(word, known);
  if (!near.empty()) {
    message += ": did you mean " + joined_with_or({near.begin(), near.end()}) + "?";
  } else if (!is_option) {
    message += ": it is no command (" + joined_with_or({known.begin(), known.end()}) +
               "), and no model (pronouns, copying, reversing, untrained, or a folder that “headscope train” "
               "wrote)";
  }
  return {Error::Kind::usage, message};
}

/// “--sentence is given twice”: an option that takes one value, given more; null where there is none.
const CLI::Option* repeated_option(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw && option->results().size() > 1) {
      return option;
    }
  }
  return nullptr;
}

Error given_repeatedly(const std::string& option, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ", ") + shell_quoted(value);
  return {Error::Kind::usage, option + " is given more than once (" + list + "): give one of them"};
}

Error parse_failure(const Parser& parser, const CLI::ParseError& error) {
  const Command* command = parser.chosen();
  const CLI::Option* repeated = repeated_option(parser.app);
  if (repeated == nullptr && command != nullptr) repeated = repeated_option(*command->app);
  if (repeated != nullptr) return given_repeatedly(repeated->get_name(), repeated->results());
  return {Error::Kind::usage, error.what()};
}

/// Options may stand before the command that they are for; others would be read for nothing.
Result<void> check_options_before(const Parser& parser, const Command& command) {
  for (const CLI::Option* before : parser.app.get_options()) {
    if (before->count() == 0) continue;
    const std::string name = before->get_name();
    const CLI::Option* own = command.app->get_option_no_throw(name);
    if (before->get_group() == window_group || own == nullptr) {
      const char* cure = before->get_group() == window_group ? ": before a command it is of the window" : "";
      std::string message = name;
      message.append(" does not go with ").append(command.app->get_name()).append(cure);
      return usage_error(message);
    }
    const bool one_value = own->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
    if (one_value && own->count() > 0) {
      std::vector<std::string> values = before->results();
      values.insert(values.end(), own->results().begin(), own->results().end());
      return tl::unexpected(given_repeatedly(name, values));
    }
  }
  return {};
}

Result<WindowRequest> window_request(const Parser& parser) {
  constexpr int least_side = 320;
  constexpr int greatest_side = 8192;
  const CommandOptions& o = parser.options;
  WindowRequest window;
  if (o.window_size) {
    const auto size = sides("--size", *o.window_size, least_side, greatest_side);
    if (!size) return tl::unexpected(size.error());
    window.size = WindowSize{size->width, size->height};
  }
  if (o.ui_scale) {
    const auto scale = decimal_number("--ui-scale", *o.ui_scale, 0.5, 4.0);
    if (!scale) return tl::unexpected(scale.error());
    window.ui_scale = static_cast<float>(*scale);
  }
  if (o.screenshot) {
    if (std::filesystem::path(*o.screenshot).extension() != ".png") {
      return wrong_value("--screenshot", *o.screenshot, "its file ends in .png");
    }
    window.screenshot = *o.screenshot;
  }
  bool session_is_given = o.model.has_value();
  for (const CLI::Option* option : parser.app.get_options()) {
    if (option->count() > 0 && option->get_group() != window_group) session_is_given = true;
  }
  auto session = session_of(o);
  if (!session && !session_is_given) {
    window.complaint = session.error().message;
    return window;
  }
  if (!session) return tl::unexpected(session.error());
  window.opening = *session;
  const auto choice = figure_choice_of(o, *session);
  if (!choice) return tl::unexpected(choice.error());
  const bool names_place = o.stack || o.layer || o.attention || o.head || o.column;
  if (session_is_given) window.session = window_session(*session, *choice, names_place);
  return window;
}

}  // namespace

std::variant<int, WindowRequest> run_command_line(int argc, const char* const* argv) try {
  Parser parser;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const Command* command = parser.chosen();
    std::cout << (command == nullptr ? std::string(top_help) : command->app->help("headscope"));
    return finish_output(command);
  } catch (const CLI::CallForVersion&) {
    std::cout << "headscope " << version << '\n';
    return finish_output(nullptr);
  } catch (const CLI::ParseError& error) {
    return fail(parse_failure(parser, error), parser.chosen());
  }
  const Command* command = parser.chosen();
  const CLI::App& app = command == nullptr ? parser.app : *command->app;
  std::vector<std::string> rest = app.remaining();
  if (command == nullptr) take_model(parser.options, rest);
  if (!rest.empty()) return fail(unexpected_argument(parser, app, rest.front()), command);
  if (command != nullptr) {
    if (auto ok = check_options_before(parser, *command); !ok) return fail(ok.error(), command);
    return carry_out(*command, parser.options);
  }
  auto window = window_request(parser);
  if (!window) return fail(window.error(), nullptr);
  return std::move(*window);
} catch (...) {
  return fail({Error::Kind::failure, caught_text()}, nullptr);
}

}  // namespace headscope
