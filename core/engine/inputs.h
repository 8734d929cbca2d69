#pragma once

#include <memory>
#include <vector>

#include "core/engine/engine.h"
#include "core/model/pass.h"
#include "core/trace/unembedding.h"

namespace headscope {

/// What is read before a pass can be computed.
struct ReadInputs {
  std::vector<Token> tokens;         ///< of the first stack
  std::vector<Token> target_tokens;  ///< of the decoder, where there are two stacks
  int tokens_in_sentence = 0;        ///< of the longer of both, before it was cut
  BatchPlace batch;
};

/// Tokens of a request: of the sentence or the batch's sequence, filled up to the batch's length with
/// padding. Errors: a sentence without words; with TooLong::refuse, or where nothing fits, one that does not
/// fit into the memory; ids beyond the table of the seeds/1 tokenizer. Here and below `texts` are
/// texts_of() the request.
Result<ReadInputs> read_inputs(const Request& request, const Texts& texts, TooLong too_long);

/// The options, where words of these tokens that end a document say where the next one begins.
AttentionOptions with_documents(AttentionOptions options, const ReadInputs& inputs);

/// Masks for these tokens, combined, and biases by distance. `options` are with_documents() of the request's.
Result<PassMasks> combined_masks(const Request& request, const AttentionOptions& options, const Model& model,
                                 const ReadInputs& inputs);

/// The words that the sentences hold, each once, in order, and the weights that predict them; padding is no
/// word. Null without a final linear layer.
std::shared_ptr<const Unembedding> unembedding_of(const Request& request, const Model& model,
                                                  const ReadInputs& inputs, const Texts& texts,
                                                  TaskPool& pool);

/// The stack's embeddings, positions from `first_position` on, and their sum.
void fill_input(const Model& model, const std::vector<Token>& tokens, StackBuffers& stack, TaskPool& pool,
                int first_position = 0);

}  // namespace headscope
