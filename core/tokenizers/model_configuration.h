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

/// What the files beside a tokenizer say of it: tokenizer_config.json, special_tokens_map.json,
/// added_tokens.json, config.json, generation_config.json.
struct ModelConfiguration {
  /// The kind of model in small letters and digits, of the tokenizer's class or else of the model's type:
  /// "bert", "xlmroberta"; empty where neither is named.
  std::string family;
  std::string family_as_written;
  /// Tokens by their role: "bos", "unk" and so on.
  std::map<std::string, AddedToken> tokens;
  /// Ids by their role.
  std::map<std::string, int> ids;
  /// Tokens that stand in the files with their ids, in the order of these.
  std::vector<AddedToken> added;
  std::vector<AddedToken> additional;  ///< further special tokens, without ids
  std::map<std::string, bool> flags;   ///< true and false of tokenizer_config.json
  std::optional<int> extra_ids;

  bool flag(const std::string& name, bool otherwise) const {
    const auto found = flags.find(name);
    return found == flags.end() ? otherwise : found->second;
  }
  /// The token of a role, or a special one of that text.
  AddedToken token(const std::string& role, const std::string& otherwise) const;
};

/// The ids of a role's tokens, by the names that the files have for them.
struct SpecialRole {
  const char* name;
  std::optional<int> SpecialIds::*id;
};
inline constexpr SpecialRole special_roles[] = {{"bos", &SpecialIds::bos}, {"eos", &SpecialIds::eos},
                                                {"cls", &SpecialIds::cls}, {"sep", &SpecialIds::sep},
                                                {"pad", &SpecialIds::pad}, {"mask", &SpecialIds::mask},
                                                {"unk", &SpecialIds::unk}};

/// Reads those of the files that are in a folder. Errors name the file.
Result<ModelConfiguration> read_model_configuration(const std::filesystem::path& folder);

}  // namespace headscope
