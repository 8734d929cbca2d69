#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// The tokenizer that came with a model.
struct FolderTokenizer {
  std::shared_ptr<const Tokenizer> of_source;  ///< null where there is none
  std::shared_ptr<const Tokenizer> of_target;  ///< of a decoder beside an encoder; null elsewhere
  std::vector<std::string> pieces;             ///< as people read them, by id
  int pad = 0;                                 ///< the id of padding
  int end = -1;                                ///< the id of what ends a text; −1: there is none
  std::string mask_text;                       ///< what stands for a word to be filled in; empty: nothing
  std::string problem;                         ///< why there is none
};

/// What a model makes of its tokenizer, or without one: its texts are then read by ids. Special tokens are
/// added to texts as the model wants them. `size`: the rows of the model's table, as many of which get a
/// piece. `decoder_start`: the id that the decoder's texts begin with, as in T5, where there is a decoder
/// beside an encoder. `tells_pairs`: whether the second text of a pair is of a segment of its own.
FolderTokenizer folder_tokenizer(const Result<std::shared_ptr<const ModelTokenizer>>& own, int size,
                                 std::optional<int> decoder_start, bool tells_pairs);

}  // namespace headscope
