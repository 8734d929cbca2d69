#include "app/cli/parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/help.h"
#include "core/engine/text_training.h"
#include "core/measures/measure.h"
#include "core/session/shown_figure.h"
#include "core/split_text.h"
#include "core/system/process.h"
#include "core/tasks/task.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

/// Rejects what some versions of CLI11 accept as the value of a switch, such as “x”.
std::string switch_value_problem(const std::string& value) {
  return value == "true" || value == "false" ? "" : "a switch has no value";
}

/// Adds an option whose values are kept as typed, under one of its names: the only one, or `kept_as`.
CLI::Option* add_typed(CLI::App& command, std::string_view option, std::string_view argument,
                       std::string_view group, const std::string& help, CommandOptions& o,
                       std::string_view kept_as = {}) {
  const auto keep = [&o, name = kept_as.empty() ? option : kept_as](const CLI::results_t& given) {
    o.values[name] = given;
    return true;
  };
  return command.add_option(std::string(option), CLI::callback_t(keep), help)
      ->type_name(std::string(argument))
      ->group(std::string(group));
}

/// An option that is no setting. Without `argument`, it is a switch; if that is “FILE…”, it takes several
/// values.
struct OwnOption {
  const char* name;
  std::string argument;
  std::string help;
  const char* kept_as = nullptr;
};

void add_own(CLI::App& command, std::string_view group, const std::vector<OwnOption>& options,
             CommandOptions& o) {
  for (const OwnOption& own : options) {
    if (own.argument.empty()) {
      command.add_flag(own.name, o.switches[own.name], own.help)
          ->group(std::string(group))
          ->check(switch_value_problem);
      continue;
    }
    CLI::Option* added = add_typed(command, own.name, own.argument, group, own.help, o,
                                   own.kept_as == nullptr ? "" : own.kept_as);
    if (own.argument == "FILE…") added->expected(CLI::detail::expected_max_vector_size);
  }
}

void add_shared(CLI::App& command, const SharedOption& shared, CommandOptions& o) {
  CLI::Option* added = add_typed(command, shared.option, shared.argument, shared.group, shared.sentence, o);
  if (shared.argument == "MASK") {
    added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  } else if (shared.option == "--no-bias") {
    added->expected(0, 1);
  }
}

/// Adds the option of a setting. Settings that share an option add it only once.
void add_setting(CLI::App& command, const Setting& setting, CommandOptions& o) {
  const std::string option(setting.option);
  if (option.empty() || command.get_option_no_throw(option) != nullptr) return;
  if (const SharedOption* shared = shared_option(setting)) return add_shared(command, *shared, o);
  if (!std::holds_alternative<field::Flag>(setting.field)) {
    CLI::Option* added =
        add_typed(command, setting.option, setting.argument, setting.group, help_of(setting), o);
    if (std::holds_alternative<field::Given>(setting.field))
      added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return;
  }
  // --flag=false takes back an option that was given before --against.
  const auto keep = [&o, name = setting.option](std::int64_t count) {
    o.values[name] = {count < 0 ? flag_off : ""};
  };
  command.add_flag_function(option, keep, help_of(setting))
      ->group(std::string(setting.group))
      ->check(switch_value_problem);
}

void add_settings(CLI::App& command, std::string_view group, CommandOptions& o) {
  for (const Setting& setting : all_settings) {
    if (setting.group == group) add_setting(command, setting, o);
  }
}

void add_model_options(CLI::App& command, CommandOptions& o) {
  add_setting(command, setting("model"), o);
  add_own(
      command, model_group,
      {{"--preset", "NAME",
        "A starting point with random weights: its name, its document, or an unambiguous prefix of either"}},
      o);
  add_settings(command, model_group, o);
}

/// Adds the same options for a model to be trained, whose defaults depend on the task.
void add_trained_model_options(CLI::App& command, CommandOptions& o) {
  add_model_options(command, o);
  for (const char* name : {"--model", "--preset", "--output-words"})
    command.get_option(name)->group("");  // hides the option from the help
  // A trained model has other sizes than the defaults of an untrained one, so the help must not state those.
  for (const Setting& each : architecture_settings) {
    const bool has_default = !std::holds_alternative<field::Flag>(each.field) && each.option != "--seed" &&
                             each.option != "--init" && each.option != "--d-head" &&
                             each.option != "--d-value";
    if (has_default) command.get_option(std::string(each.option))->description(help_of(each, ""));
  }
}

/// Adds the option for the model whose vocabulary gives the ids.
void add_vocabulary_option(CLI::App& command, CommandOptions& o) {
  add_setting(command, setting("model"), o);
  command.get_option("--model")->description(
      "Take ids from its vocabulary: pronouns, stories, copying, reversing, the folder of a trained model, or a GGUF file (default: numbered by first occurrence)");
}

/// Adds the options for a model's own tokenizer and for printing its tokens. The options of input come
/// before.
void add_tokenizer_options(CLI::App& command, CommandOptions& o) {
  command.get_option("--tokenizer")
      ->type_name("WHICH|FILE|DIR")
      ->description(
          "What splits sentences into tokens: word, seed1 (word), or a model's own tokenizer, given by its folder or its tokenizer.json, vocab.json (beside merges.txt), vocab.txt, tokenizer.model, spiece.model, *.tiktoken or a GGUF file");
  add_own(
      command, "Tokens",
      {{"--format", "FORMAT",
        "tokens: one token per line, or ids: one sentence per line, as ids only (tokens)", token_format_key},
       {"--special", "",
        "Add the special tokens that the model puts around its texts, such as [CLS] and [SEP]"}},
      o);
}

void add_text_training_options(CLI::App& command, CommandOptions& o) {
  add_own(
      command, "Training on a text",
      {{"--text", "FILE…",
        "Train a model that continues texts on these files in UTF-8 instead of a task. A line <|endoftext|> ends a document"},
       {"--held-out", "FILE…", "Held-out text to measure the model on (default: every sixteenth document)"},
       {"--pieces", "N|words",
        "The size of the vocabulary, which is made of the text's most frequent byte pairs, or whole words (2048)"},
       {"--context", "N", "The largest number of pieces that the model reads (256)"},
       {"--continue", "",
        "Continue the interrupted run in the folder --out, with its options and the same text"}},
      o);
}

void add_training_options(CLI::App& command, CommandOptions& o) {
  add_settings(command, training_group, o);
  add_setting(command, setting("attention.dropout"), o);
  command.get_option("--dropout")->group(std::string(training_group));
  add_own(command, training_group,
          {{"--weight-decay", "R",
            "Decoupled weight decay, as in AdamW (0.02 for pronouns, 0.1 for a text, else 0)"}},
          o);
  const std::string steps = std::to_string(training_recipe(TaskKind::pronouns).steps) + " for pronouns, " +
                            std::to_string(default_text_plan().steps) + " for a text, else " +
                            std::to_string(training_recipe(TaskKind::copying).steps);
  const std::pair<const Setting&, const char*> of_tasks[]{
      {setting("training.steps"), steps.c_str()},
      {setting("training.batch_size"), "96 for pronouns, 32 for a text, else 64"},
      {setting("training.learning_rate"), "0.005 for pronouns, 0.004 for a text, else 0.007"},
      {setting("attention.dropout"), "0"}};
  for (const auto& [each, usual] : of_tasks) {
    command.get_option(std::string(each.option))->description(help_of(each, usual));
  }
  add_text_training_options(command, o);
}

void add_writing_options(CLI::App& command, CommandOptions& o) {
  command.get_option("--model")->description(
      "The model: stories, copying, reversing, a model's folder, or a GGUF file");
  constexpr const char* group = "Writing";
  add_own(command, group, {{"--words", "N", "The number of words to write (50)"}}, o);
  // There are no other options with these short names.
  const auto add = [&](const Setting& each, std::string_view names) {
    add_typed(command, names, each.argument, group, help_of(each, ""), o, each.option);
  };
  add(setting("sampling.greedy"), "--next-word");
  add(setting("sampling.temperature"), "--temperature,--sampling-temperature");
  add(setting("sampling.top_k"), "--top-k");
  add(setting("sampling.top_p"), "--top-p");
  add(setting("sampling.seed"), "--seed,--sampling-seed");
}

void add_input_options(CLI::App& command, CommandOptions& o) {
  add_settings(command, input_group, o);
  add_own(command, input_group,
          {{"--ids", "1,2,3", "The sentence as ids of the model instead of a text; nothing is added to them"},
           {"--target-ids", "1,2,3", "The decoder's sentence as ids"}},
          o);
}

void add_attention_options(CLI::App& command, CommandOptions& o) {
  for (const SharedOption& masks : attention_options) add_shared(command, masks, o);
  add_own(
      command, attention_group,
      {{"--mask-axes", "AXES",
        "The axes of mask files, one letter each: i queries, j keys, b sentences of a batch, h heads, n whichever of b and h fits; bji for [N, T_kv, T_q], ijb for labml's. One word for all files, or one per file, separated by commas (ij, nij, bhij)"}},
      o);
  add_settings(command, attention_group, o);
  add_settings(command, intervention_group, o);
  add_settings(command, given_group, o);
}

/// Adds the options for the user's own attention: a module, or queries, keys and values.
void add_own_attention_options(CLI::App& command, CommandOptions& o) {
  add_own(
      command, "Your own attention",
      {{"--weights", "F.safetensors", "Weights of a module; --heads gives the number of heads"},
       {"--input", "X.npy", "The module's input, [T, D]"},
       {"--key-input", "Y.npy", "Input of the keys (and values), [S, ·] (same as --input)"},
       {"--value-input", "Z.npy", "Input of the values, [S, ·] (same as the keys)"},
       {"--format", "WHICH",
        "Naming of the weights: torch (nn.MultiheadAttention), packed (qkv, out_proj), separate (W_q …), labml (query.linear …) or auto (auto)"},
       {"--query", "Q.npy",
        "Queries without a module, [T, K] or [H, T, K]; as many queries as keys mean self-attention, unless --query-offset places them elsewhere"},
       {"--key", "K.npy", "Their keys, [S, K] or [G, S, K]"},
       {"--value", "V.npy", "Their values, [S, V] or [G, S, V]"}},
      o);
}

void add_stage_options(CLI::App& command, CommandOptions& o) {
  for (const Setting* each : stage_settings) add_setting(command, *each, o);
}

void add_cell_options(CLI::App& command, CommandOptions& o) {
  add_own(command, place_group,
          {{"--row", "ROW", "An index, or a token: it, the:1 (the second “the”)"},
           {"--column", "COLUMN", "An index, or a token, as in --row"}},
          o);
}

void add_parts_option(CLI::App& command, CommandOptions& o) {
  add_own(command, place_group,
          {{"--parts", "",
            "Also split the score into what each part of the model wrote into its query and its key"}},
          o);
}

/// Adds the options for everything else that is selected in the window or on a page.
void add_page_options(CLI::App& command, CommandOptions& o) {
  add_settings(command, place_group, o);
}

void add_picture_options(CLI::App& command, CommandOptions& o) {
  add_settings(command, picture_group, o);
}

/// Adds the options for the next word and for training, which only the window uses.
void add_window_settings(CLI::App& command, CommandOptions& o) {
  add_settings(command, word_group, o);
  add_settings(command, training_group, o);
}

void add_figure_file_options(CLI::App& command, CommandOptions& o) {
  add_own(
      command, picture_group,
      {{"--diagram", "", "Draw the model's diagram instead, with --layer unfolded"},
       {"--size", "WxH|" + paper_names("|"),
        "Maximum page size; text is 13 units high (960x800; all stages: as high as they need). Or exactly a 16:9 slide, the column of a paper, or an A1 poster"},
       {"--scale", "K",
        "Pixels of a PNG per unit, or per point of a slide, column or poster: 1 to 4 (2; column: 4)"},
       {"--transparent", "", "Draw without a background, to be placed on another one"},
       {"--without", "PARTS",
        "Leave out what the caption of a paper says: title, caption, bar; separated by commas"},
       {"--serif", "", "Set the text in a serif typeface, as in a paper"},
       {"--panels", "L.H,…", "The maps of these heads side by side, as panels a, b, c …"}},
      o);
}

void add_film_options(CLI::App& command, CommandOptions& o) {
  add_own(command, "Film",
          {{"--seconds", "S", "How long each step stays: 0.1 to 30 (2)"},
           {"--fps", "N", "Pictures a second while something moves: 1 to 50 (20)"},
           {"--steps", "A-B", "The first and the last step, counted from 1 (all)", film_steps_key}},
          o);
}

void add_window_options(CLI::App& command, CommandOptions& o) {
  add_own(command, window_group,
          {{"--screenshot", "F.png", "Write a picture of the window and exit"},
           {"--size", "WxH", "Size of the window"},
           {"--ui-scale", "K", "Scale of the interface: 0.5 to 4 (the monitor's)"},
           {"--listen", "",
            "Show the attention that your programs push into the window: headscope.connect() in Python"}},
          o);
}

void add_textbook_options(CLI::App& command, CommandOptions& o) {
  add_own(
      command, "Worked examples",
      {{"--check", "",
        "Compute all examples, or only the named one, and compare them with the printed numbers; exit code 1 if a number differs without a stated reason"},
       {"--print", "", "Print the example even if there is a display"}},
      o);
}

void add_lesson_options(CLI::App& command, CommandOptions& o) {
  add_own(
      command, "Lessons",
      {{"--check", "",
        "Walk through all lessons, or only the named one, and list mistakes with their lines; exit code 1 if there are any"},
       {"--print", "", "Print the text even if there is a display"},
       {"--out", "F.pdf, F.html, F.webp or F.gif",
        "Write a handout as PDF: the text, a figure of each scene, the questions, and the answers on the last page. Or write a web page: the program with the lesson and its files, to open in any browser. Or write a film with a slide for each step and each answer"}},
      o);
}

void add_search_options(CLI::App& command, CommandOptions& o) {
  const std::string help =
      "Rows with the largest values of a measure: " + join_texts(measure_table, ", ", &MeasureRecord::name);
  add_own(command, "Search",
          {{"--measure", "MEASURE", help},
           {"--from", "WORD", "Only rows of this word"},
           {"--to", "WORD", "Only weights on this word"},
           {"--most", "N", "How many sentences are listed (20)"},
           {"--out", "F.csv", "Write what is found to a file instead of printing it"}},
          o);
  for (const Setting* each : stage_settings) {
    if (each->key != "selection.stage") add_setting(command, *each, o);
  }
}

void add_script_options(CLI::App& command, CommandOptions& o) {
  add_own(command, "Output", {{"--out", "F.py", "Write the program to a file instead of printing it"}}, o);
}

void add_trace_output_options(CLI::App& command, CommandOptions& o) {
  add_own(
      command, "Output",
      {{"--parameters", "",
        "Also write the parameters of a model of another program, which are in its own files; those of other models are always written"},
       {"--names", "NAMES",
        "headscope, or transformer-lens for the names and layouts of its cache without a batch axis: blocks.0.attn.hook_pattern [heads, queries, keys]; with --parameters, also of its parameters: blocks.0.attn.W_Q [heads, d_model, d_head]; what has no such name is left out (headscope)"}},
      o);
}

/// Adds --against to the help only: consume_against() reads it before the other options are parsed.
void add_against_option(CLI::App& command, CommandOptions&) {
  command
      .add_flag_function(
          "--against", [](std::int64_t) {},
          "The options after it describe a subject, A, to compare with the one before, B. A is like B except for the options of input, model, attention and place that are given again (--flag=false removes a flag). Up to three times: A, A2, A3")
      ->group("Compare");
}

/// Adds the options that the window and figures share.
void add_scene_options(CLI::App& command, CommandOptions& options) {
  add_input_options(command, options);
  add_own_attention_options(command, options);
  add_stage_options(command, options);
  add_cell_options(command, options);
  add_page_options(command, options);
  add_picture_options(command, options);
  add_attention_options(command, options);
  add_model_options(command, options);
  add_window_settings(command, options);
  add_against_option(command, options);
}

/// A command such as “render”, and the function that runs it.
struct CommandRecord {
  const char* name;
  const char* summary;
  const char* examples;  ///< Lines that begin with two blanks.
  void (*run)(const CommandOptions&, std::ostream&);
  const char* out;  ///< What --out takes. Null for commands that need no file.
  /// Each adds one group of options. The CommandOptions must outlive the parsing.
  std::vector<void (*)(CLI::App&, CommandOptions&)> option_groups;
};

/// All commands. The first one is “render”.
const std::vector<CommandRecord>& command_records() {
  static const std::vector<CommandRecord> records{
      {"render",
       "Write a figure of one stage, of all heads or of all stages of a head.",
       "  headscope render --out weights.png\n"
       "  headscope render --mask causal --head all --out heads.png\n"
       "  headscope render --stage all --head 2 --theme dark --out stages.pdf\n"
       "  headscope render --page compare --out pair.png --against --mask causal\n",
       run_render,
       "F.png, F.svg, F.pdf or F.html",
       {add_figure_file_options, add_scene_options}},
      {"film",
       "Write a film of a page: its steps, if it has any, as watch, stages, model, decoding and tiles have, or else each word in turn. For the page train, the model is trained from random weights first. The film repeats. “headscope lesson NAME --out F.webp” writes one of a lesson.",
       "  headscope film --page watch --token 7 --out row.webp\n"
       "  headscope film --page lines --seconds 0.8 --out lines.gif\n"
       "  headscope film --page decoding --model stories --fps 10 --out frames\n"
       "  headscope film --page train --set training.steps=200 --out learning.webp\n",
       run_film,
       "F.webp, F.gif or a new folder for PNGs",
       {add_film_options, add_figure_file_options, add_scene_options}},
      {"worksheet",
       "Write an exercise for paper, and its solution beside it as F-solution.pdf: a stage with its covered cells empty, and the numbers needed to fill them in. With --row and --column but without --cover, the way to that cell. Several stages, separated by commas, become pages of one PDF. With --page, any page. For numbers that can be computed by hand, use a small model.",
       "  headscope worksheet --sentence \"I am here\" --d-model 4 --heads 2 --stage query --out sheet.pdf\n"
       "  headscope worksheet --sentence \"I am here\" --d-model 4 --heads 2 --stage raw,weights,output --out "
       "sheets.pdf\n"
       "  headscope worksheet --stage weights --head 2 --cover rows:it --out sheet.pdf\n"
       "  headscope worksheet --sentence \"I am here\" --d-model 4 --heads 2 --row am --column I --out way.pdf\n",
       run_worksheet,
       "F.pdf, F.svg or F.png",
       {add_figure_file_options, add_scene_options}},
      {"trace",
       "Write the numbers of a pass: all of them, one stage, or those of a page.",
       "  headscope trace --out trace.safetensors\n"
       "  headscope trace --mask causal --out folder\n"
       "  headscope trace --stage weights --head 1 --out weights.csv\n"
       "  headscope trace --page effects --out effects.json\n"
       "  headscope trace --query q.npy --key k.npy --value v.npy --out folder\n",
       run_trace,
       "F.safetensors or a folder; with --stage F.npy or F.csv; with --page F.json or F.csv",
       {add_trace_output_options, add_input_options, add_own_attention_options, add_stage_options,
        add_cell_options, add_page_options, add_against_option, add_attention_options, add_model_options}},
      {"explain",
       "Explain how one cell was computed, with its numbers.",
       "  headscope explain --row it --column animal\n"
       "  headscope explain --stage query --head 1 --row the:1 --column 5\n"
       "  headscope explain --stage raw --row it --column animal --parts\n",
       run_explain,
       nullptr,
       {add_input_options, add_own_attention_options, add_stage_options, add_cell_options, add_parts_option,
        add_attention_options, add_model_options}},
      {"info",
       "List stages with their shapes, parameters, memory and the longest sentence.",
       "  headscope info\n  headscope info --preset \"Four heads\"\n",
       run_info,
       nullptr,
       {add_input_options, add_own_attention_options, add_attention_options, add_model_options}},
      {"train",
       "Train a small model and write its folder.",
       "  headscope train --task pronouns --out my-pronouns\n"
       "  headscope train --task reversing --d-model 32 --heads 2 --out my-reversing\n"
       "  headscope train --text a.txt b.txt --held-out c.txt --steps 3000 --out stories\n\n"
       "Defaults depend on the task: d_model 64, 4 heads, d_ff 128, tied output layer; pronouns: 2 layers, pre-norm, GELU, rotary; copying: 2 layers, no norm, learned positions; reversing: 1 + 1 layers, pre-norm, learned positions.\n",
       run_train,
       "the model's folder",
       {add_training_options, add_trained_model_options}},
      {"write",
       "Continue a sentence with a model that predicts the next word: with the likeliest word or, with any sampling option, one drawn at random.",
       "  headscope write --model ./my-stories --sentence \"Once upon a time\" --words 30\n"
       "  headscope write --model ./my-stories --sentence \"The dog\" --temperature 0.8 --seed 3\n",
       run_write,
       nullptr,
       {add_input_options, add_vocabulary_option, add_writing_options}},
      {"tokenize",
       "List the tokens of a sentence, one per line: index, id, token; with --batch, the sentence's number first. With --model, tokens that the model does not know are marked, with the word that replaces them. With --tokenizer and a file or folder that has a model's own tokenizer, tokens and ids are the model's; each line of a batch is then a sentence as it stands.",
       "  headscope tokenize --sentence \"To be or not to be\"\n"
       "  headscope tokenize --model pronouns --sentence \"The ox was tired\"\n"
       "  headscope tokenize --tokenizer ./gpt2 --sentence \"The ox was tired\"\n"
       "  headscope tokenize --tokenizer ./bert --special --format ids --batch b.txt\n",
       run_tokenize,
       nullptr,
       {add_input_options, add_tokenizer_options, add_vocabulary_option}},
      {"textbook",
       "Show worked examples from textbooks, articles and lectures. Without a NAME, list them; with one, open the window on it or, without a display, list its printed numbers beside the computed ones. A FILE.json of your own, made like those in assets/textbooks, is printed or checked.",
       "  headscope textbook\n  headscope textbook raschka-3.5.1-causal-mask\n  headscope textbook --check\n",
       run_textbook,
       nullptr,
       {add_textbook_options, add_window_options}},
      {"lesson",
       "Show lessons. Without a NAME, list them; with one, open the window on it or, without a display, print its text. A FILE.md of your own, made like those in assets/lessons, is opened, printed or checked.",
       "  headscope lesson\n  headscope lesson 01-what-does-it-mean\n  headscope lesson --check my-lesson.md\n"
       "  headscope lesson --print my-lesson.md --out handout.pdf\n",
       run_lesson,
       nullptr,
       {add_lesson_options, add_window_options}},
      {"search",
       "Search the sentences of a text file, one on each line, for those in which a head attends most from one word to another, or scores highest on a measure. Ctrl+C stops.",
       "  headscope search sentences.txt --layer 1 --head 0 --from it --to animal\n"
       "  headscope search sentences.txt --model copying --measure induction --most 50 --out found.csv\n",
       run_search,
       nullptr,
       {add_search_options, add_attention_options, add_model_options}},
      {"options",
       "Explain the options that several commands share: all of them, or those with a WORD in their name or their text, with the keys of the settings that they change, for --set KEY=VALUE and for files of scenes.",
       "  headscope options\n  headscope options mask\n  headscope options attention.temperature\n",
       run_options,
       nullptr,
       {}},
      {"capture",
       "Print a program in Python that captures attention elsewhere, in a file that “headscope FILE.safetensors” opens. Without a NAME, list the programs.",
       "  headscope capture\n  headscope capture transformers --out capture.py\n  headscope capture pytorch\n",
       run_capture,
       nullptr,
       {add_script_options}}};
  return records;
}

}  // namespace

std::string_view CommandOptions::first_of(const std::vector<std::string_view>& options) const {
  const auto found =
      std::ranges::find_if(options, [this](std::string_view option) { return has(option) || is_on(option); });
  return found == options.end() ? std::string_view() : *found;
}

bool CommandOptions::is_on(std::string_view option) const {
  const auto found = switches.find(option);
  return found != switches.end() && found->second;
}

CommandOptions::Text CommandOptions::text(std::string_view option) const {
  const auto found = values.find(option);
  if (found == values.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

const std::vector<std::string>& CommandOptions::texts(std::string_view option) const {
  static const std::vector<std::string> none;
  const auto found = values.find(option);
  return found == values.end() ? none : found->second;
}

void add_subject_options(CLI::App& command, CommandOptions& o) {
  add_model_options(command, o);
  add_input_options(command, o);
  add_attention_options(command, o);
  add_stage_options(command, o);
  add_cell_options(command, o);
  for (const Setting& each : all_settings) {
    if (is_per_subject(each)) add_setting(command, each, o);
  }
}

CommandParser::CommandParser(bool only_render) {
  app.set_version_flag("--version", std::string("headscope ") + version);
  app.allow_extras();
  for (const CommandRecord& record : command_records()) {
    CLI::App* command = app.add_subcommand(record.name, record.summary);
    command->footer(std::string("Examples:\n") + record.examples);
    command->allow_extras();
    if (record.out != nullptr) {
      add_own(*command, "Output", {{"--out", "FILE", record.out}}, options);
      command->get_option("--out")->required();
    }
    for (const auto& add : record.option_groups) add(*command, options);
    commands.push_back({command, record.run});
    if (only_render) return;
  }
  add_window_options(app, options);
  add_scene_options(app, options);
}

void run_options(const CommandOptions& o, std::ostream& out) {
  const CommandParser parser;
  const std::string word = o.named.value_or("");
  const std::string page =
      options_page(*parser.app.get_subcommand("render"), word, terminal_columns(default_columns));
  if (page.empty()) refuse(usage_error("no option has “" + word + "” in its name or its text"));
  out << page;
}

const Subcommand* CommandParser::selected_command() const {
  const auto found =
      std::ranges::find_if(commands, [](const Subcommand& command) { return command.app->parsed(); });
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace headscope
