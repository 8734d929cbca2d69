#include "app/cli/session_options.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <sstream>

#include "app/cli/mask_options.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/picture_words.h"
#include "core/engine/opening.h"
#include "core/io/read_file.h"
#include "core/session/action.h"
#include "core/session/repair.h"

namespace headscope {
namespace {

using Text = CommandOptions::Text;
using Limits = ArchitectureLimits;

/// Stores the value of an option that was given; keeps the first error and does nothing after it.
class Reader {
 public:
  template <class Target, class Parse>
  void read(const Text& given, Target& target, Parse parse) {
    if (!given || !outcome_) return;
    auto value = parse(*given);
    if (value) {
      target = std::move(*value);
    } else {
      outcome_ = tl::unexpected(value.error());
    }
  }
  void whole(const char* option, const Text& given, int& target, int low, int high) {
    read(given, target, [&](const std::string& text) { return whole_number(option, text, low, high); });
  }
  /// "auto" is nothing.
  void width(const char* option, const Text& given, std::optional<int>& target) {
    read(given, target, [&](const std::string& text) -> Result<std::optional<int>> {
      if (text == "auto") return std::nullopt;
      return whole_number(option, text, Limits::min_head_width, Limits::max_head_width).map([](int n) {
        return std::optional(n);
      });
    });
  }
  template <class Enum>
  void one_of(const char* option, const Text& given, Enum& target) {
    read(given, target, [&](const std::string& text) { return choice<Enum>(option, text); });
  }
  void require(const Result<void>& checked) {
    if (outcome_ && !checked) outcome_ = checked;
  }
  const Result<void>& outcome() const { return outcome_; }

 private:
  Result<void> outcome_;
};

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string listed(const std::vector<Preset>& presets) {
  std::string text;
  for (const Preset& preset : presets) {
    text += "\n  " + preset.name + (preset.document.empty() ? "" : " (“" + preset.document + "”)");
  }
  return text;
}

Result<Session> preset_session(const std::string& name) {
  const auto all = presets();
  std::vector<Preset> begun;
  for (const Preset& preset : all) {
    if (preset.name == name) return preset.session;
    const bool begins =
        lower(preset.name).starts_with(lower(name)) || lower(preset.document).starts_with(lower(name));
    if (!name.empty() && begins) begun.push_back(preset);
  }
  if (begun.size() == 1) return begun.front().session;
  if (begun.empty()) return wrong_value("--preset", name, "choose one of:" + listed(all));
  return wrong_value("--preset", name, "several begin like this; choose one of" + listed(begun));
}

Result<Biases> without_biases(Biases bias, const std::string& given) {
  if (given.empty()) return Biases{false, false, false, false};
  for (const std::string_view letter : split(given, ',')) {
    if (letter == "q") {
      bias.query = false;
    } else if (letter == "k") {
      bias.key = false;
    } else if (letter == "v") {
      bias.value = false;
    } else if (letter == "o") {
      bias.output = false;
    } else {
      return wrong_value("--no-bias", given, "it takes letters from q,k,v,o, or nothing for all four");
    }
  }
  return bias;
}

/// The result of validate(), prefixed with the options that the sizes come from.
Result<void> checked_sizes(const Architecture& architecture) {
  return validate(architecture).map_error([](const Error& error) {
    return Error{error.kind, "--d-model and --heads do not match: " + error.message};
  });
}

/// A bare attention layer becomes a full layer as soon as an option implies one.
void read_block(const CommandOptions& o, Architecture& a, Reader& reader) {
  const bool is_attention_alone = a.d_ff == 0 && !a.residual && a.norm == Norm::none;
  const bool asks_for_layers = o.stacks || o.layers || o.norm || o.d_ff || o.activation;
  if (is_attention_alone && asks_for_layers) {
    a.norm = Norm::post;
    a.residual = true;
    a.d_ff = std::min(4 * a.d_model, Limits::max_d_ff);
  }
  reader.one_of("--stacks", o.stacks, a.stacks);
  reader.whole("--layers", o.layers, a.n_layers, Limits::min_layers, Limits::max_layers);
  reader.whole("--d-ff", o.d_ff, a.d_ff, 0, Limits::max_d_ff);
  reader.one_of("--norm", o.norm, a.norm);
  reader.one_of("--activation", o.activation, a.activation);
  reader.one_of("--output-layer", o.output_layer, a.output_layer);
  if (o.no_residual) a.residual = false;
  if (o.output_bias) a.output_bias = true;
  if (o.scale_embedding) a.scales_embedding = true;
}

Architecture read_architecture(const CommandOptions& o, Architecture a, Reader& reader) {
  reader.whole("--d-model", o.d_model, a.d_model, Limits::min_d_model, Limits::max_d_model);
  reader.whole("--heads", o.heads, a.n_heads, Limits::min_heads, Limits::max_heads);
  reader.width("--d-head", o.d_head, a.d_head);
  reader.width("--d-value", o.d_value, a.d_value);
  read_block(o, a, reader);
  reader.one_of("--positions", o.positions, a.positions);
  reader.one_of("--init", o.init, a.init);
  reader.read(o.seed, a.seed, [](const std::string& text) { return seed_number("--seed", text); });
  reader.read(o.no_bias, a.bias, [&](const std::string& text) { return without_biases(a.bias, text); });
  if (o.no_output_projection) a.output_projection = false;
  reader.require(checked_sizes(a));
  if ((o.output_bias || o.output_words) && a.output_layer == OutputLayer::none) {
    reader.require(usage_error(std::string(o.output_bias ? "--output-bias" : "--output-words") +
                               " needs a final linear layer: --output-layer linear or tied"));
  }
  return a;
}

void read_masks(const std::vector<std::string>& given, const MaskOption& option, MaskSpec& target,
                Reader& reader) {
  if (given.empty() || !reader.outcome()) return;
  // Behind a prefix the mask is causal, so it replaces the default mask of a decoder.
  if (std::ranges::any_of(given, [](const std::string& mask) { return mask.starts_with("prefix:"); })) {
    target.causal = false;
  }
  auto mask = with_masks(target, given, option);
  if (mask) target = std::move(*mask);
  reader.require(mask.map([](const MaskSpec&) {}));
}

void read_all_masks(const CommandOptions& o, Session& session, Reader& reader) {
  AttentionOptions& attention = session.attention;
  const int s = n_source_tokens(session);
  const int t = n_target_tokens(session);
  MaskAxes axes;
  reader.read(o.mask_axes, axes, MaskAxes::parse);
  read_masks(o.masks, {"--mask", s, s, &axes}, attention.mask, reader);
  if (!session.architecture.has_cross()) {
    const bool given = !o.target_masks.empty() || !o.cross_masks.empty() || o.target;
    if (given && reader.outcome()) {
      reader.require(
          usage_error("--target, --target-mask and --cross-mask need --stacks encoder-decoder: a single "
                      "stack has only one sentence"));
    }
    reader.require(axes.check_used());
    return;
  }
  read_masks(o.target_masks, {"--target-mask", t, t, &axes}, attention.target_mask, reader);
  read_masks(o.cross_masks, {"--cross-mask", t, s, &axes}, attention.cross_mask, reader);
  reader.require(axes.check_used());
}

auto float_reader(const char* option, float low, float high) {
  return [=](const std::string& text) {
    return decimal_number(option, text, low, high).map([](double n) { return static_cast<float>(n); });
  };
}

void read_attention(const CommandOptions& o, Session& session, Reader& reader) {
  AttentionOptions& attention = session.attention;
  reader.read(o.mask_value, attention.mask_value, mask_value_of);
  reader.one_of("--softmax", o.softmax, attention.softmax);
  reader.read(o.temperature, attention.temperature,
              float_reader("--attention-temperature", min_temperature, max_temperature));
  reader.read(o.dropout, attention.dropout, float_reader("--dropout", 0.0F, max_dropout));
  reader.read(o.dropout_seed, attention.dropout_seed,
              [](const std::string& text) { return seed_number("--dropout-seed", text); });
  if (o.dropout) attention.train = true;
  if (o.no_scale) attention.scale = false;
  read_all_masks(o, session, reader);
}

constexpr std::size_t most_batch_bytes = std::size_t{16} << 20U;

/// The lines of a batch's file that hold anything.
Result<std::vector<std::string>> batch_of(const std::string& file, const Text& given) {
  const Result<std::string> text = given ? *given : read_to_end(file, most_batch_bytes);
  if (!text) return failure(text.error().message + ": a batch is a text file with one sentence per line");
  std::vector<std::string> sentences;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (!tokenize(line, TokenizerKind::word).empty()) sentences.push_back(line);
  }
  if (sentences.empty()) return failure("the batch '" + file + "' has no words: write one sentence per line");
  return sentences;
}

/// The session with its sentences as given.
Session read_input(const CommandOptions& o, Session session, Reader& reader) {
  TokenizerKind tokenizer = session.tokenizer;
  reader.one_of("--tokenizer", o.tokenizer, tokenizer);
  if (o.batch && o.sentence) {
    reader.require(
        usage_error("--batch and --sentence cannot be combined: the batch file holds the sentences"));
  }
  if (o.sequence && !o.batch)
    reader.require(usage_error("--sequence needs --batch, the file to choose from"));
  std::vector<std::string> batch;
  reader.read(o.batch, batch, [&](const std::string& file) { return batch_of(file, o.batch_text); });
  int sequence = 0;
  reader.whole("--sequence", o.sequence, sequence, 0, std::max(static_cast<int>(batch.size()) - 1, 0));
  if (!reader.outcome()) return session;
  if (o.tokenizer) session = reduce(session, SetTokenizer{tokenizer});
  if (o.sentence) session = reduce(session, SetSentence{*o.sentence});
  if (o.target) session = reduce(session, SetTarget{*o.target});
  if (o.output_words) session.output_words = *o.output_words;
  if (o.batch) session = reduce(reduce(session, SetBatch{batch}), SelectSequence{sequence});
  if (!session.selection.token) session.selection.token = token_to_look_at(session);
  return session;
}

void read_picture(const CommandOptions& o, PictureOptions& picture, Reader& reader) {
  reader.one_of("--theme", o.theme, picture.theme);
  reader.read(o.colors, picture, [&](const std::string& text) { return with_colors(picture, text); });
  reader.read(o.range, picture, [&](const std::string& text) { return with_range(picture, text); });
  reader.read(o.transfer, picture, [&](const std::string& text) { return with_transfer(picture, text); });
  if (o.no_numbers) picture.numbers = false;
}

}  // namespace

Result<Architecture> architecture_of(const CommandOptions& o, const Architecture& base) {
  Reader reader;
  const Architecture architecture = read_architecture(o, base, reader);
  if (!reader.outcome()) return tl::unexpected(reader.outcome().error());
  return architecture;
}

Result<Session> session_of(const CommandOptions& o) {
  Session session = default_session();
  Reader reader;
  reader.read(o.preset, session, preset_session);
  if (const auto model = trained_model_of(o); model && reader.outcome()) {
    auto opened = with_model(o, *model, session);
    if (!opened) return tl::unexpected(opened.error());
    session = std::move(*opened);
  }
  session = read_input(o, session, reader);
  const Architecture architecture = read_architecture(o, session.architecture, reader);
  if (!reader.outcome()) return tl::unexpected(reader.outcome().error());
  session = reduce(session, SetArchitecture{architecture});
  read_attention(o, session, reader);
  read_picture(o, session.picture, reader);
  if (!reader.outcome()) return tl::unexpected(reader.outcome().error());
  return repaired(session, default_session());
}

void tell_of_masks(const CommandOptions& o, const Session& session) {
  if (o.mask_axes || !session.architecture.has_cross()) return;
  const std::string doubt = doubt_about_axes(session.attention.cross_mask);
  if (!doubt.empty()) std::cerr << "headscope: " << doubt << '\n';
}

}  // namespace headscope
