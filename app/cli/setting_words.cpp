#include "app/cli/setting_words.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "app/cli/command_options.h"
#include "app/cli/mask_options.h"
#include "app/cli/option_values.h"
#include "core/overloaded.h"
#include "core/to_float.h"

namespace headscope {
namespace {

Result<std::optional<Pin>> pin_of(std::string_view option, const std::string& given) {
  if (given == "none") return std::optional<Pin>();
  const auto parts = split(given, ':');
  const auto cell = split(parts.back(), '.');
  const auto stage = parts.size() == 2 ? parse_path(parts.front()) : std::nullopt;
  const auto row = parse_int(cell.front());
  const auto column = cell.size() == 2 ? parse_int(cell.back()) : std::nullopt;
  if (stage && row && column) return std::optional(Pin{*stage, *row, *column});
  return wrong_value(option, given,
                     "it takes none or PATH:ROW.COLUMN, such as encoder.layers.0.self.heads.1.weights:3.5");
}

Result<std::vector<HeadPlace>> heads_of(std::string_view option, const std::string& given,
                                        const Session& session) {
  std::vector<HeadPlace> heads;
  if (given == "none") return heads;
  const int layers = last_layer(session);
  const int last = last_head(session);
  for (const std::string_view word : split(given, ',')) {
    const auto place = head_named(word);
    if (!place || place->layer > layers || place->head > last) {
      return wrong_value(
          option, given,
          "it takes none, or LAYER.HEAD separated by commas, such as 0.0,0.1: layers are 0 to " +
              std::to_string(layers) + ", heads 0 to " + std::to_string(last));
    }
    heads.push_back(*place);
  }
  return heads;
}

std::string heads_word(const std::vector<HeadPlace>& heads) {
  std::string word;
  for (const HeadPlace& place : heads) word += (word.empty() ? "" : ",") + head_name(place);
  return word.empty() ? "none" : word;
}

/// Reads the value of an option of any kind.
class WordReader {
 public:
  WordReader(std::string_view option, const std::string& given, Session& session)
      : option_(option), given_(given), session_(session) {}

  Result<void> operator()(const field::Whole& f) const {
    return take(whole_number(option_, given_, f.low, f.last ? f.last(session_) : f.high), f.value);
  }
  Result<void> operator()(const field::OptionalWhole& f) const {
    if (given_ == f.none) return take(Result<std::optional<int>>(std::nullopt), f.value);
    return take(whole_number(option_, given_, f.low, f.last ? f.last(session_) : f.high), f.value)
        .map_error([&](const Error& error) {
          return Error{error.kind, error.message + ", or " + std::string(f.none)};
        });
  }
  Result<void> operator()(const field::Seed& f) const { return take(seed_number(option_, given_), f.value); }
  Result<void> operator()(const field::Decimal& f) const {
    const auto number = decimal_number(option_, given_, f.low, f.high);
    return take(number.map([](double n) { return static_cast<float>(n); }), f.value);
  }
  Result<void> operator()(const field::Bound& f) const {
    return take(decimal_number(option_, given_, f.lowest(session_), f.high), f.value);
  }
  Result<void> operator()(const field::Flag& f) const {
    f.value.write(session_) = (given_ != flag_off) == f.given;
    return {};
  }
  Result<void> operator()(const field::NamedFlag& f) const {
    return take(choice_index(option_, given_, {f.off, f.on}).map([](std::size_t i) { return i == 1; }),
                f.value);
  }
  Result<void> operator()(const field::Choice& f) const {
    return choice_index(option_, given_, {f.names.begin(), f.names.end()}).map([&](std::size_t index) {
      f.write(session_, index);
    });
  }
  Result<void> operator()(const field::Text& f) const { return take(Result<std::string>(given_), f.value); }
  Result<void> operator()(const field::HiddenValue& f) const { return take(mask_value_of(given_), f.value); }
  Result<void> operator()(const field::Stage& f) const {
    const auto kind = kind_named(given_);
    const auto id = parse_path(given_);
    if (!kind && !id) return wrong_value(option_, given_, "“headscope info” lists the stages");
    return take(Result<StageKind>(kind ? *kind : id->kind), f.value);
  }
  Result<void> operator()(const field::Heads& f) const {
    return take(heads_of(option_, given_, session_), f.value);
  }
  Result<void> operator()(const field::PinnedCell& f) const { return take(pin_of(option_, given_), f.value); }
  Result<void> operator()(const field::Notation& f) const {
    return f.write(session_, given_).map_error([&](const Error& error) {
      return Error{error.kind, std::string(option_) + ": " + error.message};
    });
  }
  /// Lists, and values that are in files, have options with a syntax of their own.
  template <class Other>
  Result<void> operator()(const Other&) const {
    return wrong_value(option_, given_, "it is not a single value");
  }

 private:
  template <class Given, class Value>
  Result<void> take(Result<Given> given, const Place<Value>& place) const {
    return std::move(given).map([&](Given value) { place.write(session_) = std::move(value); });
  }

  std::string_view option_;
  const std::string& given_;
  Session& session_;
};

std::string pin_word(const std::optional<Pin>& pin) {
  if (!pin) return "none";
  return path(pin->stage) + ":" + std::to_string(pin->row) + "." + std::to_string(pin->col);
}

/// The name of a stage, or its path if the name would be found for another kind first.
std::string stage_word(const Session& session, StageKind kind) {
  const std::string name(info(kind).name);
  return kind_named(name) == kind ? name : path(session.selection.at(kind));
}

Result<void> read_without_bias(std::string_view option, const std::string& given, Session& session) {
  Biases& bias = session.architecture.bias;
  if (given.empty()) {
    bias = {false, false, false, false, bias.feed_forward};
    return {};
  }
  for (const std::string_view letter : split(given, ',')) {
    if (letter == "none") {
      bias = {};
    } else if (letter == "q") {
      bias.query = false;
    } else if (letter == "k") {
      bias.key = false;
    } else if (letter == "v") {
      bias.value = false;
    } else if (letter == "o") {
      bias.output = false;
    } else if (letter == "f") {
      bias.feed_forward = false;
    } else {
      return wrong_value(option, given, "it takes letters from q,k,v,o,f, or nothing for q,k,v,o");
    }
  }
  return {};
}

std::string without_bias_word(const Session& session) {
  const Biases& bias = session.architecture.bias;
  std::string word;
  for (const auto& [letter, on] :
       {std::pair("q", bias.query), std::pair("k", bias.key), std::pair("v", bias.value),
        std::pair("o", bias.output), std::pair("f", bias.feed_forward)}) {
    if (!on) word += (word.empty() ? "" : ",") + std::string(letter);
  }
  return word;
}

Result<void> read_colors(std::string_view option, const std::string& given, Session& session) {
  for (const std::string_view name : split(given, ',')) {
    const auto sequential = std::ranges::find(names_of<SequentialMap>, name);
    const auto diverging = std::ranges::find(names_of<DivergingMap>, name);
    const bool is_sequential = sequential != names_of<SequentialMap>.end();
    const bool is_diverging = diverging != names_of<DivergingMap>.end();
    if (!is_sequential && !is_diverging) {
      return wrong_value(option, given,
                         "it takes headscope, viridis, cividis, grays, blue_orange or purple_green");
    }
    PictureOptions& picture = session.picture;
    if (is_sequential) {
      picture.sequential = static_cast<SequentialMap>(sequential - names_of<SequentialMap>.begin());
    }
    if (is_diverging) {
      picture.diverging = static_cast<DivergingMap>(diverging - names_of<DivergingMap>.begin());
    }
  }
  return {};
}

/// The value of --colors. A name that both families of colours have sets both, so it comes first.
std::string colors_word(const Session& session) {
  std::string sequential(name_of_choice(session.picture.sequential));
  const std::string diverging(name_of_choice(session.picture.diverging));
  if (sequential == diverging) return sequential;
  const bool sets_both =
      std::ranges::find(names_of<SequentialMap>, diverging) != names_of<SequentialMap>.end();
  return sets_both ? diverging + "," + sequential : sequential + "," + diverging;
}

/// Sets the ends of the fixed range. Returns false if one of them is beyond its limits or if they are not in
/// order.
bool take_ends(double low, double high, Session& session) {
  constexpr auto low_end = std::get<field::Bound>(setting("picture.fixed_low").field);
  constexpr auto high_end = std::get<field::Bound>(setting("picture.fixed_high").field);
  if (!low_end.takes(low, session)) return false;
  session.picture.fixed_low = low;
  session.picture.fixed_high = high;
  return high_end.takes(high, session);
}

Result<void> read_one_range(std::string_view option, const std::string& given, std::string_view part,
                            Session& session) {
  PictureOptions& picture = session.picture;
  const auto ends = split(part, ':');
  if (ends.size() == 2) {
    const auto low = parse_double(ends[0]);
    const auto high = parse_double(ends[1]);
    if (!low || !high || !take_ends(*low, *high, session)) {
      return wrong_value(option, given, "LOW:HIGH takes two numbers, the lower one first");
    }
    picture.range = RangeMode::fixed;
    return {};
  }
  const auto mode = choice<RangeMode>(option, part);
  if (!mode || *mode == RangeMode::fixed) {
    return wrong_value(option, given, "it takes usual, map, row, all_heads or LOW:HIGH");
  }
  picture.range = *mode;
  return {};
}

Result<void> read_range(std::string_view option, const std::string& given, Session& session) {
  for (const std::string_view part : split(given, ',')) {
    if (auto ok = read_one_range(option, given, part, session); !ok) return ok;
  }
  return {};
}

/// The value of --range. The ends of a fixed range come before the mode that is used instead of it.
std::string range_word(const Session& session) {
  const PictureOptions& picture = session.picture;
  const PictureOptions usual;
  const std::string mode(name_of_choice(picture.range));
  std::string ends = number_word(picture.fixed_low) + ":" + number_word(picture.fixed_high);
  if (picture.range == RangeMode::fixed) return ends;
  const bool keeps_ends = picture.fixed_low != usual.fixed_low || picture.fixed_high != usual.fixed_high;
  return keeps_ends ? ends + "," + mode : mode;
}

Result<void> read_one_transfer(std::string_view option, const std::string& given, std::string_view part,
                               PictureOptions& picture) {
  constexpr std::string_view gamma_prefix = "gamma:";
  if (part.starts_with(gamma_prefix)) {
    const auto gamma = parse_double(part.substr(gamma_prefix.size()));
    const bool fits = gamma && to_float(*gamma) >= min_gamma && *gamma <= max_gamma;
    if (!fits) {
      return wrong_value(
          option, given,
          "gamma:G takes a number from " + number_word(min_gamma) + " to " + number_word(max_gamma));
    }
    picture.transfer = Transfer::gamma;
    picture.gamma = to_float(*gamma);
    return {};
  }
  return choice<Transfer>(option, part).map([&](Transfer transfer) { picture.transfer = transfer; });
}

Result<void> read_transfer(std::string_view option, const std::string& given, Session& session) {
  for (const std::string_view part : split(given, ',')) {
    if (auto ok = read_one_transfer(option, given, part, session.picture); !ok) return ok;
  }
  return {};
}

std::string transfer_word(const Session& session) {
  const PictureOptions& picture = session.picture;
  std::string gamma = "gamma:" + number_word(picture.gamma);
  if (picture.transfer == Transfer::gamma) return gamma;
  const std::string curve(name_of_choice(picture.transfer));
  return picture.gamma == PictureOptions{}.gamma ? curve : gamma + "," + curve;
}

/// The functions that read an option and write it again.
struct Syntax {
  std::string_view option;
  Result<void> (*read)(std::string_view option, const std::string& given, Session& session);
  std::string (*word)(const Session& session);
};

constexpr std::array syntaxes{
    Syntax{"--no-bias", read_without_bias, without_bias_word},
    Syntax{"--colors", read_colors, colors_word},
    Syntax{"--range", read_range, range_word},
    Syntax{"--transfer", read_transfer, transfer_word},
};

const Syntax* syntax_of(const SharedOption& option) {
  const auto* const found = std::ranges::find(syntaxes, option.option, &Syntax::option);
  return found == syntaxes.end() ? nullptr : found;
}

}  // namespace

Result<void> read_setting(const Setting& setting, const std::string& given, Session& session) {
  return std::visit(WordReader(setting.option, given, session), setting.field);
}

std::string word_of(const Setting& setting, const Session& session) {
  const Overloaded word{
      [&](const field::Whole& f) { return std::to_string(f.value.read(session)); },
      [&](const field::OptionalWhole& f) {
        const std::optional<int>& value = f.value.read(session);
        return value ? std::to_string(*value) : std::string(f.none);
      },
      [&](const field::Seed& f) { return std::to_string(f.value.read(session)); },
      [&](const field::Decimal& f) { return number_word(f.value.read(session)); },
      [&](const field::Bound& f) { return number_word(f.value.read(session)); },
      [&](const field::NamedFlag& f) { return std::string(f.value.read(session) ? f.on : f.off); },
      [&](const field::Choice& f) { return std::string(f.names[f.read(session)]); },
      [&](const field::Text& f) { return f.value.read(session); },
      [&](const field::HiddenValue& f) { return mask_value_word(f.value.read(session)); },
      [&](const field::Stage& f) { return stage_word(session, f.value.read(session)); },
      [&](const field::Notation& f) { return f.read(session); },
      [&](const field::Heads& f) { return heads_word(f.value.read(session)); },
      [&](const field::PinnedCell& f) { return pin_word(f.value.read(session)); },
      [](const auto&) { return std::string(); },
  };
  return std::visit(word, setting.field);
}

Result<void> read_shared(const SharedOption& option, const std::string& given, Session& session) {
  const Syntax* syntax = syntax_of(option);
  if (syntax == nullptr) return {};
  return syntax->read(option.option, given, session);
}

std::string shared_word(const SharedOption& option, const Session& session) {
  const Syntax* syntax = syntax_of(option);
  return syntax == nullptr ? "" : syntax->word(session);
}

}  // namespace headscope
