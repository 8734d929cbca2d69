#include "app/cli/setting_words.h"

#include <algorithm>
#include <array>
#include <variant>

#include "app/cli/command_options.h"
#include "app/cli/option_values.h"
#include "core/exact_text.h"
#include "core/session/setting_value.h"
#include "core/split_text.h"
#include "core/to_float.h"

namespace headscope {
namespace {

Result<void> read_without_bias(std::string_view option, const std::string& given, Session& session) {
  Biases& bias = session.architecture.bias;
  if (given.empty()) {
    bias = {false, false, false, false, bias.feed_forward};
    return {};
  }
  for (const std::string_view letter : split_text(given, ',')) {
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
      return invalid_value(option, given, "it takes letters from q,k,v,o,f, or nothing for q,k,v,o");
    }
  }
  return {};
}

Result<void> read_colors(std::string_view option, const std::string& given, Session& session) {
  for (const std::string_view name : split_text(given, ',')) {
    const auto sequential = std::ranges::find(names_of<SequentialMap>, name);
    const auto diverging = std::ranges::find(names_of<DivergingMap>, name);
    const bool is_sequential = sequential != names_of<SequentialMap>.end();
    const bool is_diverging = diverging != names_of<DivergingMap>.end();
    if (!is_sequential && !is_diverging) {
      return invalid_value(option, given,
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

/// Sets the ends of the fixed range. Returns false if one of them is beyond its limits or if they are not in
/// order.
bool set_range(double low, double high, Session& session) {
  constexpr auto low_end = std::get<field::Bound>(setting("picture.fixed_low").field);
  constexpr auto high_end = std::get<field::Bound>(setting("picture.fixed_high").field);
  if (!low_end.accepts(low, session)) return false;
  session.picture.fixed_low = low;
  session.picture.fixed_high = high;
  return high_end.accepts(high, session);
}

Result<void> read_one_range(std::string_view option, const std::string& given, std::string_view part,
                            Session& session) {
  PictureOptions& picture = session.picture;
  const auto ends = split_text(part, ':');
  if (ends.size() == 2) {
    const auto low = parse_double(ends[0]);
    const auto high = parse_double(ends[1]);
    if (!low || !high || !set_range(*low, *high, session)) {
      return invalid_value(option, given, "LOW:HIGH takes two numbers, the lower one first");
    }
    picture.range = RangeMode::fixed;
    return {};
  }
  const auto mode = choice<RangeMode>(option, part);
  if (!mode || *mode == RangeMode::fixed) {
    return invalid_value(option, given, "it takes usual, map, row, all_heads or LOW:HIGH");
  }
  picture.range = *mode;
  return {};
}

Result<void> read_range(std::string_view option, const std::string& given, Session& session) {
  for (const std::string_view part : split_text(given, ',')) {
    if (auto ok = read_one_range(option, given, part, session); !ok) return ok;
  }
  return {};
}

Result<void> read_one_transfer(std::string_view option, const std::string& given, std::string_view part,
                               PictureOptions& picture) {
  constexpr std::string_view gamma_prefix = "gamma:";
  if (part.starts_with(gamma_prefix)) {
    const auto gamma = parse_double(part.substr(gamma_prefix.size()));
    const bool fits = gamma && to_float(*gamma) >= min_gamma && *gamma <= max_gamma;
    if (!fits) {
      return invalid_value(
          option, given,
          "gamma:G takes a number from " + exact_text(min_gamma) + " to " + exact_text(max_gamma));
    }
    picture.transfer = Transfer::gamma;
    picture.gamma = to_float(*gamma);
    return {};
  }
  return choice<Transfer>(option, part).map([&](Transfer transfer) { picture.transfer = transfer; });
}

Result<void> read_transfer(std::string_view option, const std::string& given, Session& session) {
  for (const std::string_view part : split_text(given, ',')) {
    if (auto ok = read_one_transfer(option, given, part, session.picture); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<void> parse_setting(const Setting& setting, const std::string& given, Session& session) {
  const auto* flag = std::get_if<field::Flag>(&setting.field);
  if (flag != nullptr) {
    flag->value.write(session) = (given != flag_off) == flag->given;
    return {};
  }
  const auto* notation = std::get_if<field::Notation>(&setting.field);
  if (notation != nullptr) {
    return notation->write(session, given).map_error([&](const Error& error) {
      return Error{error.kind, std::string(setting.option) + ": " + error.message};
    });
  }
  return set_from_text(setting, setting.option, given, session);
}

Result<void> set_from_text(const Setting& setting, std::string_view option, const std::string& given,
                           Session& session) {
  const auto refused = assign_value(setting, parse_value(setting, given), session);
  if (!refused) return {};
  std::vector<std::string_view> names;
  if (const auto* choice = std::get_if<field::Choice>(&setting.field))
    names.assign(choice->names.begin(), choice->names.end());
  if (const auto* named = std::get_if<field::NamedFlag>(&setting.field)) names = {named->off, named->on};
  if (std::holds_alternative<field::Flag>(setting.field)) names = {"on", "off"};
  if (!refused->item.empty())
    return invalid_value(
        option, given,
        "its item " + refused->item + " is " + refused->found + ", but must be " + refused->expected);
  if (names.empty()) return invalid_value(option, given, "it takes " + refused->expected);
  return parse_choice_index(option, given, names).map([](std::size_t) {});
}

Result<void> parse_shared_option(const SharedOption& option, const std::string& given, Session& session) {
  if (option.option == "--no-bias") return read_without_bias(option.option, given, session);
  if (option.option == "--colors") return read_colors(option.option, given, session);
  if (option.option == "--range") return read_range(option.option, given, session);
  if (option.option == "--transfer") return read_transfer(option.option, given, session);
  return {};  // masks
}

}  // namespace headscope
