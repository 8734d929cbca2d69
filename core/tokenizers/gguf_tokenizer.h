#pragma once

#include <memory>
#include <string>

#include "core/io/gguf.h"
#include "core/result.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// Makes the tokenizer in the metadata of a GGUF file, which need not outlive it. tokenizer.ggml.model is the
/// algorithm: llama (sentencepiece BPE), gpt2 (byte-level BPE after the pre-tokenizer tokenizer.ggml.pre),
/// bert (lower-case WordPiece as in llama.cpp) or t5 (Unigram). Matches control tokens in texts, like Hugging
/// Face's tokenizers. Fails if there is no tokenizer, its arrays are inconsistent, or its kind is not
/// supported.
Result<std::shared_ptr<const ModelTokenizer>> gguf_tokenizer(const Gguf& file);

/// Why the tokenizer may give other tokens than the model's own: the file does not name its way to split
/// texts. A sentence without a full stop. Empty if there is no doubt.
std::string tokenizer_warning(const Gguf& file);

}  // namespace headscope
