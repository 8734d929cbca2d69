#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/settings.h"

namespace CLI {
class App;
}

namespace headscope {

/// The options as typed; nothing for those not given. They are strings, so that option_values.h rejects every
/// invalid value in the same words.
struct CommandOptions {
  using Text = std::optional<std::string>;

  /// Those of settings, by option; one that takes no argument has an empty one.
  std::map<std::string_view, std::vector<std::string>> settings;
  bool has(std::string_view option) const { return settings.contains(option); }
  bool has(const Setting& setting) const { return has(setting.option); }
  /// What was given last.
  Text text(std::string_view option) const;
  Text text(const Setting& setting) const { return text(setting.option); }
  /// Of an option that may be repeated.
  const std::vector<std::string>& texts(std::string_view option) const;

  Text scene;  ///< a scene or a figure of this program, which the other options change
  Text preset, mask_axes;
  Text weights, input, key_input, value_input, format;  ///< of one's own attention module
  Text query, key, value;                               ///< of attention without projections
  Text row, column;
  bool diagram = false;
  Text page_size, scale;
  bool is_transparent = false;
  Text weight_decay;
  Text token_format;                 ///< of tokenize
  bool adds_special_tokens = false;  ///< of tokenize
  Text out;
  Text example;  ///< of a textbook, by its name
  bool check_examples = false, print_example = false;
  Text screenshot, window_size, ui_scale;
  /// Of each --against, what was given after it of the subject to compare with.
  std::vector<CommandOptions> against;
};

/// The value of a flag that says the opposite: --no-scale=false.
inline constexpr const char* flag_off = "false";

/// The group of options for the window only.
inline constexpr const char* window_group = "Window";

/// Each adds one group of options to a command. `options` must live until the arguments are parsed.
void add_model_options(CLI::App& command, CommandOptions& options);
/// The same for a model to train, whose defaults are the task's.
void add_trained_model_options(CLI::App& command, CommandOptions& options);
/// The model whose vocabulary gives the ids.
void add_vocabulary_option(CLI::App& command, CommandOptions& options);
/// A model's own tokenizer, and how its tokens are printed. After add_input_options().
void add_tokenizer_options(CLI::App& command, CommandOptions& options);
void add_input_options(CLI::App& command, CommandOptions& options);
/// One's own attention: a module, or queries, keys and values.
void add_own_attention_options(CLI::App& command, CommandOptions& options);
void add_attention_options(CLI::App& command, CommandOptions& options);
/// A stage and its place.
void add_stage_options(CLI::App& command, CommandOptions& options);
void add_cell_options(CLI::App& command, CommandOptions& options);
/// What else is selected in the window and on a page.
void add_page_options(CLI::App& command, CommandOptions& options);
void add_picture_options(CLI::App& command, CommandOptions& options);
/// All that describes a subject and what is selected in it.
void add_subject_options(CLI::App& command, CommandOptions& options);
/// What the window goes on with: the next word, and training.
void add_window_settings(CLI::App& command, CommandOptions& options);
void add_training_options(CLI::App& command, CommandOptions& options);
void add_figure_file_options(CLI::App& command, CommandOptions& options);
void add_window_options(CLI::App& command, CommandOptions& options);
/// What to do with a worked example.
void add_textbook_options(CLI::App& command, CommandOptions& options);
void add_out_option(CLI::App& command, CommandOptions& options, const std::string& what);

}  // namespace headscope
