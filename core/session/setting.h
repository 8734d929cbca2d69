#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/session/names.h"
#include "core/session/session.h"

namespace headscope {

/// Where a value stands in a session.
template <class Value>
struct Place {
  const Value& (*read)(const Session&) = nullptr;
  Value& (*write)(Session&) = nullptr;
};

/// The members that lead from a session to a value.
template <auto... members>
struct Path {
  static const auto& read(const Session& session) { return (session.*....*members); }
  static auto& write(Session& session) { return (session.*....*members); }
  using Value = std::remove_cvref_t<decltype(read(std::declval<const Session&>()))>;
  static constexpr Place<Value> place{&read, &write};
};
template <auto... members>
inline constexpr auto place_at = Path<members...>::place;

/// The kinds of settings: what a value is, its limits, and how its option gives it.
namespace field {

/// Whose tokens an index counts.
enum class Counted { source, target };

struct Whole {
  Place<int> value;
  int low = 0;
  int high = 0;
  int (*last)(const Session&) = nullptr;  ///< in place of `high`, where it depends on the rest
};

/// Nothing is null in JSON, and `none` on the command line.
struct OptionalWhole {
  Place<std::optional<int>> value;
  int low = 0;
  int high = 0;
  std::string_view none;
  int (*last)(const Session&) = nullptr;
};

struct Seed {
  Place<std::uint64_t> value;
};

struct Decimal {
  Place<float> value;
  float low = 0.0F;
  float high = 0.0F;
};

/// One end of a range.
struct Bound {
  Place<double> value;
  double low = 0.0;
  double high = 0.0;
  double (*least)(const Session&) = nullptr;  ///< in place of `low`, where it depends on the rest

  double lowest(const Session& session) const { return least == nullptr ? low : least(session); }
  /// Whether it may be this number beside the other end that the session has.
  bool takes(double number, const Session& session) const {
    return number >= lowest(session) && number <= high;
  }
};

/// An option without an argument, which sets it to `given`.
struct Flag {
  Place<bool> value;
  bool given = true;
  /// The option that implies the opposite; empty: it is the default.
  std::string_view opposite = {};
};

/// A flag with names on the command line, those of false and true.
struct NamedFlag {
  Place<bool> value;
  std::string_view off;
  std::string_view on;
};

struct Choice {
  std::span<const std::string_view> names;
  std::size_t (*read)(const Session&) = nullptr;
  void (*write)(Session&, std::size_t) = nullptr;
};

struct Text {
  Place<std::string> value;
};

struct Texts {
  Place<std::vector<std::string>> value;
};

/// −∞, which is "inf" in JSON, or a finite number.
struct HiddenValue {
  Place<float> value;
};

struct Tokens {
  Place<std::vector<int>> value;
  Counted keys = Counted::source;
};

struct Cells {
  Place<std::vector<Cell>> value;
  Counted queries = Counted::source;
  Counted keys = Counted::source;
};

struct MaskFiles {
  Place<std::vector<std::shared_ptr<const LoadedMask>>> value;
};

struct Stage {
  Place<StageKind> value;
};

/// Places of heads, by layer and head.
struct Heads {
  Place<std::vector<HeadPlace>> value;
};

struct PinnedCell {
  Place<std::optional<Pin>> value;
};

struct Weights {
  Place<ModelValue> value;
};

/// Matrices by the paths of what they are given for. In JSON an object of lists of rows; on the command line
/// one option each.
struct Given {
  Place<GivenNumbers> value;
};

/// Several values as one text in a notation of their own.
struct Notation {
  std::string (*read)(const Session&) = nullptr;
  /// The error says what of the text must be what; the session then stays as it was.
  Result<void> (*write)(Session&, std::string_view) = nullptr;
};

/// One of an enumeration's values, by its name in names.h.
template <auto... members>
constexpr Choice choice() {
  using Value = typename Path<members...>::Value;
  return {names_of<Value>,
          [](const Session& session) { return static_cast<std::size_t>(Path<members...>::read(session)); },
          [](Session& session, std::size_t index) {
            Path<members...>::write(session) = static_cast<Value>(index);
          }};
}

}  // namespace field

using Field = std::variant<field::Whole, field::OptionalWhole, field::Seed, field::Decimal, field::Bound,
                           field::Flag, field::NamedFlag, field::Choice, field::Text, field::Texts,
                           field::HiddenValue, field::Tokens, field::Cells, field::MaskFiles, field::Stage,
                           field::Heads, field::PinnedCell, field::Weights, field::Given, field::Notation>;

/// How a setting is changed in the window. Its field decides whether the control is a switch, a list, a
/// slider or a number to type. An optional number, and one whose `switched` is not empty, is a switch with a
/// slider below it while it is on.
struct Control {
  std::string_view label;  ///< empty: it has no control of this kind
  /// The ends of the slider, which grow with the value. If both are 0, they are the setting's limits.
  double low = 0.0;
  double high = 0.0;
  double step = 1.0;  ///< dragging goes in multiples of it, of a decimal in steps of `decimals` digits
  int decimals = 2;
  bool logarithmic = false;
  bool counts_tokens = false;  ///< the slider ends at the number of tokens
  /// Of a choice, as people read them; empty: the names in files.
  std::span<const std::string_view> names = {};
  bool in_list = false;            ///< a choice opens a list; otherwise its values stand side by side
  bool is_typed = false;           ///< a decimal without a slider
  std::string_view switched = {};  ///< the slider's label below the switch
  /// The value that it has when it is switched on.
  double (*first)(const Session&) = nullptr;
  /// What stands for nothing, where nothing is a number that follows from other settings.
  int (*automatic)(const Session&) = nullptr;
  /// The label in place of `label`, where it depends on the rest.
  std::string_view (*label_in)(const Session&) = nullptr;
  /// Whether it means anything beside the other settings; null: always.
  bool (*applies)(const Session&) = nullptr;
};

/// Everything that is said of one setting of a session. JSON, repair, the options and their help, the command
/// that makes a figure again and the history walk the records; controls name theirs by its key.
struct Setting {
  std::string_view key;       ///< its place in the JSON, "architecture.d_model"
  std::string_view name;      ///< within a sentence: "the temperature"
  std::string_view option;    ///< "--d-model"; several settings may share one; empty: it has none
  std::string_view argument;  ///< what the help calls the option's value; empty: it takes none, or is shared
  std::string_view group;     ///< of options, in the help
  /// What it is, without a full stop: the control's tooltip, and in the help before the limits.
  const char* sentence = "";
  std::string_view usual;  ///< in the help, in place of the default
  Field field;
  Control control = {};
  /// What a change of it, which the session has already, changes of other settings: what cannot be beside it.
  void (*settles)(Session&) = nullptr;
};

/// An option that gives several settings at once, in a syntax of its own.
struct SharedOption {
  std::string_view option;
  std::string_view argument;
  std::string_view group;
  const char* sentence = "";
};

/// Whether two sessions agree in a setting.
bool same_setting(const Setting& setting, const Session& a, const Session& b);

/// What two sessions do not share, by the names of the settings, each once: “the sentence”, “the head”.
std::vector<std::string_view> differing_settings(const Session& a, const Session& b);

/// The option, or where it has none the key, of the first setting that differs; empty where none does.
std::string_view changed_option(const Session& before, const Session& after);

}  // namespace headscope
