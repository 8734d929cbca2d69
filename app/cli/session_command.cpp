#include "app/cli/session_command.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "app/cli/command_options.h"
#include "app/cli/figure_session.h"
#include "app/cli/resource_loader.h"
#include "app/cli/set_option.h"
#include "app/cli/shell_words.h"
#include "core/model/trained_model.h"
#include "core/session/setting_value.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr std::string_view set_option = setting("given").option;

/// Whether a text can be an argument: without a zero byte, and within the length that systems allow.
bool can_be_argument(const std::string& text) {
  constexpr std::size_t longest = 100'000;
  return text.find('\0') == std::string::npos && text.size() <= longest;
}

/// The options that add files to masks.
constexpr std::array<std::pair<std::string_view, MaskSpec AttentionOptions::*>, 3> mask_options{
    {{"--mask", &AttentionOptions::mask},
     {"--target-mask", &AttentionOptions::target_mask},
     {"--cross-mask", &AttentionOptions::cross_mask}}};

/// The value of a setting's option. Empty if the setting has no option that takes its value alone.
std::optional<std::string> option_value(const Setting& each, const Session& session) {
  const Field& field = each.field;
  const bool is_list = std::holds_alternative<field::Texts>(field) ||
                       std::holds_alternative<field::Tokens>(field) ||
                       std::holds_alternative<field::Cells>(field);
  const bool is_elsewhere = is_stored_by_name(each) || std::holds_alternative<field::Given>(field);
  if (each.option.empty() || shared_option(each) != nullptr || is_list || is_elsewhere) return std::nullopt;
  if (const auto* flag = std::get_if<field::Flag>(&field))
    return flag->value.read(session) == flag->given ? "" : flag_off;
  return value_text(each, session);
}

/// Reads the session that options describe.
using ReadOptions = std::function<Result<Session>(const CommandOptions&)>;

/// The numbers by hand as values of --set. Numbers that an earlier option gives are removed first.
std::vector<std::string> set_values(const Session& session, const Session& described) {
  std::vector<std::string> values = set_option_values(session.given);
  if (!described.given.empty()) values.insert(values.begin(), "none");
  return values;
}

/// An option of a setting's own, or one that adds mask files, with its values.
using DifferingOption = std::pair<std::string_view, std::vector<std::string>>;

/// Adds an option to those of a session. The axes of all mask files follow the order of their options.
CommandOptions with_option(const Session& session, CommandOptions options, const DifferingOption& own) {
  options.values[own.first] = own.second;
  std::string axes;
  for (const auto& [option, mask] : mask_options) {
    if (!options.has(option)) continue;
    for (const auto& file : (session.attention.*mask).loaded) axes += (axes.empty() ? "" : ",") + file->axes;
  }
  if (!axes.empty()) options.values["--mask-axes"] = {axes};
  return options;
}

/// The settings with options of their own in which a session differs from what options describe.
std::vector<DifferingOption> differing_options(const Session& session, const Session& described) {
  std::vector<DifferingOption> all;
  for (const Setting& each : all_settings) {
    if (same_setting(each, described, session)) continue;
    auto value = option_value(each, session);
    if (value && can_be_argument(*value)) all.emplace_back(each.option, std::vector{std::move(*value)});
  }
  for (const auto& [option, mask] : mask_options) {
    const auto& loaded = (session.attention.*mask).loaded;
    if (loaded == (described.attention.*mask).loaded) continue;
    DifferingOption& files = all.emplace_back(option, std::vector<std::string>());
    if (loaded.empty()) files.second = {"none"};
    for (const auto& file : loaded) files.second.push_back(file->name);
  }
  return all;
}

/// Adds options until they describe the session. Returns the names of what they still leave out.
std::vector<std::string> describe(const Session& session, const ReadOptions& read, CommandOptions& options) {
  auto described = read(options);
  if (!described) return {described.error().message};
  const std::vector<DifferingOption> own = differing_options(session, *described);
  CommandOptions with_own = options;
  for (const DifferingOption& each : own) with_own = with_option(session, std::move(with_own), each);
  if (read(with_own)) {
    options = std::move(with_own);
  } else {
    // Some options conflict with or need others. Reading takes long for long texts.
    int n_reads = 0;
    constexpr int max_reads = 400;
    for (bool was_added = true; std::exchange(was_added, false);) {
      for (const DifferingOption& each : own) {
        if (options.has(each.first) || ++n_reads > max_reads) continue;
        with_own = with_option(session, options, each);
        if (!read(with_own)) continue;
        options = with_own;
        was_added = true;
      }
    }
  }
  described = read(options);
  // Options may change the meaning of others, so set whatever still differs by its key.
  CommandOptions with_values = options;
  std::vector<std::string> values = with_values.texts(set_option);
  for (const Setting& each : all_settings) {
    if (same_setting(each, *described, session)) continue;
    if (std::holds_alternative<field::Given>(each.field)) {
      for (std::string& value : set_values(session, *described))
        if (can_be_argument(value)) values.push_back(std::move(value));
    } else if (!is_stored_by_name(each)) {
      if (option_value(each, session)) with_values.values.erase(each.option);
      std::string value = value_text(each, session);
      if (can_be_argument(value)) values.push_back(std::string(each.key) + "=" + value);
    }
  }
  if (!values.empty()) {
    with_values.values[set_option] = std::move(values);
    auto described_by_values = read(with_values);
    if (!described_by_values) return {described_by_values.error().message};
    options = with_values;
    described = std::move(described_by_values);
  }
  std::vector<std::string> left_out;
  for (const Setting& each : all_settings) {
    const std::string name(each.name);
    if (!same_setting(each, *described, session) && std::ranges::find(left_out, name) == left_out.end())
      left_out.push_back(name);
  }
  return left_out;
}

/// One option with its value: "--sentence 'one two'". A value that begins with a dash could be taken for an
/// option.
std::string option_words(std::string_view option, const std::string& value) {
  const char* separator = value.starts_with("-") ? "=" : " ";
  return std::string(option) + separator + shell_quoted(value);
}

/// All options, each after `between`.
std::string words_of(const CommandOptions& options, std::string_view between) {
  std::string text;
  std::string_view before;
  for (const Setting& each : all_settings) {
    if (each.option == before || !options.has(each)) continue;
    before = each.option;
    const bool is_flag = std::holds_alternative<field::Flag>(each.field) && shared_option(each) == nullptr;
    for (const std::string& value : options.texts(each.option))
      text += std::string(between) + (is_flag ? std::string(each.option) + (value.empty() ? "" : "=" + value)
                                              : option_words(each.option, value));
  }
  if (options.has("--mask-axes"))
    text += std::string(between) + option_words("--mask-axes", *options.text("--mask-axes"));
  return text;
}

std::string model_word(const Session& session) {
  return session.model && !session.model->name.empty() ? session.model->name : "untrained";
}

}  // namespace

SessionCommand command_of(const Session& session, const std::string& out, std::string_view between) {
  const ResourceLoader loader = session_loader(session);
  CommandOptions options;
  options.values["--model"] = {model_word(session)};
  // Without a page, render draws the large map alone.
  if (session.view == PageName::explore) options.values["--page"] = {"explore"};
  const ReadOptions read = [&](const CommandOptions& each) { return figure_session(each, loader); };
  SessionCommand command;
  Session alone = session;
  alone.compared.clear();
  command.left_out = describe(alone, read, options);
  command.text =
      "headscope render" + words_of(options, between) + std::string(between) + option_words("--out", out);
  const auto described = read(options);
  for (const Subject& compared : session.compared) {
    if (!described) break;
    const Session base = with_subject(*described, described->subject());
    CommandOptions changes;
    if (!(compared.model == session.model))
      changes.values["--model"] = {model_word(with_subject(session, compared))};
    const ReadOptions against = [&](const CommandOptions& each) {
      return result_of([&] { return with_subject(base, subject_against(each, base, loader)); });
    };
    for (const std::string& name : describe(with_subject(base, compared), against, changes))
      command.left_out.push_back("of a held subject, " + name);
    command.text += std::string(between) + "--against" + words_of(changes, between);
  }
  return command;
}

}  // namespace headscope
