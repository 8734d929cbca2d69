#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "core/engine/request.h"
#include "core/result.h"
#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// The commands that need no display. Each of them checks all of its options before it computes anything, and
/// writes its results to `out`.
Result<void> run_render(const CommandOptions& options, std::ostream& out);
/// Writes a film of a page, step by step or word by word; progress goes to standard error.
Result<void> run_film(const CommandOptions& options, std::ostream& out);
/// Writes an exercise for paper and, beside it, its solution.
Result<void> run_worksheet(const CommandOptions& options, std::ostream& out);
Result<void> run_trace(const CommandOptions& options, std::ostream& out);
Result<void> run_explain(const CommandOptions& options, std::ostream& out);
Result<void> run_info(const CommandOptions& options, std::ostream& out);
/// Trains a model and writes its folder; progress goes to standard error.
Result<void> run_train(const CommandOptions& options, std::ostream& out);
/// Lists, prints or checks the worked examples of textbooks.
Result<void> run_textbook(const CommandOptions& options, std::ostream& out);
/// Lists lessons, prints one or checks them.
Result<void> run_lesson(const CommandOptions& options, std::ostream& out);
/// Searches sentences for what a head looks at.
Result<void> run_search(const CommandOptions& options, std::ostream& out);
/// Lists the options of figures, with the keys of the settings that they change.
Result<void> run_options(const CommandOptions& options, std::ostream& out);
/// Prints a program that writes captured attention, or lists all such programs.
Result<void> run_capture(const CommandOptions& options, std::ostream& out);
/// Writes on from a sentence, word by word.
Result<void> run_write(const CommandOptions& options, std::ostream& out);
Result<void> run_tokenize(const CommandOptions& options, std::ostream& out);

/// Removes the name of an example or a lesson from the arguments that are not options.
void take_name(CommandOptions& options, std::vector<std::string>& arguments);
/// Whether the window opens on the example or lesson that is named: it is neither checked nor printed, and
/// there is a display.
bool opens_in_window(const CommandOptions& options);

/// Computes the pass of a session with all of its tokens. A sentence that is too long is an error. Only at
/// the context limit of another program's model is it cut instead, which is reported on standard error.
Result<std::shared_ptr<const Trace>> computed_trace(const Session& session);
/// Computes the passes of all subjects of a session, beginning with the one that is edited.
Result<std::vector<std::shared_ptr<const Trace>>> computed_passes(const Session& session);

/// The most tokens that a text may have for the command line to compute its pass within a short wait. Up to
/// 8,192 tokens are always computed if they fit into the memory of a pass. Longer texts are computed only if
/// attention compares their tokens within about a second.
int most_tokens_on_command_line(const Request& request);

/// Fails if a text of the request has more tokens than that.
Result<void> check_length(const Request& request);

}  // namespace headscope
