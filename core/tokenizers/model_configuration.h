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

/// What the files next to a tokenizer say about it: tokenizer_config.json, special_tokens_map.json,
/// added_tokens.json, config.json, generation_config.json.
struct ModelConfiguration {
  /// The kind of model in lower-case letters and digits, from the tokenizer's class or, failing that, the
  /// model's type: "bert", "xlmroberta". Empty if neither is named.
  std::string family;
  std::string family_as_written;
  /// The tokens by role: "bos", "unk" and so on.
  std::map<std::string, AddedToken> tokens;
  /// The ids by role.
  std::map<std::string, int> ids;
  /// The tokens that the files list with ids, sorted by id.
  std::vector<AddedToken> added;
  std::vector<AddedToken> additional;  ///< Further special tokens, without ids.
  std::map<std::string, bool> flags;   ///< The boolean values of tokenizer_config.json.
  std::optional<int> extra_ids;

  bool flag(const std::string& name, bool otherwise) const {
    const auto found = flags.find(name);
    return found == flags.end() ? otherwise : found->second;
  }
  /// The token with a role. If there is none, a special token with the text `otherwise`.
  AddedToken token(const std::string& role, const std::string& otherwise) const;
};

/// A role of special tokens: its name in the files and its member of SpecialIds.
struct SpecialRole {
  const char* name;
  std::optional<int> SpecialIds::*id;
};
inline constexpr SpecialRole special_roles[] = {{"bos", &SpecialIds::bos}, {"eos", &SpecialIds::eos},
                                                {"cls", &SpecialIds::cls}, {"sep", &SpecialIds::sep},
                                                {"pad", &SpecialIds::pad}, {"mask", &SpecialIds::mask},
                                                {"unk", &SpecialIds::unk}};

/// Reads whichever of these files the folder contains. Errors name the file.
Result<ModelConfiguration> read_model_configuration(const std::filesystem::path& folder);

}  // namespace headscope
