#pragma once

#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"
#include "core/session/action.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// An option, and whether it was given.
struct GivenOption {
  std::string_view name;
  bool given;
};

/// The options for the shape and seed of a model, which do not apply to weights from a file. --heads is not
/// among them because it splits the weights of an attention module.
std::vector<GivenOption> architecture_options_of(const CommandOptions& options);

/// The name or folder of the trained weights for a command: what --model names, or without it the model that
/// the window opens with. Empty for random weights: if --model names untrained, or if an option without
/// --model sets an architecture, a preset or a tokenizer.
CommandOptions::Text trained_model_of(const CommandOptions& options);

/// Counts the words of a vocabulary: “59 words and 27 special ones such as [pad]”. Special words have a
/// meaning by their name. Counts of parameters and ids include both kinds.
std::string vocabulary_words(const Vocabulary& vocabulary);

/// If the first of the arguments that are not options names a model (“headscope copying”, “headscope
/// my-model”), removes it from the arguments and opens the window with it.
void take_model(CommandOptions& options, std::vector<std::string>& arguments);

/// The action that opens that model. A usage error if --model is combined with an architecture option or if
/// there is no such model.
Result<OpenModel> model_to_open(const CommandOptions& options, const std::string& model,
                                const Sources& sources);

}  // namespace headscope
