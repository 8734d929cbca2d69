#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headscope {

/// The options as typed; nothing for those not given. They are strings, so that option_values.h rejects every
/// invalid value in the same words.
struct CommandOptions {
  using Text = std::optional<std::string>;

  Text preset, model, stacks, layers, norm, d_ff, activation, output_layer;
  Text d_model, heads, d_head, d_value, positions, no_bias, init, seed;
  bool no_output_projection = false;
  bool no_residual = false;
  bool scale_embedding = false;
  bool output_bias = false;

  Text output_words;
  Text sentence, target, batch, sequence, tokenizer;
  Text batch_text;  ///< what stands in the batch’s file, where that is not to be read
  Text weights, input, key_input, value_input, format;  ///< of one's own attention module

  std::vector<std::string> masks, target_masks, cross_masks;
  Text dropout, dropout_seed;
  Text mask_axes, mask_value, temperature, softmax;
  bool no_scale = false;

  Text stack, layer, attention, head, stage;
  Text row, column;
  bool diagram = false;

  Text theme, scale, colors, range, transfer, page_size;
  bool no_numbers = false;

  Text task, steps, batch_size, learning_rate, weight_decay;

  Text out;
  Text screenshot, window_size, ui_scale;
};

/// The group of options for the window only.
inline constexpr const char* window_group = "Window";

/// Each adds one group of options to a command. `options` must live until the arguments are parsed.
void add_model_options(CLI::App& command, CommandOptions& options);
/// The same for a model to train, whose defaults are the task's.
void add_trained_model_options(CLI::App& command, CommandOptions& options);
/// The model whose vocabulary gives the ids.
void add_vocabulary_option(CLI::App& command, CommandOptions& options);
void add_input_options(CLI::App& command, CommandOptions& options);
void add_module_options(CLI::App& command, CommandOptions& options);
void add_attention_options(CLI::App& command, CommandOptions& options);
void add_stage_options(CLI::App& command, CommandOptions& options);
void add_cell_options(CLI::App& command, CommandOptions& options);
void add_picture_options(CLI::App& command, CommandOptions& options);
void add_training_options(CLI::App& command, CommandOptions& options);
void add_figure_file_options(CLI::App& command, CommandOptions& options);
void add_window_options(CLI::App& command, CommandOptions& options);
void add_out_option(CLI::App& command, CommandOptions& options, const std::string& what);

}  // namespace headscope
