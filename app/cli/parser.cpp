#include "app/cli/parser.h"

#include <cstdint>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/help.h"
#include "core/system/process.h"

namespace headscope {

CLI::App& CommandParser::add(const char* name, const char* summary, const char* examples,
                             Subcommand::Run run) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer(std::string("Examples:\n") + examples);
  command->allow_extras();
  commands.push_back({command, run});
  return *command;
}

namespace {

/// Adds the option before those of a subject to compare with. It exists only for the help: take_against()
/// reads it before the other options are parsed.
void add_against_option(CLI::App& command) {
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
  add_against_option(command);
}

}  // namespace

CommandParser::CommandParser(KnownCommands known) {
  app.set_version_flag("--version", std::string("headscope ") + version);
  app.allow_extras();

  CLI::App& render = add("render", "Write a figure of one stage, of all heads or of all stages of a head.",
                         "  headscope render --out weights.png\n"
                         "  headscope render --mask causal --head all --out heads.png\n"
                         "  headscope render --stage all --head 2 --theme dark --out stages.pdf\n"
                         "  headscope render --page compare --out pair.png --against --mask causal\n",
                         run_render);
  add_out_option(render, options, "F.png, F.svg, F.pdf or F.html");
  add_figure_file_options(render, options);
  add_scene_options(render, options);
  if (known == KnownCommands::render) return;

  CLI::App& film = add(
      "film",
      "Write a film of a page: the steps of watch, decoding and tiles, and on any other page each word in turn. The film repeats.",
      "  headscope film --page watch --token 7 --out row.webp\n"
      "  headscope film --page lines --seconds 0.8 --out lines.gif\n"
      "  headscope film --page decoding --model stories --fps 10 --out frames\n",
      run_film);
  add_out_option(film, options, "F.webp, F.gif or a new folder for PNGs");
  add_film_options(film, options);
  add_figure_file_options(film, options);
  add_scene_options(film, options);

  CLI::App& worksheet = add(
      "worksheet",
      "Write an exercise for paper, and its solution beside it as F-solution.pdf: a stage with its covered cells empty, and the numbers needed to fill them in. With --row and --column but without --cover, the way to that cell. Several stages, separated by commas, become pages of one PDF. With --page, any page. For numbers that can be computed by hand, use a small model.",
      "  headscope worksheet --sentence \"I am here\" --d-model 4 --heads 2 --stage query --out sheet.pdf\n"
      "  headscope worksheet --sentence \"I am here\" --d-model 4 --heads 2 --stage raw,weights,output --out "
      "sheets.pdf\n"
      "  headscope worksheet --stage weights --head 2 --cover rows:it --out sheet.pdf\n"
      "  headscope worksheet --sentence \"I am here\" --d-model 4 --heads 2 --row am --column I --out way.pdf\n",
      run_worksheet);
  add_out_option(worksheet, options, "F.pdf, F.svg or F.png");
  add_figure_file_options(worksheet, options);
  add_scene_options(worksheet, options);

  CLI::App& trace = add("trace", "Write the numbers of a pass: all of them, one stage, or those of a page.",
                        "  headscope trace --out trace.safetensors\n"
                        "  headscope trace --mask causal --out folder\n"
                        "  headscope trace --stage weights --head 1 --out weights.csv\n"
                        "  headscope trace --page effects --out effects.json\n"
                        "  headscope trace --query q.npy --key k.npy --value v.npy --out folder\n",
                        run_trace);
  add_out_option(trace, options,
                 "F.safetensors or a folder; with --stage F.npy or F.csv; with --page F.json or F.csv");
  add_trace_output_options(trace, options);
  add_input_options(trace, options);
  add_own_attention_options(trace, options);
  add_stage_options(trace, options);
  add_cell_options(trace, options);
  add_page_options(trace, options);
  add_against_option(trace);
  add_attention_options(trace, options);
  add_model_options(trace, options);

  CLI::App& explain = add("explain", "Explain how one cell was computed, with its numbers.",
                          "  headscope explain --row it --column animal\n"
                          "  headscope explain --stage query --head 1 --row the:1 --column 5\n"
                          "  headscope explain --stage raw --row it --column animal --parts\n",
                          run_explain);
  add_input_options(explain, options);
  add_own_attention_options(explain, options);
  add_stage_options(explain, options);
  add_cell_options(explain, options);
  add_parts_option(explain, options);
  add_attention_options(explain, options);
  add_model_options(explain, options);

  CLI::App& info = add("info", "List stages with their shapes, parameters, memory and the longest sentence.",
                       "  headscope info\n  headscope info --preset \"Four heads\"\n", run_info);
  add_input_options(info, options);
  add_own_attention_options(info, options);
  add_attention_options(info, options);
  add_model_options(info, options);

  CLI::App& train = add(
      "train", "Train a small model and write its folder.",
      "  headscope train --task pronouns --out my-pronouns\n"
      "  headscope train --task reversing --d-model 32 --heads 2 --out my-reversing\n"
      "  headscope train --text a.txt b.txt --held-out c.txt --steps 3000 --out stories\n\n"
      "Defaults depend on the task: d_model 64, 4 heads, d_ff 128, tied output layer; pronouns: 2 layers, pre-norm, GELU, rotary; copying: 2 layers, no norm, learned positions; reversing: 1 + 1 layers, pre-norm, learned positions.\n",
      run_train);
  add_out_option(train, options, "the model's folder");
  add_training_options(train, options);
  add_trained_model_options(train, options);

  CLI::App& write = add(
      "write",
      "Write on from a sentence with a model that predicts the next word. The likeliest word follows, or with any option of sampling, a word drawn at random.",
      "  headscope write --model ./my-stories --sentence \"Once upon a time\" --words 30\n"
      "  headscope write --model ./my-stories --sentence \"The dog\" --temperature 0.8 --seed 3\n",
      run_write);
  add_input_options(write, options);
  add_vocabulary_option(write, options);
  write.get_option("--model")->description(
      "The model: stories, copying, reversing, a model's folder, or a GGUF file");
  add_writing_options(write, options);

  CLI::App& tokenize = add(
      "tokenize",
      "List the tokens of a sentence, one per line: index, id, token; with --batch, the sentence's number first. With --model, tokens that the model does not know are marked, with the word that replaces them. With --tokenizer and a file or folder that has a model's own tokenizer, tokens and ids are the model's; each line of a batch is then a sentence as it stands.",
      "  headscope tokenize --sentence \"To be or not to be\"\n"
      "  headscope tokenize --model pronouns --sentence \"The ox was tired\"\n"
      "  headscope tokenize --tokenizer ./gpt2 --sentence \"The ox was tired\"\n"
      "  headscope tokenize --tokenizer ./bert --special --format ids --batch b.txt\n",
      run_tokenize);
  add_input_options(tokenize, options);
  add_tokenizer_options(tokenize, options);
  add_vocabulary_option(tokenize, options);

  CLI::App& textbook = add(
      "textbook",
      "Show worked examples from textbooks, articles and lectures. Without a NAME, list them; with one, open the window on it or, without a display, list its printed numbers beside the computed ones. A FILE.json of your own, made like those in assets/textbooks, is printed or checked.",
      "  headscope textbook\n  headscope textbook raschka-3.5.1-causal-mask\n  headscope textbook --check\n",
      run_textbook);
  add_textbook_options(textbook, options);
  add_window_options(textbook, options);

  CLI::App& lesson = add(
      "lesson",
      "Show lessons. Without a NAME, list them; with one, open the window on it or, without a display, print its text. A FILE.md of your own, made like those in assets/lessons, is opened, printed or checked.",
      "  headscope lesson\n  headscope lesson 01-what-does-it-mean\n  headscope lesson --check my-lesson.md\n"
      "  headscope lesson --print my-lesson.md --out handout.pdf\n",
      run_lesson);
  add_lesson_options(lesson, options);
  add_window_options(lesson, options);

  CLI::App& search = add(
      "search",
      "Search the sentences of a text file, one on each line, for those in which a head looks most from one word to another, or in the way of a measure. Ctrl+C stops.",
      "  headscope search sentences.txt --layer 1 --head 0 --from it --to animal\n"
      "  headscope search sentences.txt --model copying --measure induction --most 50 --out found.csv\n",
      run_search);
  add_search_options(search, options);
  add_attention_options(search, options);
  add_model_options(search, options);

  add("options",
      "Explain the options that several commands share: all of them, or those with a WORD in their name or their text, with the keys of the settings that they change, for --set KEY=VALUE and for files of scenes.",
      "  headscope options\n  headscope options mask\n  headscope options attention.temperature\n",
      run_options);

  CLI::App& capture = add(
      "capture",
      "Print a program in Python that captures attention elsewhere, in a file that “headscope FILE.safetensors” opens. Without a NAME, list the programs.",
      "  headscope capture\n  headscope capture transformers --out capture.py\n  headscope capture pytorch\n",
      run_capture);
  add_script_options(capture, options);

  add_window_options(app, options);
  add_scene_options(app, options);
}

Result<void> run_options(const CommandOptions& o, std::ostream& out) {
  const CommandParser parser;
  const std::string word = o.named.value_or("");
  const std::string page =
      options_page(*parser.app.get_subcommand("render"), word, output_columns(usual_columns));
  if (page.empty()) return usage_error("no option has “" + word + "” in its name or its text");
  out << page;
  return {};
}

const Subcommand* CommandParser::chosen() const {
  for (const Subcommand& command : commands) {
    if (command.app->parsed()) return &command;
  }
  return nullptr;
}

}  // namespace headscope
