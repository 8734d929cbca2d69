#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/session/session.h"

namespace headscope {

/// A shell command that shows a session in a figure.
struct SessionCommand {
  std::string text;  ///< “headscope render --sentence … --head 2 --out figure.png”
  /// What its options cannot express, such as “the trained weights”. Empty if they reproduce the session.
  std::vector<std::string> left_out;
};

/// The command with only the options that differ from the defaults, quoted for a shell and separated by
/// `between`. Settings without an option of their own, and those that other options would change, are given
/// as --set KEY=VALUE.
SessionCommand command_of(const Session& session, const std::string& out, std::string_view between = " ");

}  // namespace headscope
