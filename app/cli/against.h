#pragma once

#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"

namespace headscope {

/// Removes every --against and the options after it from the words of a command line, and reads them as the
/// options of one subject each. Options that do not describe a subject, such as --out, stay in `words`, on
/// whichever side of --against they stand. A usage error names an option that lacks its value or is given
/// twice.
Result<std::vector<CommandOptions>> take_against(std::vector<std::string>& words);

/// Expands a sentence that contains a choice into the sentences that it stands for, as typing it in the
/// window does. The last one stays; those before it become subjects to compare with. The page that compares
/// them is shown unless another page is named.
void expand_choices(CommandOptions& options);

/// Returns the subject of `session` with the changes that these options describe. A preset or a model starts
/// afresh. Fails as session_of() does.
Result<Subject> subject_against(const CommandOptions& options, const Session& session,
                                const Sources& sources);

/// Returns `session` with all subjects of `against` held.
Result<Session> with_held(const std::vector<CommandOptions>& against, Session session,
                          const Sources& sources);

}  // namespace headscope
