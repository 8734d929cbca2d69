#pragma once

#include <iosfwd>
#include <memory>
#include <vector>

#include "app/cli/command_options.h"
#include "core/result.h"
#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// The commands that need no display. Each checks all of its options before it computes anything, and writes
/// its results to `out`.
Result<void> run_render(const CommandOptions& options, std::ostream& out);
/// An exercise for paper and, beside it, its solution.
Result<void> run_worksheet(const CommandOptions& options, std::ostream& out);
Result<void> run_trace(const CommandOptions& options, std::ostream& out);
/// `trace` with the weights of your own attention module.
Result<void> run_module_trace(const CommandOptions& options);
Result<void> run_explain(const CommandOptions& options, std::ostream& out);
Result<void> run_info(const CommandOptions& options, std::ostream& out);
/// Trains a model and writes its folder; progress goes to standard error.
Result<void> run_train(const CommandOptions& options, std::ostream& out);
/// Lists, prints or checks the worked examples of textbooks.
Result<void> run_textbook(const CommandOptions& options, std::ostream& out);
Result<void> run_tokenize(const CommandOptions& options, std::ostream& out);

/// The pass of a session, with every token of it: a sentence that is too long is an error, not cut.
Result<std::shared_ptr<const Trace>> computed_trace(const Session& session);
/// The passes of all its subjects, of the one that is edited first.
Result<std::vector<std::shared_ptr<const Trace>>> computed_passes(const Session& session);

}  // namespace headscope
