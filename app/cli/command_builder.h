#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"

namespace headscope {

/// The names of the settings in which two sessions differ, each once, followed by the reason if no command
/// can express it. `base` is the session that the subject is compared with, as in CommandBuilder.
std::vector<std::string> differences(const Session& wanted, const Session& told,
                                     const Session* base = nullptr);

/// Collects the options of a command that makes a session again, as far as options can express it.
class CommandBuilder {
 public:
  /// Prepares the options for `session`, or for `session` as a subject to compare with `base`. Both must
  /// outlive this object.
  explicit CommandBuilder(const Session& session, const Session* base = nullptr);

  /// Starts from a preset or model instead of from the base, so that nothing of the base remains.
  void begin_anew();
  /// Adds the options for all differences, step by step, because the options of one step may change what
  /// later options mean: sentences need their stacks, masks count tokens, and marks belong to a place.
  void add_all();
  /// The session that the options describe. It is an error if the program would refuse them.
  Result<Session> read() const;
  /// Whether the options describe exactly this session.
  bool says_all() const;
  /// The whole command, without the options for the file.
  std::string text() const;
  const CommandOptions& given() const { return options_; }
  /// Sources of what the options name, without reading any file.
  const Sources& sources() const { return sources_; }
  /// The options alone: " --sentence … --head 2".
  std::string options() const;
  /// One option with its value: " --sentence 'one two'".
  static std::string option_words(std::string_view option, const std::string& value);

 private:
  bool add_step(std::string_view step, const Session& told);
  bool add(const Setting& added);
  std::vector<std::string> values_of(std::string_view option, const Setting& setting);
  std::vector<std::string> masks_of(std::string_view option);
  std::string model_word() const;

  const Session& session_;
  const Session* base_;
  Sources sources_;
  CommandOptions options_;
};

}  // namespace headscope
