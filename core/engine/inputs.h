#pragma once

#include <memory>
#include <vector>

#include "core/engine/engine.h"
#include "core/model/pass.h"
#include "core/trace/unembedding.h"

namespace headscope {

/// What is read before a pass can be computed.
struct ReadInputs {
  std::vector<Token> tokens;         ///< The tokens of the first stack.
  std::vector<Token> target_tokens;  ///< The tokens of the decoder, if there are two stacks.
  int tokens_in_sentence = 0;        ///< The number of tokens of the longer text, before it was cut.
  BatchPlace batch;
};

/// Reads the tokens of a request: of the sentence, or of the batch's sequence, padded to the batch's length.
/// It is an error if a sentence has no words; if a sentence does not fit into the memory, with
/// TooLong::refuse or if nothing fits; or if an id is beyond the table of the seeds/1 tokenizer. Here and
/// below, `texts` are texts_of() the request.
Result<ReadInputs> read_inputs(const Request& request, const Texts& texts, TooLong too_long);

/// Returns the options with a document beginning after each token that ends one.
AttentionOptions with_documents(AttentionOptions options, const ReadInputs& inputs);

/// The combined masks for these tokens, and the biases by distance. `options` come from with_documents().
Result<PassMasks> combined_masks(const Request& request, const AttentionOptions& options, const Model& model,
                                 const ReadInputs& inputs);

/// The masks and biases of the last stack for one row after those of a pass, if only rules make the masks.
PassMasks masks_after_pass(const Trace& trace, int row);

/// The distinct words of the sentences, in order and without padding, and the weights that predict them. Null
/// without a final linear layer.
std::shared_ptr<const Unembedding> unembedding_of(const Request& request, const Model& model,
                                                  const ReadInputs& inputs, const Texts& texts);

/// Fills what is looked up for the tokens of a stack: their embeddings, positions and segments.
void look_up(const Model& model, const std::vector<Token>& tokens, Stack stack, PassBuffers& buffers,
             TaskPool& pool);

}  // namespace headscope
