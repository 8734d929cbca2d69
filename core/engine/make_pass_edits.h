#pragma once

#include <vector>

#include "core/engine/mean_rows.h"
#include "core/model/given_numbers.h"
#include "core/model/pass_edits.h"
#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/trace/trace.h"

namespace headscope {

/// A pass to be computed with interventions.
struct EditedPass {
  const Architecture& architecture;
  const std::vector<Token>& tokens;         ///< The tokens of the first stack.
  const std::vector<Token>& target_tokens;  ///< The tokens of the decoder, if there are two stacks.
  std::size_t max_bytes = 0;                ///< The limit for weights from the donor.
};

/// The interventions with their numbers. `donor` is the pass that some of them take numbers from, with tokens
/// matched by counterpart_tokens(), or null. `means` has every stage whose mean a patch uses. Drops rows and
/// weights beyond the tokens of the pass. Errors: there is no donor; it lacks the stage, or has it in another
/// width; a token has no counterpart; no text of the mean has the position.
Result<PassEdits> make_pass_edits(const Interventions& interventions, const EditedPass& pass,
                                  const Trace* donor, const MeanRows& means);

/// Adds the given numbers that are stages, which must fit into the pass.
void add_given_stages(const GivenNumbers& given, PassEdits& edits);

}  // namespace headscope
