#pragma once

#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"

namespace headscope {

/// Takes every --against and what follows it out of the words of a command line, and reads it as options of a
/// subject. What describes none, such as --out, is left in `words`, whichever side it stands on. A usage
/// error names an option that lacks its value or is given twice.
Result<std::vector<CommandOptions>> take_against(std::vector<std::string>& words);

/// Makes of a sentence with a choice in it the sentences that it stands for: the last stays, those before it
/// become subjects to compare with, and the page that compares them is shown unless another is named. As
/// typing it does.
void expand_choices(CommandOptions& options);

/// The subject that such options describe: `session`'s own, changed as they say. A preset or a model begins
/// anew from there. Errors as those of session_of().
Result<Subject> subject_against(const CommandOptions& options, const Session& session,
                                const Sources& sources);

/// `session` with all of them held.
Result<Session> with_held(const std::vector<CommandOptions>& against, Session session,
                          const Sources& sources);

}  // namespace headscope
