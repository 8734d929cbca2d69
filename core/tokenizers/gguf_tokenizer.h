#pragma once

#include <memory>

#include "core/io/gguf.h"
#include "core/result.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// Makes the tokenizer that the metadata of a GGUF file describes. The file need not outlive it.
/// tokenizer.ggml.model names the algorithm: llama (the BPE of sentencepiece), gpt2 (byte-level BPE after the
/// splitting that tokenizer.ggml.pre names) or bert (WordPiece, in lower case as in llama.cpp). Control
/// tokens are also found in texts, as in Hugging Face's tokenizers. It is an error if there is no tokenizer,
/// if its lists are inconsistent, or if it is of another kind, which the message names.
Result<std::shared_ptr<const ModelTokenizer>> gguf_tokenizer(const Gguf& file);

}  // namespace headscope
