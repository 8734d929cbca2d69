#include "app/cli/set_option.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "app/cli/command_options.h"
#include "app/cli/option_values.h"
#include "app/cli/textbook_command.h"
#include "core/exact_text.h"
#include "core/io/matrix_text.h"
#include "core/io/npy.h"
#include "core/model/stage.h"
#include "core/session/placed.h"
#include "core/session/repair.h"
#include "core/session/setting_change.h"
#include "core/session/setting_value.h"
#include "core/session/settings.h"
#include "core/split_text.h"
#include "core/system/read_file.h"
#include "core/tasks/task.h"
#include "core/text/number_text.h"
#include "core/to_float.h"
#include "core/trace/given_stage.h"

namespace headscope {
namespace {

void read_without_bias(std::string_view option, const std::string& given, std::string_view letter,
                       Biases& bias) {
  constexpr std::pair<std::string_view, bool Biases::*> letters[]{{"q", &Biases::query},
                                                                  {"k", &Biases::key},
                                                                  {"v", &Biases::value},
                                                                  {"o", &Biases::output},
                                                                  {"f", &Biases::feed_forward}};
  const auto* const found =
      std::ranges::find_if(letters, [&](const auto& each) { return each.first == letter; });
  if (given.empty()) {
    bias = {false, false, false, false, bias.feed_forward};
  } else if (letter == "none") {
    bias = {};
  } else if (found != std::end(letters)) {
    bias.*found->second = false;
  } else {
    refuse(invalid_value(option, given, "it takes letters from q,k,v,o,f, or nothing for q,k,v,o"));
  }
}

void read_colors(std::string_view option, const std::string& given, std::string_view name,
                 PictureOptions& picture) {
  const auto sequential = enum_from_name<SequentialMap>(name);
  const auto diverging = enum_from_name<DivergingMap>(name);
  if (!sequential && !diverging)
    refuse(invalid_value(option, given,
                         "it takes headscope, viridis, cividis, grays, blue_orange or purple_green"));
  picture.sequential = sequential.value_or(picture.sequential);
  picture.diverging = diverging.value_or(picture.diverging);
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

void read_range(std::string_view option, const std::string& given, std::string_view part, Session& session) {
  PictureOptions& picture = session.picture;
  const auto ends = split_text(part, ':');
  if (ends.size() == 2) {
    const auto low = parse_double(ends[0]);
    const auto high = parse_double(ends[1]);
    if (!low || !high || !set_range(*low, *high, session)) {
      refuse(invalid_value(option, given, "LOW:HIGH takes two numbers, the lower one first"));
    }
    picture.range = RangeMode::fixed;
    return;
  }
  const auto mode = enum_from_name<RangeMode>(part);
  if (!mode || *mode == RangeMode::fixed) {
    refuse(invalid_value(option, given, "it takes usual, map, row, all_heads or LOW:HIGH"));
  }
  picture.range = *mode;
}

void read_transfer(std::string_view option, const std::string& given, std::string_view part,
                   PictureOptions& picture) {
  constexpr std::string_view gamma_prefix = "gamma:";
  if (part.starts_with(gamma_prefix)) {
    const auto gamma = parse_double(part.substr(gamma_prefix.size()));
    const bool fits = gamma && to_float(*gamma) >= min_gamma && *gamma <= max_gamma;
    if (!fits) {
      refuse(invalid_value(
          option, given,
          "gamma:G takes a number from " + exact_text(min_gamma) + " to " + exact_text(max_gamma)));
    }
    picture.transfer = Transfer::gamma;
    picture.gamma = to_float(*gamma);
    return;
  }
  picture.transfer = choice<Transfer>(option, part).value();
}

/// Sets a setting from text written as by value_text(). The error calls it the value of `option`.
void set_from_text(const Setting& setting, std::string_view option, const std::string& given,
                   Session& session) {
  const auto refused = assign_value(setting, parse_value(setting, given), session);
  if (!refused) return;
  std::vector<std::string_view> names;
  if (const auto* choice = std::get_if<field::Choice>(&setting.field))
    names.assign(choice->names.begin(), choice->names.end());
  if (const auto* named = std::get_if<field::NamedFlag>(&setting.field)) names = {named->off, named->on};
  if (std::holds_alternative<field::Flag>(setting.field)) names = {"on", "off"};
  if (!refused->item.empty())
    refuse(invalid_value(
        option, given,
        "its item " + refused->item + " is " + refused->found + ", but must be " + refused->expected));
  if (names.empty()) refuse(invalid_value(option, given, "it takes " + refused->expected));
  parse_choice_index(option, given, names).value();
}

}  // namespace

void parse_setting(const Setting& setting, const std::string& given, Session& session) {
  const auto* flag = std::get_if<field::Flag>(&setting.field);
  if (flag != nullptr) {
    flag->value.write(session) = (given != flag_off) == flag->given;
    return;
  }
  const auto* notation = std::get_if<field::Notation>(&setting.field);
  if (notation != nullptr) {
    const auto taken = result_of([&] { notation->write(session, given); });
    if (!taken) refuse(after(std::string(setting.option) + ": ", taken.error()));
    return;
  }
  set_from_text(setting, setting.option, given, session);
}

void parse_shared_option(const SharedOption& shared, const std::string& given, Session& session) {
  const std::string_view option = shared.option;
  for (const std::string_view part : split_text(given, ',')) {
    if (option == "--no-bias") read_without_bias(option, given, part, session.architecture.bias);
    if (option == "--colors") read_colors(option, given, part, session.picture);
    if (option == "--range") read_range(option, given, part, session);
    if (option == "--transfer") read_transfer(option, given, part, session.picture);
  }
}

namespace {

constexpr std::string_view option = setting("given").option;
constexpr std::string_view nothing = "none";

/// Fails if numbers cannot be given for a path, and suggests paths and keys of settings.
void check_path(const std::string& path, const Session& session) {
  const std::vector<std::string> paths = assignable_paths(session);
  if (std::ranges::find(paths, path) != paths.end()) return;
  Session alone = session;
  alone.given = with_given({}, {path, std::make_shared<const OwnedMatrix>(1, 1)});
  const Result<void> refused = check_given(alone);
  std::string message = std::string(option) + ": " + (refused ? path : refused.error().message);
  constexpr std::size_t few_enough = 4000;
  std::vector<std::string> names = paths.size() <= few_enough ? paths : std::vector<std::string>();
  for (const Setting& each : all_settings) names.emplace_back(each.key);
  std::vector<std::string> near = near_matches(path, names);
  constexpr std::size_t most = 4;
  if (near.size() > most) near.resize(most);
  if (!near.empty()) message += "; did you mean " + joined_with_or({near.begin(), near.end()}) + "?";
  refuse(usage_error(message));
}

Result<OwnedMatrix> matrix_of(const NpyArray& array, const std::string& file) {
  const std::size_t n_axes = array.shape.size();
  if (n_axes == 0 || n_axes > 2) {
    return failure("'" + file + "' has " + count_text(static_cast<long long>(n_axes), "axis") +
                   ": a matrix has two, rows and columns");
  }
  OwnedMatrix matrix(n_axes == 1 ? 1 : array.shape.front(), array.shape.back());
  matrix.values = array.values;
  return matrix;
}

/// Checks that all numbers are finite, even scores: only masks hide cells, visibly everywhere.
Result<OwnedMatrix> checked_numbers(OwnedMatrix numbers) {
  if (numbers.values.empty()) return usage_error("there are no numbers in it");
  for (int row = 0; row < numbers.rows; ++row) {
    for (int col = 0; col < numbers.cols; ++col) {
      if (std::isfinite(numbers.at(row, col))) continue;
      return usage_error("the number in row " + std::to_string(row) + ", column " + std::to_string(col) +
                         " is not finite; to hide a score, use a mask");
    }
  }
  return numbers;
}

/// Reads the text after the equals sign.
Result<OwnedMatrix> numbers_of(const std::string& text, const ResourceLoader& loader) {
  if (text.starts_with("@")) return loader.numbers(text.substr(1)).and_then(checked_numbers);
  return parse_matrix(text)
      .map_error([](const Error& error) {
        return Error{Error::Kind::usage, error.message};
      })
      .and_then(checked_numbers);
}

/// The setting that a word gives a value. Null if it gives numbers by hand.
const Setting* setting_of(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals == std::string::npos ? nullptr : find_setting(std::string_view(word).substr(0, equals));
}

/// Whether a value is applied after all other options, instead of before them.
bool is_of_selection(const Setting& setting) {
  return setting.key.starts_with("selection.") || setting.key.starts_with("cover.") ||
         setting.key == "difference";
}

/// Fails for names that the program does not know.
void check_is_known(const Setting& setting, const Session& session) {
  if (setting.key == "task" && !session.task.empty() && !parse_task_name(session.task)) {
    const std::vector<std::string_view> names = task_names();
    refuse(invalid_value(std::string(option) + " task", session.task, "choose " + joined_with_or(names)));
  }
  if (setting.key == "textbook" && !session.textbook.empty())
    check_example(std::string(option) + " textbook", session.textbook);
}

/// Fails for settings whose values are not in the word.
void check_is_typed(const Setting& setting) {
  const auto refused = [&](const char* cure) {
    refuse(usage_error(std::string(option) + " " + std::string(setting.key) + " cannot be typed: " + cure));
  };
  if (std::holds_alternative<field::Weights>(setting.field)) refused("use --model");
  if (std::holds_alternative<field::MaskFiles>(setting.field)) refused("use --mask FILE.npy");
  if (std::holds_alternative<field::Given>(setting.field)) refused("use --set PATH=NUMBERS");
}

void read_one(const std::string& word, const ResourceLoader& loader, Session& session) {
  if (setting_of(word) != nullptr) return;
  if (word == nothing) {
    session.given = {};
    return;
  }
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    refuse(invalid_value(
        option, word,
        "it takes PATH=NUMBERS, such as encoder.layers.0.self.heads.0.W_Q=\"1 0; 0 1\", PATH=@FILE, none, or KEY=VALUE, such as attention.temperature=0.5"));
  }
  const std::vector<std::string> paths = paths_of_given(session.architecture, word.substr(0, equals));
  for (const std::string& path : paths) check_path(path, session);
  auto numbers = numbers_of(word.substr(equals + 1), loader);
  if (!numbers) refuse(after(std::string(option) + " " + paths.front() + ": ", numbers.error()));
  const auto shared = std::make_shared<const OwnedMatrix>(std::move(*numbers));
  for (const std::string& path : paths) session.given = with_given(std::move(session.given), {path, shared});
}

/// Applies the values for settings of the selection, or those for all others.
Session apply_setting_values(const std::vector<std::string>& words, bool of_selection, Session session) {
  if (words.empty()) return session;
  const Architecture before = session.architecture;
  std::vector<const Setting*> given;
  // Indices depend on the tokens and sizes of earlier settings.
  for (const Setting& each : all_settings) {
    if (is_of_selection(each) != of_selection) continue;
    const auto word = std::find_if(words.rbegin(), words.rend(),
                                   [&](const std::string& one) { return setting_of(one) == &each; });
    if (word == words.rend()) continue;
    given.push_back(&each);
    check_is_typed(each);
    set_from_text(each, std::string(option) + " " + std::string(each.key), word->substr(each.key.size() + 1),
                  session);
    check_is_known(each, session);
  }
  if (given.empty()) return session;
  if (session.model && !(session.architecture == before))
    refuse(usage_error(std::string(option) +
                       " does not fit the trained weights: add --model untrained for random ones"));
  auto ok = validate(session.architecture);
  if (ok) ok = check_interventions(session);
  if (!ok) refuse(usage_error(std::string(option) + ": " + ok.error().message));
  Session fitting = repaired(session, session);
  for (const Setting* each : given) {
    if (same_setting(*each, fitting, session)) continue;
    refuse(invalid_value(std::string(option) + " " + std::string(each->key), value_text(*each, session),
                         "this model and sentence take " + value_text(*each, fitting)));
  }
  return fitting;
}

}  // namespace

void check_set_options(const CommandOptions& options, bool is_against) {
  for (const std::string& word : options.texts(option)) {
    const Setting* const given = setting_of(word);
    if (given == nullptr) continue;
    const std::string name = std::string(option) + " " + std::string(given->key);
    if (!given->option.empty() && shared_option(*given) == nullptr && options.has(*given))
      refuse(usage_error(name + " and " + std::string(given->option) + " name the same: keep one of them"));
    if (is_against && !is_per_subject(*given))
      refuse(usage_error(name + " belongs to the whole figure: put it before --against"));
  }
}

Session apply_selection_values(const std::vector<std::string>& words, Session session) {
  return apply_setting_values(words, true, std::move(session));
}

bool sets_selection(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    const Setting* const given = setting_of(word);
    return given != nullptr && is_of_selection(*given);
  });
}

Session apply_set_options(const std::vector<std::string>& words, const ResourceLoader& loader,
                          Session session) {
  Session changed = apply_setting_values(words, false, std::move(session));
  for (const std::string& word : words) read_one(word, loader, changed);
  if (auto ok = check_given(changed); !ok) refuse(after(std::string(option) + ": ", ok.error()));
  return changed;
}

std::vector<std::string> set_option_values(const GivenNumbers& given) {
  std::vector<std::string> words;
  words.reserve(given.all.size());
  for (const GivenMatrix& each : given.all) {
    std::string word = each.path + "=";
    for (int row = 0; row < each.numbers->rows; ++row) {
      if (row > 0) word += "; ";
      for (int col = 0; col < each.numbers->cols; ++col)
        word += (col > 0 ? " " : "") + exact_text(each.numbers->at(row, col));
    }
    words.push_back(std::move(word));
  }
  return words;
}

Result<OwnedMatrix> read_number_file(const std::string& file) {
  if (std::filesystem::path(file).extension() == ".npy") {
    return read_npy(file).and_then([&](const NpyArray& array) { return matrix_of(array, file); });
  }
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  return parse_matrix(*text).map_error([&](const Error& error) {
    return Error{error.kind, "'" + file + "': " + error.message};
  });
}

}  // namespace headscope
