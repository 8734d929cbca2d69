#pragma once

#include <memory>
#include <vector>

#include "core/engine/engine.h"
#include "core/model/pass.h"
#include "core/trace/trace.h"

namespace headscope {

/// The token inputs of a pass.
struct ReadInputs {
  std::vector<Token> tokens;         ///< The tokens of the first stack.
  std::vector<Token> target_tokens;  ///< The tokens of the decoder, if there are two stacks.
  int n_sentence_tokens = 0;         ///< The number of tokens of the longer text before truncation.
  BatchPosition batch;
};

/// Returns the tokens of a request: of the sentence, or of the batch's sequence, padded to the batch's
/// length. Throws for: a sentence without words; one that does not fit into memory, with TooLong::refuse or
/// if nothing fits; an id beyond the table of the seeds/1 tokenizer. Here and below, `texts` are texts_of()
/// the request.
ReadInputs read_inputs(const Request& request, const Texts& texts, TooLong too_long);

/// Returns the options with a new document after each separator token.
AttentionOptions with_documents(AttentionOptions options, const ReadInputs& inputs);

/// The combined masks for these tokens, and the biases by distance. `options` come from with_documents().
/// Throws if a mask of a file does not fit.
PassMasks combined_masks(AttentionOptions options, const Model& model, const ReadInputs& inputs);

/// The masks and biases of the last stack for one row after those of a pass, whose masks must follow from
/// rules.
PassMasks masks_after_pass(const Trace& trace, int row);

/// The final linear layer over the distinct words of the sentences, in order and without padding. Null if the
/// model has none.
std::shared_ptr<const Unembedding> unembedding_of(const Request& request, const Model& model,
                                                  const ReadInputs& inputs, const Texts& texts);

/// Looks up the embeddings, positions and segments of a stack's tokens.
void look_up(const Model& model, const std::vector<Token>& tokens, Stack stack, PassBuffers& buffers,
             ThreadPool& pool);

}  // namespace headscope
