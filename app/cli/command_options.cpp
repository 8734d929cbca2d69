#include "app/cli/command_options.h"

#include "app/cli/fixed_options.h"

namespace headscope {
namespace {

/// A group of options of one command.
class Group {
 public:
  Group(CLI::App& command, const char* title) : command_(command), title_(title) {}

  CLI::Option* text(const char* name, CommandOptions::Text& value, const char* type, const char* help) {
    return command_.add_option(name, value, help)->type_name(type)->group(title_);
  }
  void flag(const char* name, bool& value, const char* help) {
    command_.add_flag(name, value, help)->group(title_);
  }

 private:
  CLI::App& command_;
  const char* title_;
};

}  // namespace

void add_model_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Model");
  add_fixed_options(command, o, "Model");
  group.flag("--no-residual", o.no_residual, "No residual connection: this version has none");
  group.text("--preset", o.preset, "NAME",
             "A starting point, by its name or a beginning of it that no other has");
  group.text("--d-model", o.d_model, "N", "Numbers in a token's row: 8 to 1024 (64)");
  group.text("--heads", o.heads, "N", "1 to 16 (4)");
  group.text("--d-head", o.d_head, "N|auto", "Width of queries and keys (d_model / heads)");
  group.text("--d-value", o.d_value, "N|auto", "Width of values (d_head)");
  group.text("--positions", o.positions, "WHICH", "sinusoidal or none (sinusoidal)");
  group
      .text("--no-bias", o.no_bias, "q,k,v,o",
            "No bias on these projections; all of them where none is named")
      ->expected(0, 1);
  group.flag("--no-output-projection", o.no_output_projection, "The heads side by side are the result");
  group.text("--init", o.init, "HOW", "Random weights: normal, xavier or scaled (xavier)");
  group.text("--seed", o.seed, "N", "Which random weights (0)");
}

void add_input_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Input");
  group.text("--sentence", o.sentence, "TEXT", "The sentence, in quotes");
  group.text("--tokenizer", o.tokenizer, "WHICH", "word or seed1 (word)");
}

void add_attention_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Attention");
  command
      .add_option(
          "--mask", o.masks,
          "none, causal, window:W, padding:I,J (tokens), painted:Q.K,Q.K (cells) or FILE.npy (boolean "
          "or integer: 1 = may attend; float: added); may be repeated, all of them combine")
      ->type_name("MASK")
      ->group("Attention")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  group.text("--mask-value", o.mask_value, "inf|1e9", "What hidden cells hold: −∞ or −1e9 (inf)");
  group.flag("--no-scale", o.no_scale, "Do not divide scores by √d_head");
  group.text("--attention-temperature", o.temperature, "τ", "Divide scores by this too: 0.01 to 100 (1)");
  group.text("--softmax", o.softmax, "AXIS", "keys, or queries: a common mistake to look at (keys)");
}

void add_stage_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "What");
  group.text("--stage", o.stage, "NAME",
             "weights, scaled, query, W_Q, … or a path; “headscope info” lists them (weights)");
  group.text("--head", o.head, "N", "A head, counted from 0 (0)");
  add_fixed_options(command, o, "What");
}

void add_cell_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "What");
  group.text("--row", o.row, "ROW", "An index, or a token: it, the:1 (the second “the”)");
  group.text("--column", o.column, "COLUMN", "Likewise");
}

void add_picture_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Picture");
  group.text("--theme", o.theme, "THEME", "light or dark (light)");
  group.text("--colors", o.colors, "MAP",
             "headscope; viridis, cividis, grays for values from zero; blue_orange, purple_green for signed "
             "ones (headscope)");
  group.text("--range", o.range, "RANGE", "Of the colours: map, row, all_heads or LOW:HIGH (map)");
  group.text("--transfer", o.transfer, "CURVE", "linear, logarithmic, gamma or gamma:G (linear)");
  group.flag("--no-numbers", o.no_numbers, "No numbers in the cells");
}

void add_figure_file_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Picture");
  group.text("--size", o.page_size, "WxH", "Of the page, in units of which text is 13 high (960x800)");
  group.text("--scale", o.scale, "K", "Pixels per unit of a PNG: 1 to 4 (2)");
}

void add_window_options(CLI::App& command, CommandOptions& o) {
  Group group(command, window_group);
  group.text("--screenshot", o.screenshot, "F.png", "Write what the window shows, and leave");
  group.text("--size", o.window_size, "WxH", "Of the window");
  group.text("--ui-scale", o.ui_scale, "K", "Of everything in it: 0.5 to 4 (the monitor's)");
}

void add_out_option(CLI::App& command, CommandOptions& o, const std::string& what) {
  Group group(command, "Output");
  group.text("--out", o.out, "FILE", what.c_str())->required();
}

}  // namespace headscope
