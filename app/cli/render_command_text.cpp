#include "app/cli/render_command_text.h"

#include <algorithm>

#include "app/cli/mask_options.h"
#include "app/cli/option_values.h"
#include "core/model/trained_model.h"
#include "core/text/utf8.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

/// A batch of one is its sentence.
bool is_batch(const Session& session) {
  return session.batch.size() > 1;
}

/// "$'a\x1b'", as bash, zsh and ksh understand it. A zero, which no word of a command line can hold, becomes
/// its picture (U+2400).
std::string ansi_c_quoted(std::string_view word) {
  constexpr std::string_view zero("\0", 1);
  std::string quoted = "$'";
  while (!word.empty()) {
    const std::string_view character = word.substr(0, first_length(word));
    if (character == zero) {
      quoted += visible_controls(zero);
    } else {
      if (character == "\\" || character == "'") quoted += '\\';
      quoted += escaped_controls(character);
    }
    word.remove_prefix(character.size());
  }
  return quoted + "'";
}

/// A command line that grows by words.
class Words {
 public:
  /// `input`: the command whose output is read, with the bar behind it.
  explicit Words(const std::string& input) : text_(input + "headscope render") {}
  void flag(const char* option) { text_ += std::string(" ") + option; }
  void value(const char* option, const std::string& given) {
    // What begins with a dash could be taken for an option of its own.
    const char* separator = given.starts_with("-") ? "=" : " ";
    text_ += std::string(" ") + option + separator + shell_quoted(given);
  }
  template <class Value>
  void changed(const char* option, const Value& now, const Value& usual, const std::string& given) {
    if (now != usual) value(option, given);
  }
  template <class Enum>
  void changed_choice(const char* option, Enum now, Enum usual) {
    if (now != usual) value(option, std::string(name_of_choice(now)));
  }
  void width(const char* option, const std::optional<int>& now) {
    if (now) value(option, std::to_string(*now));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// "printf '%s\n' 'one two' 'The cat sat' | ": a sentence a line, for --batch /dev/stdin. Tokens end at a
/// newline as at a space.
std::string piped(const std::vector<std::string>& batch) {
  std::string text = "printf '%s\\n'";
  for (std::string sentence : batch) {
    std::ranges::replace(sentence, '\n', ' ');
    text += " " + shell_quoted(sentence);
  }
  return text + " | ";
}

void add_input(Words& words, const Session& now, const Session& usual) {
  if (is_batch(now)) {
    words.value("--batch", "/dev/stdin");
    words.changed("--sequence", now.sequence, 0, std::to_string(now.sequence));
  } else {
    words.changed("--sentence", now.sentence, usual.sentence, now.sentence);
  }
  words.changed_choice("--tokenizer", now.tokenizer, usual.tokenizer);
}

void add_model(Words& words, const Architecture& now, const Architecture& usual) {
  words.changed("--d-model", now.d_model, usual.d_model, std::to_string(now.d_model));
  words.changed("--heads", now.n_heads, usual.n_heads, std::to_string(now.n_heads));
  words.width("--d-head", now.d_head);
  words.width("--d-value", now.d_value);
  const bool is_attention_alone = now.stacks == usual.stacks && now.n_layers == usual.n_layers &&
                                  now.norm == usual.norm && !now.residual && now.d_ff == 0;
  if (!is_attention_alone) {
    words.value("--stacks", std::string(name_of_choice(now.stacks)));
    words.value("--layers", std::to_string(now.n_layers));
    words.value("--d-ff", std::to_string(now.d_ff));
    words.value("--norm", std::string(name_of_choice(now.norm)));
    if (!now.residual) words.flag("--no-residual");
    words.changed_choice("--activation", now.activation, usual.activation);
  }
  if (now.scales_embedding) words.flag("--scale-embedding");
  words.changed_choice("--output-layer", now.output_layer, usual.output_layer);
  if (now.has_output_bias()) words.flag("--output-bias");
  words.changed_choice("--positions", now.positions, usual.positions);
  std::string without;
  if (!now.bias.query) without += "q,";
  if (!now.bias.key) without += "k,";
  if (!now.bias.value) without += "v,";
  if (!now.bias.output) without += "o,";
  if (!without.empty()) words.value("--no-bias", without.substr(0, without.size() - 1));
  if (!now.output_projection) words.flag("--no-output-projection");
  words.changed_choice("--init", now.init, usual.init);
  words.changed("--seed", now.seed, usual.seed, std::to_string(now.seed));
}

/// The mask that others are added to: a decoder is causal unless they begin with none or name a prefix.
void add_masks(Words& words, const char* option, const MaskSpec& now, bool starts_causal) {
  std::vector<std::string> masks = mask_words(now);
  if (starts_causal && now.causal && !now.prefix) {
    std::erase(masks, "causal");
  } else if (starts_causal && !now.causal) {
    masks.insert(masks.begin(), "none");
  }
  for (const std::string& mask : masks) words.value(option, mask);
}

void add_attention(Words& words, const AttentionOptions& now, Stacks stacks, const AttentionOptions& usual) {
  add_masks(words, "--mask", now.mask, stacks == Stacks::decoder);
  if (stacks == Stacks::encoder_decoder) {
    add_masks(words, "--target-mask", now.target_mask, true);
    add_masks(words, "--cross-mask", now.cross_mask, false);
  }
  const MaskSpec none;
  const bool two_stacks = stacks == Stacks::encoder_decoder;
  const std::string axes = mask_axes_word(
      {&now.mask, two_stacks ? &now.target_mask : &none, two_stacks ? &now.cross_mask : &none});
  if (!axes.empty()) words.value("--mask-axes", axes);
  words.changed("--mask-value", now.mask_value, usual.mask_value, mask_value_word(now.mask_value));
  if (!now.scale) words.flag("--no-scale");
  words.changed("--attention-temperature", now.temperature, usual.temperature, number_word(now.temperature));
  words.changed_choice("--softmax", now.softmax, usual.softmax);
  if (!now.drops()) return;
  words.value("--dropout", number_word(now.dropout));
  words.changed("--dropout-seed", now.dropout_seed, usual.dropout_seed, std::to_string(now.dropout_seed));
}

/// `is_trained`: what is not named would be that of the head that the model shows.
void add_place(Words& words, const FigureChoice& figure, const Architecture& architecture, bool is_trained) {
  const StageId main = figure.main_stage();
  const bool is_first = main.stack == architecture.first_stack();
  if (!is_first) words.value("--stack", "decoder");
  if (is_first && is_trained && architecture.has_cross()) words.value("--stack", "encoder");
  if (main.layer != 0 || is_trained) words.value("--layer", std::to_string(main.layer));
  if (main.attention == AttentionKind::cross) words.value("--attention", "cross");
  const bool is_usual_head = figure.head == FigureChoice{}.head;
  if (!is_usual_head || is_trained) words.value("--head", figure.head ? std::to_string(*figure.head) : "all");
}

void add_figure(Words& words, const FigureChoice& figure, const Architecture& architecture, bool is_trained) {
  const FigureChoice usual;
  const StageId main = figure.main_stage();
  if (figure.diagram) {
    words.flag("--diagram");
    if (main.layer != 0 || is_trained) words.value("--layer", std::to_string(main.layer));
    return;
  }
  const bool per_head = info(main.kind).scope == StageScope::head;
  if (figure.stage != usual.stage) {
    // The path, because several stages share a name (input, output).
    words.value("--stage", !figure.stage ? "all" : per_head ? std::string(info(main.kind).name) : path(main));
  }
  if (per_head) add_place(words, figure, architecture, is_trained);
  if (figure.row) words.value("--row", std::to_string(*figure.row));
  if (figure.column) words.value("--column", std::to_string(*figure.column));
}

std::string range_word(const PictureOptions& picture) {
  if (picture.range != RangeMode::fixed) return std::string(name_of_choice(picture.range));
  return number_word(picture.fixed_low) + ":" + number_word(picture.fixed_high);
}

void add_picture(Words& words, const PictureOptions& now, const PictureOptions& usual) {
  words.changed_choice("--theme", now.theme, usual.theme);
  std::string colors;
  if (now.sequential != usual.sequential) colors += name_of_choice(now.sequential);
  if (now.diverging != usual.diverging) {
    colors += (colors.empty() ? "" : ",") + std::string(name_of_choice(now.diverging));
  }
  if (!colors.empty()) words.value("--colors", colors);
  words.changed("--range", now.range, usual.range, range_word(now));
  if (now.transfer == Transfer::gamma) {
    words.value("--transfer", "gamma:" + number_word(now.gamma));
  } else {
    words.changed_choice("--transfer", now.transfer, usual.transfer);
  }
  if (!now.numbers) words.flag("--no-numbers");
}

}  // namespace

std::string render_command_text(const Session& session, const FigureChoice& figure, const FigureSize& size,
                                const std::string& out) {
  const Session usual = default_session();
  Words words(is_batch(session) ? piped(session.batch) : "");
  add_input(words, session, usual);
  if (session.model) {
    words.value("--model", session.model->name);
  } else {
    words.value("--model", "untrained");
    add_model(words, session.architecture, usual.architecture);
    const bool predicts = session.architecture.output_layer != OutputLayer::none;
    if (predicts && !session.output_words.empty()) words.value("--output-words", session.output_words);
  }
  if (session.architecture.has_cross()) {
    words.changed("--target", session.target, usual.target, session.target);
  }
  add_attention(words, session.attention, session.architecture.stacks, usual.attention);
  add_figure(words, figure, session.architecture, session.model != nullptr);
  add_picture(words, session.picture, usual.picture);
  const FigureSize usual_size = figure.usual_size();
  if (size.width != usual_size.width || size.height != usual_size.height) {
    words.value("--size", std::to_string(size.width) + "x" + std::to_string(size.height));
  }
  words.changed("--scale", size.scale, usual_size.scale, std::to_string(size.scale));
  words.value("--out", out);
  return words.text();
}

bool can_be_piped(const std::vector<std::string>& batch) {
  return std::ranges::none_of(
      batch, [](const std::string& sentence) { return tokenize(sentence, TokenizerKind::word).empty(); });
}

std::string shell_quoted(const std::string& word) {
  if (escaped_controls(word) != word) return ansi_c_quoted(word);
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace headscope
