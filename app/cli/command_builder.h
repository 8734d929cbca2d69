#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"

namespace headscope {

/// What two sessions do not share, each named once, with the reason where no command can say it. `base`: what
/// the subject is compared with, as in CommandBuilder.
std::vector<std::string> differences(const Session& wanted, const Session& told,
                                     const Session* base = nullptr);

/// The options of a command that makes a session again, as far as they are found.
class CommandBuilder {
 public:
  /// For a session; or for `session` as a subject to compare with `base`. Both must outlive this.
  explicit CommandBuilder(const Session& session, const Session* base = nullptr);

  /// Nothing of the base stays.
  void begin_anew();
  /// Adds what differs, step by step, because what the options of one step say may change what later ones
  /// mean: sentences need their stacks, masks count tokens, and marks are in a place.
  void add_all();
  /// Whether the options describe a session at all.
  bool is_readable() const { return read().has_value(); }
  /// Whether they describe just this one.
  bool says_all() const;
  /// The whole command, without what is about the file.
  std::string text() const;
  /// " --sentence … --head 2"
  std::string options() const;
  /// " --sentence 'one two'"
  static std::string option_words(std::string_view option, const std::string& value);

 private:
  Result<Session> read() const;
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
