#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/session/settings.h"

namespace headscope {

/// An error whose message begins with these words.
inline tl::unexpected<Error> after(const std::string& words, const Error& error) {
  return tl::unexpected(Error{error.kind, words + error.message});
}

/// The options as typed, by their names. Their values are strings, so that option_values.h reports all
/// invalid ones alike.
struct CommandOptions {
  using Text = std::optional<std::string>;

  /// The options that were given. A setting's option that takes no argument has an empty value.
  std::map<std::string_view, std::vector<std::string>> values;
  std::map<std::string_view, bool> switches;  ///< the options without a value that are no settings
  Text scene;  ///< the scene, or the figure made by this program, that the other options change
  /// The argument of textbook, lesson, capture and search: the name of an example, a lesson or a program, or
  /// a file.
  Text named;
  /// The options after each --against, which describe the subject to compare with.
  std::vector<CommandOptions> against;

  bool has(std::string_view option) const { return values.contains(option); }
  bool has(const Setting& setting) const { return has(setting.option); }
  bool is_on(std::string_view option) const;
  /// The last value given for an option; empty if it was not given.
  Text text(std::string_view option) const;
  Text text(const Setting& setting) const { return text(setting.option); }
  /// All values of an option that may be repeated.
  const std::vector<std::string>& texts(std::string_view option) const;
  /// The first of these options that was given; empty if none was.
  std::string_view first_of(const std::vector<std::string_view>& options) const;
};

/// Keys for two options whose names mean something else in another command.
inline constexpr const char* film_steps_key = "--steps of a film";
inline constexpr const char* token_format_key = "--format of tokens";

/// The value that reverses a flag, as in --no-scale=false.
inline constexpr const char* flag_off = "false";

/// The settings that locate a stage. Every command that computes a pass has options for them.
inline constexpr std::array stage_settings{&setting("selection.stage"), &setting("selection.head"),
                                           &setting("selection.layer"), &setting("selection.stack"),
                                           &setting("selection.attention")};

/// The group of options that only the window has.
inline constexpr const char* window_group = "Window";

}  // namespace headscope
