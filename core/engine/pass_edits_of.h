#pragma once

#include <vector>

#include "core/engine/mean_rows.h"
#include "core/model/given_numbers.h"
#include "core/model/pass_edits.h"
#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/trace/trace.h"

namespace headscope {

/// A pass that has yet to be computed, to which interventions are added.
struct EditedPass {
  const Architecture& architecture;
  const std::vector<Token>& tokens;         ///< The tokens of the first stack.
  const std::vector<Token>& target_tokens;  ///< The tokens of the decoder, if there are two stacks.
  std::size_t max_bytes = 0;                ///< The limit for the weights that are taken from the donor.
};

/// The interventions with their numbers. `donor` is the pass from which some of them take numbers, with
/// tokens matched by counterpart_tokens(). It is null if there is none. `means` has every stage of whose rows
/// a patch takes the mean. Rows and weights beyond the tokens of the pass are left out. It is an error if
/// numbers come from a pass that does not exist, from a stage that the donor does not have or that has
/// another width, from a token without a counterpart, or from a position that no text of the mean has.
Result<PassEdits> pass_edits_of(const Interventions& interventions, const EditedPass& pass,
                                const Trace* donor, const MeanRows& means);

/// Adds the given numbers that are stages, which must fit into the pass.
void add_given_stages(const GivenNumbers& given, PassEdits& edits);

}  // namespace headscope
