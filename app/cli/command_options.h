#pragma once

#include <array>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/session/settings.h"

namespace CLI {
class App;
}

namespace headscope {

/// The options as typed; empty if not given. They are strings so that option_values.h reports all invalid
/// values alike.
struct CommandOptions {
  using Text = std::optional<std::string>;

  /// The options of settings, by their name. An option that takes no argument has an empty one.
  std::map<std::string_view, std::vector<std::string>> settings;
  bool has(std::string_view option) const { return settings.contains(option); }
  bool has(const Setting& setting) const { return has(setting.option); }
  /// The last value given for an option; empty if it was not given.
  Text text(std::string_view option) const;
  Text text(const Setting& setting) const { return text(setting.option); }
  /// All values of an option that may be repeated.
  const std::vector<std::string>& texts(std::string_view option) const;

  Text scene;            ///< the scene, or the figure made by this program, that the other options change
  Text ids, target_ids;  ///< replace texts, for models of other programs
  Text preset, mask_axes;
  Text weights, input, key_input, value_input, format;  ///< of an attention module from the user's files
  Text query, key, value;                               ///< of attention without projections
  Text row, column;
  bool diagram = false;
  Text page_size, scale;
  bool is_transparent = false, is_serif = false;
  Text left_out, panels;  ///< of a figure
  Text film_seconds, film_rate, film_steps;
  Text weight_decay;
  /// Of train on a text: its files, those that are held out, and the size of the vocabulary and the windows.
  std::vector<std::string> training_texts, held_out_texts;
  Text pieces, context;
  Text written_words;                ///< of write
  bool continues = false;            ///< Of train on a text: an interrupted run.
  Text token_format;                 ///< of tokenize
  bool adds_special_tokens = false;  ///< of tokenize
  Text out;
  bool traces_parameters = false;  ///< of trace: also of a model that comes from elsewhere
  bool splits_score = false;       ///< of explain: into parts of its query and key
  Text names;                      ///< of trace: the naming scheme of the tensors
  Text search_measure, search_from, search_to, max_findings;  ///< of search
  /// The argument of textbook, lesson, capture and search: the name of an example, a lesson or a program, or
  /// a file.
  Text named;
  bool checks = false, prints = false;
  Text screenshot, window_size, ui_scale;
  bool listens = false;
  /// The options after each --against, which describe the subject to compare with.
  std::vector<CommandOptions> against;
};

/// The value that reverses a flag, as in --no-scale=false.
inline constexpr const char* flag_off = "false";

/// The settings that locate a stage. Every command that computes a pass has options for them.
inline constexpr std::array stage_settings{&setting("selection.stage"), &setting("selection.head"),
                                           &setting("selection.layer"), &setting("selection.stack"),
                                           &setting("selection.attention")};

/// The group of options that only the window has.
inline constexpr const char* window_group = "Window";

/// A command such as “render”, and the function that runs it.
struct CommandRecord {
  const char* name;
  const char* summary;
  const char* examples;  ///< Lines that begin with two blanks.
  Result<void> (*run)(const CommandOptions&, std::ostream&);
  const char* out;  ///< What --out takes. Null for commands that need no file.
  /// Each adds one group of options. The CommandOptions must outlive the parsing.
  std::vector<void (*)(CLI::App&, CommandOptions&)> option_groups;
};

/// All commands. The first one is “render”.
const std::vector<CommandRecord>& command_records();

/// Adds the options of a command.
void add_options_of(const CommandRecord& record, CLI::App& command, CommandOptions& options);
/// Adds the options of the window.
void add_options_of_window(CLI::App& command, CommandOptions& options);
/// Adds all options that describe a subject and what is selected in it.
void add_subject_options(CLI::App& command, CommandOptions& options);

}  // namespace headscope
