#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/added_tokens.h"
#include "core/tokenizers/model_tokenizer.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// The configuration of a tokenizer, from tokenizer_config.json, special_tokens_map.json, added_tokens.json,
/// config.json and generation_config.json.
struct ModelConfiguration {
  /// The model family in lower-case letters and digits, from the tokenizer class or else the model type:
  /// "bert", "xlmroberta". May be empty.
  std::string family;
  std::string family_as_written;
  /// Tokens by role: "bos", "unk" …
  std::map<std::string, AddedToken> tokens;
  /// Ids by role.
  std::map<std::string, int> ids;
  /// Added tokens with ids, sorted by id.
  std::vector<AddedToken> added;
  std::vector<AddedToken> additional;  ///< Further special tokens without ids
  std::map<std::string, bool> flags;   ///< Boolean values of tokenizer_config.json
  std::optional<int> extra_ids;

  bool flag(const std::string& name, bool fallback) const {
    const auto found = flags.find(name);
    return found == flags.end() ? fallback : found->second;
  }
  /// The token with a role, by default a special token with the text `fallback`.
  AddedToken token(const std::string& role, const std::string& fallback) const;
};

/// The special tokens that a tokenizer puts around texts.
enum class SpecialLayout {
  none,     ///< as the files say
  bos,      ///< <s> A
  roberta,  ///< <s> A </s>
  bert,     ///< [CLS] A [SEP]
  llama,    ///< <s> A, or as the configuration says
  t5,       ///< A </s>
  fairseq   ///< <s> A </s>, and the first four ids are <s> <pad> </s> <unk>
};

/// Model families with the same tokenizer.
struct TokenizerFamily {
  std::string_view names;  ///< separated by blanks; the first one may be empty
  SpecialLayout layout = SpecialLayout::none;
  std::string_view bos = "<s>";
  bool is_qwen = false;

  bool has(const ModelConfiguration& configuration) const;
};
/// The family of a configuration. Throws an Error that says which `files` it does not use in a known way.
const TokenizerFamily& family_in(std::span<const TokenizerFamily> families,
                                 const ModelConfiguration& configuration, const std::string& files);

/// A role of special tokens: its name in files and its member of SpecialIds.
using SpecialRole = std::pair<const char*, std::optional<int> SpecialIds::*>;
inline constexpr SpecialRole special_roles[] = {{"bos", &SpecialIds::bos}, {"eos", &SpecialIds::eos},
                                                {"cls", &SpecialIds::cls}, {"sep", &SpecialIds::sep},
                                                {"pad", &SpecialIds::pad}, {"mask", &SpecialIds::mask},
                                                {"unk", &SpecialIds::unk}};

/// Reads those of the files that exist. Throws an Error, which names the file.
ModelConfiguration read_model_configuration(const std::filesystem::path& folder);

/// Byte-level BPE from vocab.json and merges.txt, like Hugging Face's fast tokenizers, for the families gpt2
/// (the default), roberta, deberta, opt and qwen2 and their relatives. The merges may begin with "#version
/// …". Throws an Error that gives the position, or the unsupported family.
TokenizerParts parse_vocabulary_and_merges(std::string_view vocabulary, std::string_view merges,
                                           const ModelConfiguration& configuration);

/// WordPiece from vocab.txt with a piece per line, for bert (the default) and its relatives. Accepts CRLF and
/// a byte order mark. Throws as above.
TokenizerParts parse_vocabulary_lines(std::string_view lines, const ModelConfiguration& configuration);

/// The same from a list of pieces.
TokenizerParts word_piece_parts(std::vector<std::string> pieces, const ModelConfiguration& configuration);

/// The ids of special tokens: by the tokens in the configuration, by the own unknown piece, or by the ids in
/// the configuration.
SpecialIds special_ids_of(const TokenizerParts& parts, const ModelConfiguration& configuration);

/// Parses a tokenizer.json like version 0.22 of Hugging Face's tokenizers, ignoring truncation and padding.
/// As in that library, an added token that is not in the vocabulary gets the next id above all others,
/// whatever id the file gives. Errors (with the path in the file): missing or invalid fields, unknown
/// normalizers, pre-tokenizers, models, post-processors or decoders, and dropout.
Result<TokenizerParts> parse_tokenizer_json(std::string_view text);

/// The pattern of the pre-tokenizer "Whitespace".
const Regex& words_pattern();

/// Parses tiktoken ranks: a piece per line, with its bytes in base64 and its rank, which is its id. The first
/// of these names in `hint` (ignoring case) determines the split pattern and the special tokens: qwen, llama,
/// o200k, cl100k (the default), p50k, r50k, gpt2. Qwen normalizes to NFC, and Llama 3 prepends
/// <|begin_of_text|>. Errors give the line.
Result<TokenizerParts> parse_tiktoken(std::string_view text, std::string_view hint);

/// Whether a text begins like a tiktoken file.
bool looks_like_tiktoken(std::string_view text);

}  // namespace headscope
