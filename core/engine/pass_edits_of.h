#pragma once

#include <vector>

#include "core/model/given_numbers.h"
#include "core/model/pass_edits.h"
#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/trace/trace.h"

namespace headscope {

/// A pass that interventions are put into, before it is computed.
struct EditedPass {
  const Architecture& architecture;
  const std::vector<Token>& tokens;         ///< of the first stack
  const std::vector<Token>& target_tokens;  ///< of the decoder, where there are two stacks
  std::size_t max_bytes = 0;                ///< of the weights taken from the donor
};

/// Interventions with their numbers. `donor` is the pass that some take theirs from, token for token as
/// counterpart_tokens() matches them; null: there is none. Rows and weights beyond the tokens of the pass are
/// left out. Errors: numbers of a pass that is not there, of a stage that it does not have or that is of
/// another width, or a token that has no counterpart.
Result<PassEdits> pass_edits_of(const Interventions& interventions, const EditedPass& pass,
                                const Trace* donor);

/// Adds the stages among given numbers, which fit into the pass.
void add_given_stages(const GivenNumbers& given, PassEdits& edits);

}  // namespace headscope
