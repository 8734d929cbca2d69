#pragma once

#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/resource_loader.h"
#include "core/engine/module_trace.h"
#include "core/result.h"
#include "core/session/action.h"
#include "core/session/session.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// The options for the shape and seed of a model, which do not apply to weights from a file. --heads is not
/// among them because it splits the weights of an attention module.
std::vector<std::string_view> options_fixed_by_weights();

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

/// The action that opens that model. Refuses --model combined with an architecture option, and a model
/// that does not exist.
OpenModel model_to_open(const CommandOptions& options, const std::string& model,
                        const ResourceLoader& loader);

/// Whether options describe the user's own attention: --query, --key, --value, or --weights.
bool has_own_attention(const CommandOptions& options);

/// Fails if options describe a module although none is given.
void check_own_attention(const CommandOptions& options);

/// The session that consists of this attention alone (core/engine/module_trace.h). Fails if options also
/// name a model, if files cannot be read, or if shapes do not match.
Session with_own_attention(const CommandOptions& options, Session session);

/// The format that --format names. Empty if the names in the file decide it.
std::optional<ModuleFormat> module_format_of(const CommandOptions& options);

/// Reads the files of --input, --key-input and --value-input. --input must be given.
ModuleInputs read_module_inputs(const CommandOptions& options);

}  // namespace headscope
