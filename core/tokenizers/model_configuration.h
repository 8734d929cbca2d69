#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/added_tokens.h"
#include "core/tokenizers/model_tokenizer.h"

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

/// A role of special tokens: its name in files and its member of SpecialIds.
struct SpecialRole {
  const char* name;
  std::optional<int> SpecialIds::*id;
};
inline constexpr SpecialRole special_roles[] = {{"bos", &SpecialIds::bos}, {"eos", &SpecialIds::eos},
                                                {"cls", &SpecialIds::cls}, {"sep", &SpecialIds::sep},
                                                {"pad", &SpecialIds::pad}, {"mask", &SpecialIds::mask},
                                                {"unk", &SpecialIds::unk}};

/// Reads those of the files that exist. Errors name the file.
Result<ModelConfiguration> read_model_configuration(const std::filesystem::path& folder);

}  // namespace headscope
