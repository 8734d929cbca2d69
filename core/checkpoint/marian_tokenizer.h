#pragma once

#include <filesystem>
#include <memory>

#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// Whether a folder has the files of Marian's tokenizers.
bool has_marian_tokenizer(const std::filesystem::path& folder);

/// The tokenizer of Marian's sources (source.spm) or targets (target.spm): a sentencepiece model for each
/// language, whose pieces have the ids that vocab.json gives to both, and </s> behind each text. Errors name
/// the file.
Result<std::shared_ptr<const ModelTokenizer>> open_marian_tokenizer(const std::filesystem::path& folder,
                                                                    const char* model_name);

}  // namespace headscope
