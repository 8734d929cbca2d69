#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// The tokenizer in the folder of a model.
struct FolderTokenizer {
  std::shared_ptr<const Tokenizer> of_source;  ///< Null if the folder has none.
  std::shared_ptr<const Tokenizer> of_target;  ///< For a decoder beside an encoder; otherwise null.
  std::vector<std::string> pieces;             ///< The pieces by id, in the form in which people read them.
  int pad = 0;                                 ///< The id of padding.
  /// Why the tokenizer in the folder cannot be opened. Empty if it can, or if there is none.
  std::string problem;
};

/// Opens it; special tokens are added to texts as the model wants them. `size`: the rows of the model's
/// table, as many of which get a piece. A folder whose tokenizer cannot be opened is read by ids.
/// `decoder_start`: the id that the decoder's texts begin with, as in T5, where there is a decoder beside an
/// encoder. `tells_pairs`: whether the second text of a pair is of a segment of its own.
FolderTokenizer open_folder_tokenizer(const std::filesystem::path& folder, int size,
                                      std::optional<int> decoder_start, bool tells_pairs);

}  // namespace headscope
