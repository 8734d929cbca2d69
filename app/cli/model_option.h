#pragma once

#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/resource_loader.h"
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

/// The name or folder of a command's trained weights: the value of --model, or by default the model that the
/// window opens with. Empty for random weights: --model untrained, or no --model but an option for an
/// architecture, a preset or a tokenizer.
CommandOptions::Text trained_model_name(const CommandOptions& options);

/// Counts the words of a vocabulary: “59 words and 27 special ones such as [pad]”. Special words have a
/// meaning by their name. Counts of parameters and ids include both kinds.
std::string describe_vocabulary(const Vocabulary& vocabulary);

/// If the first positional argument names a model (“headscope copying”, “headscope my-model”), consumes it
/// and opens the window with it.
void consume_model(CommandOptions& options, std::vector<std::string>& arguments);

/// The action that opens that model. Usage errors: --model combined with an architecture option, and a model
/// that does not exist.
Result<OpenModel> model_to_open(const CommandOptions& options, const std::string& model,
                                const ResourceLoader& loader);

}  // namespace headscope
