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

/// The commands that need no display. Each validates all options before it computes anything, and writes its
/// results to `out`. Errors are thrown, as refuse() does.
void run_render(const CommandOptions& options, std::ostream& out);
/// Writes a film of a page, step by step or word by word; progress goes to standard error.
void run_film(const CommandOptions& options, std::ostream& out);
/// Writes an exercise for paper and, beside it, its solution.
void run_worksheet(const CommandOptions& options, std::ostream& out);
void run_trace(const CommandOptions& options, std::ostream& out);
void run_explain(const CommandOptions& options, std::ostream& out);
void run_info(const CommandOptions& options, std::ostream& out);
/// Trains a model and writes its folder; progress goes to standard error.
void run_train(const CommandOptions& options, std::ostream& out);
/// Lists, prints or checks the worked examples of textbooks.
void run_textbook(const CommandOptions& options, std::ostream& out);
/// Lists lessons, prints one or checks them.
void run_lesson(const CommandOptions& options, std::ostream& out);
/// Searches sentences by what a head attends to.
void run_search(const CommandOptions& options, std::ostream& out);
/// Lists the options of figures, with the keys of the settings that they change.
void run_options(const CommandOptions& options, std::ostream& out);
/// Prints a program that writes captured attention, or lists all such programs.
void run_capture(const CommandOptions& options, std::ostream& out);
/// Continues a sentence word by word.
void run_write(const CommandOptions& options, std::ostream& out);
void run_tokenize(const CommandOptions& options, std::ostream& out);

/// Consumes the name of an example or a lesson from the positional arguments.
void consume_name(CommandOptions& options, std::vector<std::string>& arguments);
/// Whether to open the named example or lesson in the window: neither --check nor --print is given, and there
/// is a display.
bool opens_in_window(const CommandOptions& options);

/// Computes the pass of a session. A sentence that is too long is an error, but a foreign model truncates it
/// at its context limit, with a note on standard error.
Result<std::shared_ptr<const Trace>> compute_trace(const Session& session);
/// Computes the passes of all subjects of a session, the edited one first.
Result<std::vector<std::shared_ptr<const Trace>>> compute_passes(const Session& session);

/// The maximum number of tokens that the command line accepts: 8,192 if their pass fits into memory, or more
/// if attention takes at most about a second.
int max_command_line_tokens(const Request& request);

/// Fails if a text of the request exceeds that limit.
Result<void> check_length(const Request& request);

}  // namespace headscope
