#include "app/cli/setting_words.h"

#include "app/cli/command_options.h"
#include "app/cli/mask_options.h"
#include "app/cli/option_values.h"
#include "core/overloaded.h"
#include "core/session/settings.h"

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

}  // namespace headscope
