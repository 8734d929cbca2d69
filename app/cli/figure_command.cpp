#include "app/cli/figure_command.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/cli/against.h"
#include "app/cli/command_options.h"
#include "app/cli/figure_session.h"
#include "app/cli/given_option.h"
#include "app/cli/mask_options.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/setting_words.h"
#include "app/cli/shell_words.h"
#include "app/cli/sources.h"
#include "core/checkpoint/scene_file.h"
#include "core/model/trained_model.h"
#include "core/page/compare/compare_page.h"
#include "core/page/figure_file.h"
#include "core/session/action.h"
#include "core/session/placed.h"
#include "core/session/presets.h"
#include "core/tasks/task.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

/// Collects the options of a command that makes a session again, as far as options can express it.
class CommandBuilder {
 public:
  /// Prepares the options for `session`, or for `session` as a subject to compare with `base`. Both must
  /// outlive this object.
  explicit CommandBuilder(const Session& session, const Session* base = nullptr);

  /// Starts from a preset or model instead of from the base, so that nothing of the base remains.
  void begin_anew();
  /// Adds the options for all differences, step by step, because the options of one step may change what
  /// later options mean: sentences need their stacks, masks count tokens, and marks belong to a place.
  void add_all();
  /// The session that the options describe. It is an error if the program would refuse them.
  Result<Session> read() const;
  /// Whether the options describe exactly this session.
  bool says_all() const;
  /// The whole command, without the options for the file.
  std::string text() const;
  const CommandOptions& given() const { return options_; }
  /// Sources of what the options name, without reading any file.
  const Sources& sources() const { return sources_; }
  /// The options alone: " --sentence … --head 2".
  std::string options() const;
  /// One option with its value: " --sentence 'one two'".
  static std::string option_words(std::string_view option, const std::string& value);

 private:
  bool add_step(std::string_view step, const Session& told);
  bool add(const Setting& added);
  std::vector<std::string> values_of(std::string_view option, const Setting& setting);
  std::vector<std::string> masks_of(std::string_view option);
  std::string model_word() const;

  const Session& session_;
  const Session* base_;
  Sources sources_;
  CommandOptions options_;
};

constexpr const char* standard_input = "/dev/stdin";

bool has_named_model(const Session& session) {
  return session.model && !session.model->name.empty();
}

bool has_zero(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

/// Whether reading the batch from lines restores the same batch.
bool can_be_piped(const std::vector<std::string>& batch) {
  return std::ranges::none_of(batch, [](const std::string& sentence) {
    return sentence.find('\n') != std::string::npos || has_zero(sentence) ||
           tokenize(sentence, TokenizerKind::word).empty();
  });
}

/// The batch with one sentence per line: "one two\nThe cat sat\n".
std::string lines_of(const std::vector<std::string>& batch) {
  std::string text;
  for (const std::string& sentence : batch) text += sentence + '\n';
  return text;
}

/// The shell command that pipes the batch to --batch /dev/stdin: "printf '%s\n' 'one two' 'The cat sat' | ".
std::string piped(const std::vector<std::string>& batch) {
  std::string text = "printf '%s\\n'";
  for (const std::string& sentence : batch) text += " " + shell_quoted(sentence);
  return text + " | ";
}

/// Whether a command can express the session's batch. For a subject to compare with `base`, only if both have
/// the same batch.
bool keeps_batch(const Session& session, const Session* base) {
  if (base == nullptr) return can_be_piped(session.batch);
  return session.batch.empty() || session.batch == base->batch;
}

/// Whether the command's sentences would differ from the session's, so that indices would mean other tokens.
bool loses_tokens(const Session& session, const Session* base) {
  const bool keeps = session.batch.empty() ? !has_zero(session.sentence) : keeps_batch(session, base);
  return !keeps || has_zero(session.target);
}

/// The most letters that numbers given by hand may take in a command, which is meant to be read and pasted.
constexpr std::size_t most_given = 4000;
std::size_t given_length(const Session& session) {
  std::size_t n = 0;
  for (const std::string& word : given_words(session.given)) n += word.size();
  return n;
}

/// Explains why no option can express a setting of this session, or why a command would refuse that option.
/// Null if an option can express it.
const char* why_not(const Setting& setting, const Session& session, const Session* base) {
  const Architecture& a = session.architecture;
  const bool is_of_target =
      setting.option == "--target" || setting.option == "--target-mask" || setting.option == "--cross-mask";
  const bool has_output = a.output_layer != OutputLayer::none;
  const bool is_of_output = setting.key == "output_words" || setting.key == "architecture.output_bias" ||
                            setting.key == "architecture.logit_softcap";
  const bool is_of_batch = setting.key == "batch" || setting.key == "sequence" ||
                           (base != nullptr && setting.key == "sentence" && !session.batch.empty());
  const bool is_fixed = setting.key == "tokenizer" || setting.key == "task" ||
                        setting.key == "output_words" || setting.key.starts_with("architecture.");
  const bool counts_tokens = setting.key == "selection.token" || setting.key == "selection.pin" ||
                             setting.key == "selection.picked" || setting.key == "interventions.weights" ||
                             setting.key == "interventions.patches" || setting.option.ends_with("mask") ||
                             setting.key.starts_with("cover.");
  if (counts_tokens && loses_tokens(session, base)) return "its tokens are not in the command";
  const bool is_of_self = setting.option == "--mask" || setting.option == "--target-mask";
  if (is_of_self && !a.has_self()) return "there is no self-attention";
  if (is_of_target && !a.has_cross()) return "a single stack has only one sentence";
  if (is_of_output && !has_output) return "there is no final linear layer";
  if (is_of_batch && !keeps_batch(session, base))
    return base == nullptr ? "one of its sentences cannot be a line of a batch file"
                           : "a command reads one batch";
  const bool is_given = setting.key == "given";
  if (is_given && (loses_tokens(session, base) || has_zero(session.output_words)))
    return "its tokens are not in the command";
  if (is_given && !check_given(session)) return "they do not fit the model and its sentence";
  if (is_given && given_length(session) > most_given) return "they are too many for a command";
  const bool is_of_ids = setting.key == "tokenizer" && session.tokenizer == TokenizerKind::ids;
  if (is_fixed && has_named_model(session) && !is_of_ids) return "trained weights have their own";
  if (setting.key == "model" && session.model && session.model->name.empty()) return "they are not in a file";
  if (setting.key == "task" && !session.task.empty() && !task_named(session.task)) return "it is not known";
  if (setting.key == "textbook" && !session.textbook.empty() && worked_example(session.textbook) == nullptr)
    return "it is not known";
  const auto* text = std::get_if<field::Text>(&setting.field);
  if (text != nullptr && has_zero(text->value.read(session))) return "a command line cannot hold a zero byte";
  return nullptr;
}

constexpr std::string_view marks = "marks";

std::string_view step_of(const Setting& setting) {
  const bool is_mark = setting.key == "selection.token" || setting.key == "selection.pin" ||
                       setting.key == "selection.picked" || setting.key.starts_with("cover.");
  return is_mark ? marks : setting.group;
}

/// The names of the settings in which two sessions differ, each once, followed by the reason if no command
/// can express it. `base` is the session that the subject is compared with, as in CommandBuilder.
std::vector<std::string> differences(const Session& wanted, const Session& told, const Session* base) {
  std::vector<std::string> names;
  for (const Setting& setting : all_settings) {
    if (same_setting(setting, wanted, told)) continue;
    const char* why = why_not(setting, wanted, base);
    if (why == nullptr && base != nullptr) why = "no option can undo it after --against";
    std::string name(setting.name);
    if (why != nullptr) name += std::string(" (") + why + ")";
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

CommandBuilder::CommandBuilder(const Session& session, const Session* base)
    : session_(session), base_(base), sources_(held_by(session)) {
  sources_.batch = [text = lines_of(session.batch)](const std::string&) -> Result<std::string> {
    return text;
  };
  if (base == nullptr) options_.settings["--model"] = {model_word()};
}

void CommandBuilder::begin_anew() {
  if (has_named_model(session_)) {
    options_.settings["--model"] = {model_word()};
  } else {
    options_.preset = presets().front().name;
  }
}

void CommandBuilder::add_all() {
  constexpr std::array steps{model_group, input_group, training_group, attention_group, intervention_group,
                             given_group, word_group,  picture_group,  place_group,     marks};
  auto told = read();
  for (const std::string_view step : steps) {
    while (told && add_step(step, *told)) told = read();
  }
}

Result<Session> CommandBuilder::read() const {
  if (base_ == nullptr) return session_of_figure_options(options_, sources_);
  return subject_against(options_, *base_, sources_).map([&](const Subject& subject) {
    return with_subject(*base_, subject);
  });
}

bool CommandBuilder::says_all() const {
  const auto told = read();
  return told && differences(session_, *told, base_).empty();
}

std::string CommandBuilder::text() const {
  std::string text = options_.has("--batch") ? piped(session_.batch) : "";
  return text + "headscope render" + options();
}

std::string CommandBuilder::options() const {
  std::string text;
  if (options_.preset) text += option_words("--preset", *options_.preset);
  std::string_view before;
  for (const Setting& setting : all_settings) {
    if (setting.option == before || !options_.has(setting)) continue;
    before = setting.option;
    const bool is_flag = std::holds_alternative<field::Flag>(setting.field) && !shared_option(setting);
    for (const std::string& value : options_.texts(setting.option))
      text += is_flag ? " " + std::string(setting.option) + (value.empty() ? "" : "=" + value)
                      : option_words(setting.option, value);
  }
  if (options_.mask_axes) text += option_words("--mask-axes", *options_.mask_axes);
  return text;
}

std::string CommandBuilder::option_words(std::string_view option, const std::string& value) {
  // A value that begins with a dash could be taken for an option.
  const char* separator = value.starts_with("-") ? "=" : " ";
  return " " + std::string(option) + separator + shell_quoted(value);
}

/// Returns whether anything was added.
bool CommandBuilder::add_step(std::string_view step, const Session& told) {
  bool added = false;
  for (const Setting& setting : all_settings) {
    const bool differs = step_of(setting) == step && !same_setting(setting, told, session_);
    if (differs && why_not(setting, session_, base_) == nullptr && add(setting)) added = true;
  }
  return added;
}

/// Returns false if the setting has already been added, or if no option expresses it.
bool CommandBuilder::add(const Setting& added) {
  const bool is_in_batch = added.key == "sentence" && !session_.batch.empty() && can_be_piped(session_.batch);
  const bool leaves_batch =
      base_ != nullptr && (added.key == "batch" || added.key == "sequence") && session_.batch.empty();
  if (leaves_batch) return add(setting("sentence"));
  std::string_view option = added.option;
  const auto* flag = std::get_if<field::Flag>(&added.field);
  const bool has_own = shared_option(added) == nullptr;
  const bool is_off = flag != nullptr && has_own && flag->value.read(session_) != flag->given;
  if (is_off && base_ == nullptr) option = flag->opposite;
  if (option.empty() || is_in_batch || options_.has(option)) return false;
  std::vector<std::string> values =
      is_off && option == added.option ? std::vector<std::string>{flag_off} : values_of(option, added);
  if (values.empty()) return false;
  options_.settings[option] = std::move(values);
  if (implies_layers(option, options_.settings[option].back())) {
    for (const Setting& each :
         {setting("architecture.d_ff"), setting("architecture.norm"), setting("architecture.residual")}) {
      add(each);
    }
  }
  return true;
}

std::vector<std::string> CommandBuilder::values_of(std::string_view option, const Setting& setting) {
  if (option == "--model") return {model_word()};
  if (option == "--task" && session_.task.empty()) return {"none"};
  if (option == "--batch" && base_ != nullptr) return {};  // a command reads one batch
  if (option == "--batch") return {standard_input};
  if (option == "--mask" || option == "--target-mask" || option == "--cross-mask") return masks_of(option);
  if (option == "--set") {
    std::vector<std::string> words = given_words(session_.given);
    const bool takes_back = base_ != nullptr && !base_->given.empty();
    if (takes_back) words.insert(words.begin(), "none");
    return words;
  }
  if (option == "--layers") return {std::to_string(session_.architecture.n_layers)};
  if (const SharedOption* shared = shared_option(setting)) {
    const std::string word = shared_word(*shared, session_);
    const bool takes_back = base_ != nullptr && option == "--no-bias";
    return {takes_back ? "none" + (word.empty() ? "" : "," + word) : word};
  }
  return {word_of(setting, session_)};
}

/// A decoder is causal unless its masks begin with none or contain a prefix.
std::vector<std::string> CommandBuilder::masks_of(std::string_view option) {
  const AttentionOptions& attention = session_.attention;
  const Architecture& a = session_.architecture;
  const bool starts_causal =
      base_ == nullptr && (option == "--target-mask" || (option == "--mask" && a.stacks == Stacks::decoder));
  const MaskSpec& mask = option == "--mask"          ? attention.mask
                         : option == "--target-mask" ? attention.target_mask
                                                     : attention.cross_mask;
  std::vector<std::string> masks = mask_words(mask);
  if (starts_causal && mask.causal && !mask.prefix) {
    std::erase(masks, "causal");
  } else if (starts_causal && !mask.causal) {
    masks.insert(masks.begin(), "none");
  }
  if (masks.empty() && base_ != nullptr) masks.emplace_back("none");
  const MaskSpec none;
  const std::string axes = mask_axes_word({a.has_self() ? &attention.mask : &none,
                                           a.has_cross() && a.has_self() ? &attention.target_mask : &none,
                                           a.has_cross() ? &attention.cross_mask : &none});
  if (!axes.empty()) options_.mask_axes = axes;
  return masks;
}

std::string CommandBuilder::model_word() const {
  return has_named_model(session_) ? session_.model->name : "untrained";
}

/// A command while it is put together: its words, and the same as the options that the program reads in them.
struct Draft {
  std::string text;
  CommandOptions options;
};

/// Adds a held subject, " --against --sentence …": its differences from the session's own subject, or all of
/// its options if no option can take back something that the session's own subject has.
void add_held(const Session& held, const Session& base, Draft& draft) {
  const auto add = [&draft](const CommandBuilder& builder) {
    draft.text += " --against" + builder.options();
    draft.options.against.push_back(builder.given());
  };
  CommandBuilder changes(held, &base);
  changes.add_all();
  if (changes.says_all()) return add(changes);
  CommandBuilder anew(held, &base);
  anew.begin_anew();
  anew.add_all();
  const bool takes_back = anew.says_all() || !changes.read();
  add(takes_back ? anew : changes);
}

/// Adds the held subjects, as changes to the session's own subject.
void add_all_held(const Session& session, const Sources& sources, Draft& draft) {
  if (session.held.empty()) return;
  const auto own = session_of_figure_options(draft.options, sources);
  if (!own) return;
  const Session base = with_subject(*own, own->subject());
  for (const Subject& held : session.held) add_held(with_subject(session, held), base, draft);
}

/// Adds the settings of a held subject that the command leaves out.
void add_left_out(const Session& wanted, const Session& told, const Session& base, const std::string& subject,
                  std::vector<std::string>& left_out) {
  for (const std::string& name : differences(wanted, told, &base))
    left_out.push_back("of " + subject + ", " + name);
}

/// Adds the options of the file.
void add_file(const Session& session, const FigureSize& size, const std::string& out, Draft& draft) {
  const auto add = [&draft](std::string_view option, const std::string& value) {
    draft.text += CommandBuilder::option_words(option, value);
  };
  const FigureSize usual_size = size_on(size.paper, shown_figure(session).usual_size());
  const PaperRecord& paper = record_of(size.paper);
  if (!paper.name.empty()) {
    add("--size", std::string(paper.name));
  } else if (size.width != usual_size.width || size.height != usual_size.height) {
    add("--size", std::to_string(size.width) + "x" + std::to_string(size.height));
  }
  const bool has_pixels = !out.ends_with(".svg") && !out.ends_with(".pdf");
  if (has_pixels && size.scale != usual_size.scale) add("--scale", std::to_string(size.scale));
  if (size.is_transparent) draft.text += " --transparent";
  if (size.page) {
    const std::string page(name_of_choice(*size.page));
    add("--page", page);
    draft.options.settings["--page"] = {page};
  }
  add("--out", out);
}

std::vector<Metadata> with_command(const Session& session, const FigureSize& size, const std::string& out) {
  const FigureCommand command = figure_command(session, size, out);
  std::vector<Metadata> metadata{{"Software", "headscope"}};
  if (!command.left_out.empty()) metadata.push_back({left_out_key, listed(command.left_out)});
  metadata.push_back({"Command", command.text});
  return metadata;
}

std::vector<Metadata> without_command() {
  return {{"Software", "headscope"},
          {left_out_key,
           "everything: the sentences were cut to what fits in memory, and render takes only whole ones"}};
}

/// Whether the memory limit cut the sentence of a pass.
bool was_cut(const Trace& trace) {
  const auto n_longest = std::max(trace.tokens(Stack::encoder).size(), trace.tokens(Stack::decoder).size());
  return trace.tokens_in_sentence() != static_cast<int>(n_longest);
}

}  // namespace

FigureCommand figure_command(const Session& session, const FigureSize& size, const std::string& out) {
  CommandBuilder builder(session);
  builder.add_all();
  Draft draft{builder.text(), builder.given()};
  add_file(session, size, out, draft);
  add_all_held(session, builder.sources(), draft);
  FigureCommand command{std::move(draft.text), {}};
  const auto told = session_of_figure_options(draft.options, builder.sources());
  if (!told) {
    command.left_out = {"the settings that cause an error (" + told.error().message + ")"};
    return command;
  }
  command.left_out = differences(session, *told, nullptr);
  const Session base = with_subject(*told, told->subject());
  for (std::size_t i = 0; i < std::min(session.held.size(), told->held.size()); ++i) {
    add_left_out(with_subject(session, session.held[i]), with_subject(*told, told->held[i]), base,
                 subject_name(static_cast<int>(i)), command.left_out);
  }
  return command;
}

std::string listed(const std::vector<std::string>& left_out) {
  std::string text;
  for (const std::string& name : left_out) text += (text.empty() ? "" : "; ") + name;
  return text;
}

std::vector<Metadata> metadata_of_command(const PageInputs& shown, const FigureSize& size,
                                          const std::string& out) {
  const Session& session = shown.session;
  const Trace& trace = *shown.trace;
  for (const SubjectPass& held : shown.held) {
    if (held.trace && was_cut(*held.trace)) return without_command();
  }
  if (!was_cut(trace)) return with_command(session, size, out);
  if (trace.architecture().has_cross() || trace.batch().n_sequences > 1) return without_command();
  std::string computed;
  for (const Token& token : trace.tokens()) computed += (computed.empty() ? "" : " ") + token.text;
  const Session cut = reduce(session, SetSentence{computed});
  if (texts_of(cut).sentence() == trace.tokens()) return with_command(cut, size, out);
  return without_command();
}

Metadata metadata_of_scene(const Session& session) {
  auto scene = scene_text(session);
  return scene ? Metadata{scene_key, std::move(*scene)} : Metadata{scene_left_out_key, scene.error().message};
}

std::vector<Metadata> metadata_of(const PageInputs& shown, const FigureSize& size, const std::string& out) {
  std::vector<Metadata> metadata = metadata_of_command(shown, size, out);
  metadata.push_back(metadata_of_scene(shown.session));
  return metadata;
}

}  // namespace headscope
