#include "app/cli/command_options.h"

#include <CLI/CLI.hpp>

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

void add_masks(CLI::App& command, const char* name, std::vector<std::string>& masks, const char* help) {
  command.add_option(name, masks, help)
      ->type_name("MASK")
      ->group("Attention")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

void add_model_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Model");
  group.text("--model", o.model, "NAME|DIR",
             "pronouns, copying, reversing, untrained (random weights), or the folder of a trained model "
             "(pronouns; untrained if an option sets the architecture)");
  group.text(
      "--preset", o.preset, "NAME",
      "A starting point with random weights: its name, its document, or an unambiguous beginning of either");
  group.text("--d-model", o.d_model, "N", "Width of a token's vector: 8 to 1024 (64)");
  group.text("--heads", o.heads, "N", "1 to 16 (4)");
  group.text("--d-head", o.d_head, "N|auto", "Width of queries and keys (d_model / heads)");
  group.text("--d-value", o.d_value, "N|auto", "Width of values (d_head)");
  group.text("--stacks", o.stacks, "WHICH", "encoder, decoder or encoder-decoder (encoder)");
  group.text("--layers", o.layers, "N",
             "Layers per stack: 1 to 24. Without it, bare attention, unless another option implies full "
             "layers with norms, residual connections and feed-forward (1)");
  group.text("--d-ff", o.d_ff, "N",
             "Width of the feed-forward layer, 0 for none (4 · d_model in full layers)");
  group.text("--norm", o.norm, "WHERE", "pre, post or none (post in full layers)");
  group.flag("--no-residual", o.no_residual, "No residual connections");
  group.flag("--scale-embedding", o.scale_embedding,
             "Multiply the embeddings by √d_model, as the paper does");
  group.text("--activation", o.activation, "WHICH", "relu or gelu (relu)");
  group.text("--output-layer", o.output_layer, "WHICH",
             "Final linear layer over the words: none, linear, or tied to the embeddings (none)");
  group.text("--output-words", o.output_words, "WORDS",
             "The words to predict with random weights, such as \"a am I student\" (those of the sentences)");
  group.flag("--output-bias", o.output_bias, "Add a bias to that layer, one number per word");
  group.text("--positions", o.positions, "WHICH",
             "sinusoidal, split, learned, rotary, relative, alibi or none (sinusoidal)");
  group.text("--no-bias", o.no_bias, "q,k,v,o", "Projections without a bias: letters of q,k,v,o (all four)")
      ->expected(0, 1);
  group.flag("--no-output-projection", o.no_output_projection, "Leave the concatenated heads as they are");
  group.text("--init", o.init, "HOW",
             "Random weights: normal, xavier or scaled. Xavier counts the columns of one head's matrix, "
             "PyTorch those of all heads (xavier)");
  group.text("--seed", o.seed, "N", "Seed of the random weights (0)");
}

void add_trained_model_options(CLI::App& command, CommandOptions& o) {
  add_model_options(command, o);
  for (const char* name : {"--model", "--preset", "--output-words"})
    command.get_option(name)->group("");  // not listed
  command.get_option("--layers")->description("Layers per stack: 1 to 24");
  for (const char* name : {"--d-model", "--heads", "--stacks", "--d-ff", "--norm", "--activation",
                           "--output-layer", "--positions"}) {
    CLI::Option* option = command.get_option(name);
    const std::string text = option->get_description();
    option->description(text.substr(0, text.rfind(" (")));  // without the default of a drawn model
  }
}

void add_vocabulary_option(CLI::App& command, CommandOptions& o) {
  Group group(command, "Model");
  group.text("--model", o.model, "NAME|DIR",
             "Take ids from its vocabulary: pronouns, copying, reversing or the folder of a trained model "
             "(default: numbered by first occurrence)");
}

void add_training_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Training");
  group.text("--task", o.task, "NAME", "What to learn: pronouns, copying or reversing");
  group.text("--steps", o.steps, "N", "Training steps, one batch each (6000 for pronouns, else 1000)");
  group.text("--batch-size", o.batch_size, "N", "Sentences per step: 1 to 1024 (96 for pronouns, else 64)");
  group.text("--learning-rate", o.learning_rate, "R",
             "Adam's, after a warm-up of 50 steps; decays to a twentieth (0.005 for pronouns, else 0.007)");
  group.text("--weight-decay", o.weight_decay, "R",
             "Decoupled weight decay, as in AdamW (0.02 for pronouns, else 0)");
  group.text("--dropout", o.dropout, "P", "Share of attention weights dropped in training (0)");
}

void add_input_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Input");
  group.text("--sentence", o.sentence, "TEXT", "The sentence, in quotes; with two stacks, the source");
  group.text("--target", o.target, "TEXT", "The decoder's sentence, with --stacks encoder-decoder");
  group.text("--batch", o.batch, "FILE", "A file with one sentence per line; padded to one length");
  group.text("--sequence", o.sequence, "I", "Which sentence of the batch to show, counted from 0");
  group.text("--tokenizer", o.tokenizer, "WHICH", "word or seed1 (word)");
}

void add_attention_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Attention");
  add_masks(command, "--mask", o.masks,
            "none, causal, window:W, prefix:P, padding:I,J (tokens), painted:Q.K,Q.K (cells) or FILE.npy "
            "(boolean or integer: 1 = may attend, the opposite of nn.MultiheadAttention's; float: added); "
            "repeat to combine masks; none clears those before it");
  add_masks(command, "--target-mask", o.target_masks,
            "The same for the decoder's self-attention, which is causal unless this begins with none");
  add_masks(command, "--cross-mask", o.cross_masks,
            "The same for cross-attention: queries are the target's tokens, keys the source's");
  group.text("--mask-axes", o.mask_axes, "AXES",
             "The axes of mask files, one letter each: i queries, j keys, b sentences of a batch, h heads, n "
             "either of the two, whichever fits; bji for [N, T_kv, T_q], ijb for labml's. One word for all "
             "files, or one per file, separated by commas (ij, nij, bhij)");
  group.text("--mask-value", o.mask_value, "inf|1e9|X",
             "The value in hidden cells: inf for −∞, 1e9 for −1e9, or any other number as it is, such as "
             "-10000 (inf)");
  group.flag("--no-scale", o.no_scale, "Do not divide scores by √d_head");
  group.text("--attention-temperature", o.temperature, "τ", "Also divide scores by this: 0.01 to 100 (1)");
  group.text("--softmax", o.softmax, "AXIS", "keys, or queries (a common mistake) (keys)");
  group.text("--dropout", o.dropout, "P", "Training mode: drop this share of the weights, 0 to 0.95");
  group.text("--dropout-seed", o.dropout_seed, "N", "Seed of the choice of dropped weights (0)");
}

void add_module_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Your own attention module");
  group.text("--weights", o.weights, "F.safetensors", "Its weights; --heads gives the number of heads");
  group.text("--input", o.input, "X.npy", "Its input, [T, D]");
  group.text("--key-input", o.key_input, "Y.npy", "Input of the keys (and values), [S, ·] (same as --input)");
  group.text("--value-input", o.value_input, "Z.npy", "Input of the values, [S, ·] (same as the keys)");
  group.text("--format", o.format, "WHICH",
             "Naming of the weights: torch (nn.MultiheadAttention), packed (qkv, out_proj), separate (W_q "
             "…), labml (query.linear …) or auto (auto)");
}

void add_stage_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "What");
  group.text("--stage", o.stage, "NAME",
             "weights, scaled, query, W_Q, … or a path; “headscope info” lists them (weights)");
  group.text("--head", o.head, "N",
             "The head, counted from 0 (0; in a trained model, the one that shows what it learned)");
  group.text("--layer", o.layer, "N", "The layer, counted from 0 (0; in a trained model, that of this head)");
  group.text("--stack", o.stack, "NAME", "encoder or decoder (the encoder, if there is one)");
  group.text("--attention", o.attention, "KIND", "self or cross (self)");
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
  group.text("--range", o.range, "RANGE", "Range of the colours: map, row, all_heads or LOW:HIGH (map)");
  group.text("--transfer", o.transfer, "CURVE", "linear, logarithmic, gamma or gamma:G (linear)");
  group.flag("--no-numbers", o.no_numbers, "No numbers in the cells");
}

void add_figure_file_options(CLI::App& command, CommandOptions& o) {
  Group group(command, "Picture");
  group.flag("--diagram", o.diagram, "Draw the model's diagram instead, with --layer unfolded");
  group.text("--size", o.page_size, "WxH",
             "Maximum page size; text is 13 units high (960x800; all stages: 960x1360)");
  group.text("--scale", o.scale, "K", "Pixels per unit of a PNG: 1 to 4 (2)");
}

void add_window_options(CLI::App& command, CommandOptions& o) {
  Group group(command, window_group);
  group.text("--screenshot", o.screenshot, "F.png", "Write a picture of the window and exit");
  group.text("--size", o.window_size, "WxH", "Size of the window");
  group.text("--ui-scale", o.ui_scale, "K", "Scale of the interface: 0.5 to 4 (the monitor's)");
}

void add_out_option(CLI::App& command, CommandOptions& o, const std::string& what) {
  Group group(command, "Output");
  group.text("--out", o.out, "FILE", what.c_str())->required();
}

}  // namespace headscope
