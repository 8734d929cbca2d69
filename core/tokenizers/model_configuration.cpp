#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/io/json_text.h"
#include "core/system/read_file.h"
#include "core/tokenizers/json_fields.h"
#include "core/tokenizers/tokenizer_files.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

std::string family_of(std::string name) {
  for (const std::string_view ending : {"Fast", "Tokenizer"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  std::string plain;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) plain += static_cast<char>(std::tolower(letter));
  }
  return plain;
}

/// A token is a string, or an object with its content.
std::optional<AddedToken> token_of(const Json& value, const std::string& place, Budget& budget) {
  if (value.is_string()) return special_token(value.get<std::string>());
  if (!value.is_object()) return std::nullopt;
  AddedToken token;
  const TokenizerFields fields(value, place, budget);
  token.content = fields.text("content");
  token.is_single_word = fields.flag("single_word", false);
  token.strips_left = fields.flag("lstrip", false);
  token.strips_right = fields.flag("rstrip", false);
  token.is_normalized = fields.flag("normalized", false);
  token.is_special = fields.flag("special", true);
  return token;
}

void read_tokens(const TokenizerFields& file, ModelConfiguration& to) {
  for (const SpecialRole& role : special_roles) {
    const std::string key = std::string(role.first) + "_token";
    const Json* const value = file.find(key);
    if (value == nullptr) continue;
    if (auto token = token_of(*value, key, file.budget()))
      to.tokens.insert_or_assign(role.first, std::move(*token));
  }
  const Json* const more = file.find("additional_special_tokens");
  if (more == nullptr || !more->is_array()) return;
  to.additional.clear();
  for (const Json& value : *more) {
    if (auto token = token_of(value, "additional_special_tokens", file.budget())) {
      to.additional.push_back(std::move(*token));
    }
  }
}

void read_tokenizer_config(const TokenizerFields& file, ModelConfiguration& to) {
  read_tokens(file, to);
  const std::string family = file.text("tokenizer_class", "");
  if (!family.empty() && family != "PreTrainedTokenizerFast" && family != "PreTrainedTokenizer") {
    to.family = family_of(family);
    to.family_as_written = family;
  }
  for (const std::string_view name :
       {"do_lower_case", "strip_accents", "tokenize_chinese_chars", "add_prefix_space", "add_bos_token",
        "add_eos_token", "legacy", "split_by_punct"}) {
    if (const Json* const value = file.find(name); value != nullptr && value->is_boolean()) {
      to.flags[std::string(name)] = value->get<bool>();
    }
  }
  if (file.has("extra_ids")) to.extra_ids = file.number("extra_ids");
  if (!file.has("added_tokens_decoder")) return;
  for (const auto& [id, value] : file.dictionary("added_tokens_decoder").items()) {
    auto token = token_of(value, "added_tokens_decoder." + id, file.budget());
    const bool is_number =
        !id.empty() && id.size() < 9 && id.find_first_not_of("0123456789") == std::string::npos;
    if (!token || !is_number)
      file.fail_field("added_tokens_decoder." + id.substr(0, 100), "is not an id with its token");
    token->id = std::stoi(id);
    to.added.push_back(std::move(*token));
  }
}

void read_added_tokens(const TokenizerFields& file, ModelConfiguration& to) {
  for (const auto& [content, id] : file.value().items()) {
    const auto number = TokenizerFields::whole_number(id);
    if (!number)
      refuse(failure("the id of '" + content.substr(0, 100) + "' is not a whole number, 0 or more"));
    file.budget().check_time();
    if (has_token(to.added, content)) continue;
    AddedToken token;
    token.content = content;
    token.id = number;
    to.added.push_back(std::move(token));
  }
}

/// Reads the ids in a model's configuration. If a role has several, the first one wins.
void read_model_ids(const TokenizerFields& file, ModelConfiguration& to) {
  for (const SpecialRole& role : special_roles) {
    const Json* value = file.find(std::string(role.first) + "_token_id");
    if (value != nullptr && value->is_array() && !value->empty()) value = &value->front();
    if (value == nullptr) continue;
    if (const auto id = TokenizerFields::whole_number(*value)) to.ids.try_emplace(role.first, *id);
  }
}

void read_config(const TokenizerFields& file, ModelConfiguration& to) {
  read_model_ids(file, to);
  const Json* const type = file.find("model_type");
  if (to.family.empty() && type != nullptr && type->is_string()) {
    to.family_as_written = type->get<std::string>();
    to.family = family_of(to.family_as_written);
  }
}

using ReadFields = void (*)(const TokenizerFields& file, ModelConfiguration& to);

/// The files in reading order. Earlier ones take precedence.
constexpr std::array<std::pair<const char*, ReadFields>, 5> configuration_files{
    {{"special_tokens_map.json", read_tokens},
     {"tokenizer_config.json", read_tokenizer_config},
     {"added_tokens.json", read_added_tokens},
     {"generation_config.json", read_model_ids},
     {"config.json", read_config}}};

}  // namespace

AddedToken ModelConfiguration::token(const std::string& role, const std::string& fallback) const {
  const auto found = tokens.find(role);
  return found != tokens.end() ? found->second : special_token(fallback);
}

ModelConfiguration read_model_configuration(const std::filesystem::path& folder) {
  ModelConfiguration result;
  for (const auto& row : configuration_files) {
    const std::filesystem::path path = folder / row.first;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    const std::string text = read_file(path).value();
    const std::string problem = "cannot read '" + path.string() + "'";
    const auto json = result_of(problem + ": ", [&] { return parse_json(text).value(); }).value();
    ensure(read_fields(json, text.size(), problem, problem + ": ",
                       [&](const auto& fields) { row.second(fields, result); }));
  }
  std::stable_sort(result.added.begin(), result.added.end(),
                   [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  return result;
}

}  // namespace headscope
