#pragma once

#include <memory>

#include "core/io/gguf.h"
#include "core/result.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// Makes the tokenizer in the metadata of a GGUF file, which need not be kept. tokenizer.ggml.model names its
/// algorithm: llama (the BPE of sentencepiece), gpt2 (byte-level BPE, before which texts are split as
/// tokenizer.ggml.pre says) or bert (WordPiece, in lower case as in llama.cpp). Control tokens are also found
/// in a text, as by the tokenizers of Hugging Face. It is an error if there is no tokenizer, if its lists do
/// not fit together, or if it is of another kind, which the message names.
Result<std::shared_ptr<const ModelTokenizer>> gguf_tokenizer(const Gguf& file);

}  // namespace headscope
