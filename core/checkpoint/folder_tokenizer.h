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

/// Opens the tokenizer. It adds special tokens to texts as the model expects them. `size` is the number of
/// rows of the model's table; as many ids get a piece. If a folder's tokenizer cannot be opened, its texts
/// are read as ids. `decoder_start` is the id with which the decoder's texts begin, as in T5, if there is a
/// decoder beside an encoder.
FolderTokenizer open_folder_tokenizer(const std::filesystem::path& folder, int size,
                                      std::optional<int> decoder_start);

}  // namespace headscope
