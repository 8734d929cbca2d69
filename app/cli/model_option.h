#pragma once

#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"
#include "core/session/session.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// An option, and whether it was given.
struct GivenOption {
  std::string_view name;
  bool given;
};

/// The options of a model's shape and seed that do not apply to weights from a file; all but --heads, which
/// splits the weights of an attention module.
std::vector<GivenOption> architecture_options_of(const CommandOptions& options);

/// The name or folder of the trained weights that a command takes: what --model names, or without it the
/// model that the window opens with, unless an option sets an architecture, a preset or a tokenizer. Nothing:
/// random weights.
CommandOptions::Text trained_model_of(const CommandOptions& options);

/// “59 words and 27 special ones such as [pad]”: those that mean themselves, and those with a meaning by
/// their name. In parameters and ids both count.
std::string vocabulary_words(const Vocabulary& vocabulary);

/// “headscope copying”, “headscope my-model”: takes the window's model from the arguments that are no
/// options, where the first of them is one.
void take_model(CommandOptions& options, std::vector<std::string>& arguments);

/// The session with that model. A usage error if --model is combined with an architecture option, or if there
/// is no such model.
Result<Session> with_model(const CommandOptions& options, const std::string& model, const Session& session,
                           const Sources& sources);

}  // namespace headscope
