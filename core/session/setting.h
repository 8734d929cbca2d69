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

/// Provides access to a value in a session.
template <class Value>
struct Place {
  const Value& (*read)(const Session&) = nullptr;
  Value& (*write)(Session&) = nullptr;
};

/// The chain of members that leads from a session to a value.
template <auto... members>
struct Path {
  static const auto& read(const Session& session) { return (session.*....*members); }
  static auto& write(Session& session) { return (session.*....*members); }
  using Value = std::remove_cvref_t<decltype(read(std::declval<const Session&>()))>;
  static constexpr Place<Value> place{&read, &write};
};
template <auto... members>
inline constexpr auto place_at = Path<members...>::place;

/// The kinds of settings. Each says what a value is, what its limits are, and how its option is written.
namespace field {

/// The sentence whose tokens an index counts.
enum class Counted { source, target };

struct Whole {
  Place<int> value;
  int low = 0;
  int high = 0;
  int (*last)(const Session&) = nullptr;  ///< Replaces `high` if the limit depends on the session.
};

/// A whole number that may be missing: null in JSON, and `none` on the command line.
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
  double (*least)(const Session&) = nullptr;  ///< Replaces `low` if the limit depends on the session.

  double lowest(const Session& session) const { return least == nullptr ? low : least(session); }
  /// Returns whether the value may be this number, given the other end of the session's range.
  bool takes(double number, const Session& session) const {
    return number >= lowest(session) && number <= high;
  }
};

/// A flag whose option has no argument and sets it to `given`.
struct Flag {
  Place<bool> value;
  bool given = true;
  /// The option that implies the opposite. Empty if the opposite is the default.
  std::string_view opposite = {};
};

/// A flag whose values false and true have names on the command line.
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

/// A finite number, or −∞, which is "inf" in JSON.
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

/// Places of heads, each a layer and a head.
struct Heads {
  Place<std::vector<HeadPlace>> value;
};

struct PinnedCell {
  Place<std::optional<Pin>> value;
};

struct Weights {
  Place<ModelValue> value;
};

/// Matrices by the paths of the stages that they are given for. In JSON they are an object of lists of rows;
/// on the command line each has its own option.
struct Given {
  Place<GivenNumbers> value;
};

/// Several values in one text with its own notation.
struct Notation {
  std::string (*read)(const Session&) = nullptr;
  /// On failure, the error says which part of the text is wrong and what it must be, and the session is
  /// unchanged.
  Result<void> (*write)(Session&, std::string_view) = nullptr;
};

/// A value of an enumeration, identified by its name in names.h.
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

/// The control that changes a setting in the window. The field determines whether it is a switch, a list, a
/// slider or a text field. An optional number, or one whose `switched` is not empty, is a switch with a
/// slider below it while it is on.
struct Control {
  std::string_view label;  ///< Empty if the setting has no such control.
  /// The ends of the slider, which grow with the value. If both are 0, the setting's limits are used.
  double low = 0.0;
  double high = 0.0;
  /// Dragging moves in multiples of it. Decimals move in steps of `decimals` digits.
  double step = 1.0;
  int decimals = 2;
  bool logarithmic = false;
  bool counts_tokens = false;  ///< True if the slider ends at the number of tokens.
  /// The names of a choice's values for people. If empty, the names in files are used.
  std::span<const std::string_view> names = {};
  /// True if a choice opens a list, false if its values are side by side.
  bool in_list = false;
  bool is_typed = false;           ///< True for a decimal without a slider.
  std::string_view switched = {};  ///< The label of the slider below the switch.
  /// The value when it is switched on.
  double (*first)(const Session&) = nullptr;
  /// The value that follows from other settings when the setting has none. Null if there is no such value.
  int (*automatic)(const Session&) = nullptr;
  /// The label that depends on the session and replaces `label`. Null if it does not depend on it.
  std::string_view (*label_in)(const Session&) = nullptr;
  /// Returns whether the setting has an effect, given the other settings. If null, it always has.
  bool (*applies)(const Session&) = nullptr;
};

/// Everything that is known about one setting of a session. JSON, repair, the options and their help, the
/// command of a session, and the history iterate over the records. Controls refer to a record by
/// its key.
struct Setting {
  std::string_view key;   ///< Its path in the JSON, such as "architecture.d_model".
  std::string_view name;  ///< Its name in a sentence, such as "the temperature".
  /// Such as "--d-model". Several settings may share one option. Empty if the setting has none.
  std::string_view option;
  /// The name of the option's value in the help. Empty if the option has no value or is shared.
  std::string_view argument;
  std::string_view group;  ///< The heading of its options in the help.
  /// Its description without a full stop: the tooltip of the control and, in the help, the text before the
  /// limits.
  const char* sentence = "";
  std::string_view usual;  ///< Replaces the default in the help.
  Field field;
  Control control = {};
  /// Adjusts the settings that conflict with a change of this setting, which the session already contains.
  void (*settles)(Session&) = nullptr;
  /// True if it only selects what is seen, which is kept in the undo history but is no step of it.
  bool selects = false;
};

/// The setting as one that only selects what is seen.
constexpr Setting selecting(Setting setting) {
  setting.selects = true;
  return setting;
}

/// An option that sets several settings at once, in its own syntax.
struct SharedOption {
  std::string_view option;
  std::string_view argument;
  std::string_view group;
  const char* sentence = "";
};

/// Returns whether two sessions agree in a setting.
bool same_setting(const Setting& setting, const Session& a, const Session& b);

/// Returns the names of the settings in which two sessions differ, each once, such as “the sentence” and “the
/// head”.
std::vector<std::string_view> differing_settings(const Session& a, const Session& b);

/// Returns the option of the first setting that differs, or its key if it has no option. Empty if no setting
/// differs.
std::string_view changed_option(const Session& before, const Session& after);

}  // namespace headscope
