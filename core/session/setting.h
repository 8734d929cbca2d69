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

/// Reads and writes a value in a session.
template <class Value>
struct Accessor {
  const Value& (*read)(const Session&) = nullptr;
  Value& (*write)(Session&) = nullptr;
};

/// The chain of members that leads from a session to a value.
template <auto... members>
struct MemberPath {
  static const auto& read(const Session& session) { return (session.*....*members); }
  static auto& write(Session& session) { return (session.*....*members); }
  using Value = std::remove_cvref_t<decltype(read(std::declval<const Session&>()))>;
  static constexpr Accessor<Value> accessor{&read, &write};
};
template <auto... members>
inline constexpr auto accessor_of = MemberPath<members...>::accessor;

/// The types of settings. Each defines the values, their limits, and the syntax of the option.
namespace field {

struct Integer {
  Accessor<int> value;
  int low = 0;
  int high = 0;
  int (*last)(const Session&) = nullptr;  ///< Replaces `high` if the limit depends on the session.
};

/// An optional integer: null in JSON, and the text `none` on the command line.
struct OptionalInteger {
  Accessor<std::optional<int>> value;
  int low = 0;
  int high = 0;
  std::string_view none;
  int (*last)(const Session&) = nullptr;
};

template <class Number>
struct Decimal {
  Accessor<Number> value;
  Number low{};
  Number high{};
  Number (*min_in)(const Session&) = nullptr;  ///< Replaces `low` if the limit depends on the session.

  Number min_for(const Session& session) const { return min_in == nullptr ? low : min_in(session); }
  /// Whether the value may be this number, given the other end of the session's range.
  bool accepts(Number number, const Session& session) const {
    return number >= min_for(session) && number <= high;
  }
};
using Real = Decimal<float>;
/// One end of a range.
using Bound = Decimal<double>;

/// A flag whose option takes no argument and sets it to `given`.
struct Flag {
  Accessor<bool> value;
  bool given = true;
  /// The option that implies the opposite. Empty if the opposite is the default.
  std::string_view opposite = {};
};

/// A flag with names for false and true on the command line.
struct NamedFlag {
  Accessor<bool> value;
  std::string_view off;
  std::string_view on;
};

struct Choice {
  std::span<const std::string_view> names;
  std::size_t (*read)(const Session&) = nullptr;
  void (*write)(Session&, std::size_t) = nullptr;
};

/// A value of this type, any of which is possible.
template <class Value>
struct Plain {
  Accessor<Value> value;
};
using Seed = Plain<std::uint64_t>;
using Text = Plain<std::string>;
using Texts = Plain<std::vector<std::string>>;
using MaskFiles = Plain<std::vector<std::shared_ptr<const LoadedMask>>>;
using Stage = Plain<StageKind>;
/// Places of heads, each a layer and a head.
using Heads = Plain<std::vector<HeadIndex>>;
using PinnedCell = Plain<std::optional<Pin>>;
using Weights = Plain<ModelRef>;
/// Matrices by the paths of their stages: in JSON an object of lists of rows, on the command line one option
/// each.
using Given = Plain<GivenNumbers>;
/// A finite number, or −∞, which is "inf" in JSON.
using HiddenValue = Plain<float>;

/// Indices of tokens: those of the source for the encoder, those of the target for the decoder.
struct Tokens {
  Accessor<std::vector<int>> value;
  Stack keys = Stack::encoder;
};

struct Cells {
  Accessor<std::vector<Cell>> value;
  Stack queries = Stack::encoder;
  Stack keys = Stack::encoder;
};

/// Several values in one text with a notation of its own.
struct Notation {
  std::string (*read)(const Session&) = nullptr;
  /// Throws an Error that says which part of the text is wrong and what it must be, and then leaves the
  /// session unchanged.
  void (*write)(Session&, std::string_view) = nullptr;
};

/// A value of an enumeration, by its name in names.h.
template <auto... members>
constexpr Choice choice() {
  using Value = typename MemberPath<members...>::Value;
  return {
      names_of<Value>,
      [](const Session& session) { return static_cast<std::size_t>(MemberPath<members...>::read(session)); },
      [](Session& session, std::size_t index) {
        MemberPath<members...>::write(session) = static_cast<Value>(index);
      }};
}

}  // namespace field

using Field = std::variant<field::Integer, field::OptionalInteger, field::Seed, field::Real, field::Bound,
                           field::Flag, field::NamedFlag, field::Choice, field::Text, field::Texts,
                           field::HiddenValue, field::Tokens, field::Cells, field::MaskFiles, field::Stage,
                           field::Heads, field::PinnedCell, field::Weights, field::Given, field::Notation>;

/// The control of a setting in the window. The field determines whether it is a switch, a list, a slider or a
/// text field. An optional number, or one with a `switched`, is a switch with a slider below it while it is
/// on.
struct Control {
  std::string_view label;  ///< Empty if the setting has no such control.
  /// “Attention” if it joins that group of the panel. Empty if the panel has a place for it.
  std::string_view panel = {};
  /// The initial ends of the slider, which grow with the value. If both are 0, the setting's limits.
  double low = 0.0;
  double high = 0.0;
  /// The step of dragging. Decimals move in steps of `decimals` digits instead.
  double step = 1.0;
  int decimals = 2;
  bool logarithmic = false;
  bool ends_at_n_tokens = false;  ///< True if the slider ends at the number of tokens.
  /// Display names of a choice's values. If empty, their names in files.
  std::span<const std::string_view> names = {};
  /// Whether a choice opens a list instead of showing its values side by side.
  bool is_dropdown = false;
  bool is_typed = false;               ///< True for a decimal without a slider.
  std::string_view slider_label = {};  ///< The label of the slider below the switch.
  /// The value after switching it on.
  double (*first)(const Session&) = nullptr;
  /// The value that other settings imply while this one has none. Null if there is no such value.
  int (*derived_value)(const Session&) = nullptr;
  /// Replaces `label` if the label depends on the session. Null otherwise.
  std::string_view (*label_for)(const Session&) = nullptr;
  /// Whether the setting has an effect, given the others. Null if it always has.
  bool (*applies)(const Session&) = nullptr;
};

/// The complete description of one setting of a session. JSON, repair, the options and their help, the
/// command of a session, and the history iterate over these records. Controls look one up by its key.
struct Setting {
  std::string_view key;   ///< The path in the JSON, such as "architecture.d_model".
  std::string_view name;  ///< The name in a sentence, such as "the temperature".
  /// Such as "--d-model". May be shared by several settings. Empty if the setting has none.
  std::string_view option;
  /// The name of the option's value in the help. Empty if the option has no value or is shared.
  std::string_view argument;
  std::string_view group;  ///< The heading of its options in the help.
  /// A description without a full stop: the tooltip of the control, and the text before the limits in the
  /// help.
  const char* sentence = "";
  std::string_view default_text;  ///< Overrides the default that the help shows.
  Field field;
  Control control = {};
  /// Adjusts settings that conflict with this one, after it has changed. Null if none can.
  void (*reconcile)(Session&) = nullptr;
  /// Whether it only selects what is shown, which the undo history keeps without making a step.
  bool is_selection = false;
};

/// Marks a setting as one that only selects what is shown.
constexpr Setting as_selection(Setting setting) {
  setting.is_selection = true;
  return setting;
}

/// An option that sets several settings at once, in its own syntax.
struct SharedOption {
  std::string_view option;
  std::string_view argument;
  std::string_view group;
  const char* sentence = "";
};

/// Whether two sessions agree in a setting.
bool same_setting(const Setting& setting, const Session& a, const Session& b);

/// Returns the names of the settings in which two sessions differ, without duplicates, such as “the sentence”
/// and “the head”.
std::vector<std::string_view> differing_settings(const Session& a, const Session& b);

/// Returns the option of the first setting that differs, or its key if it has no option. Empty if no setting
/// differs.
std::string_view changed_option(const Session& before, const Session& after);

}  // namespace headscope
