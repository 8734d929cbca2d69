#pragma once

#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/resource_loader.h"

namespace headscope {

/// Extracts each --against and the subject options that follow it from `words`. Options that do not describe
/// a subject, such as --out, stay in `words` wherever they stand. Usage errors: an option without its value,
/// or one given twice.
Result<std::vector<CommandOptions>> consume_against(std::vector<std::string>& words);

/// Expands a sentence with a choice, “too {tired|wide}”, as the window does: the last variant stays, and the
/// others become subjects to compare with. Selects the page Compare unless another one is named.
void expand_choices(CommandOptions& options);

/// The subject of `session` as changed by these options. A preset or a model replaces it. Errors: those of
/// session_of().
Result<Subject> subject_against(const CommandOptions& options, const Session& session,
                                const ResourceLoader& loader);

/// Returns `session` with the subjects of `against` to compare with.
Result<Session> with_compared(const std::vector<CommandOptions>& against, Session session,
                              const ResourceLoader& loader);

}  // namespace headscope
