#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/tokenizers/model_tokenizer.h"
#include "core/tokenizers/tokenizer_files.h"

namespace headscope {

using Json = nlohmann::json;
using SharedTokenizer = std::shared_ptr<const ModelTokenizer>;

/// A tokenizer.json with nothing but a model.
inline Json file_with(Json model) {
  return {{"version", "1.0"}, {"added_tokens", Json::array()}, {"model", std::move(model)}};
}

/// A model with exactly these pieces, which splits nothing.
inline Json whole_words(const std::vector<std::string>& pieces) {
  Json vocabulary = Json::object();
  for (const std::string& piece : pieces) vocabulary[piece] = vocabulary.size();
  vocabulary["[UNK]"] = vocabulary.size();
  return {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "[UNK]"}};
}

inline Json added_token(const std::string& content, const Json& changes = Json::object()) {
  Json token{{"id", 0},         {"content", content},  {"single_word", false}, {"lstrip", false},
             {"rstrip", false}, {"normalized", false}, {"special", false}};
  token.update(changes);
  return token;
}

/// Null, and a test failure, if the tokenizer cannot be made.
inline SharedTokenizer make_tokenizer(const Json& file) {
  auto parts = parse_tokenizer_json(file.dump());
  if (!parts) {
    ADD_FAILURE() << parts.error().message;
    return nullptr;
  }
  return std::make_shared<const ModelTokenizer>(std::move(*parts));
}

/// Why a file is rejected. Empty, and a test failure, if it is not.
inline std::string parse_error_of(const Json& file) {
  const auto parts = parse_tokenizer_json(file.dump());
  if (!parts) return parts.error().message;
  ADD_FAILURE() << "it is read: " << file.dump();
  return "";
}

inline std::vector<int> ids_of(const SharedTokenizer& tokenizer, std::string_view text,
                               bool add_special = true) {
  if (!tokenizer) return {};
  const auto ids = tokenizer->ids(text, add_special);
  if (!ids) ADD_FAILURE() << ids.error().message;
  return ids ? *ids : std::vector<int>();
}

/// The tokens [first, last) of each word. Special tokens are words of their own.
inline std::vector<std::pair<std::size_t, std::size_t>> words_of(const std::vector<ModelToken>& tokens) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && tokens[i].continues_word && !tokens[i].is_special && !tokens[i - 1].is_special) {
      words.back().second = i + 1;
    } else {
      words.emplace_back(i, i + 1);
    }
  }
  return words;
}

/// The words into which a text is split, each as its part of the text.
inline std::vector<std::string> words_in(const Json& pre_tokenizer, const std::string& text) {
  Json file = file_with(whole_words({}));
  file["pre_tokenizer"] = pre_tokenizer;
  const SharedTokenizer tokenizer = make_tokenizer(file);
  std::vector<std::string> words;
  if (!tokenizer) return words;
  const auto tokens = tokenizer->encode(text);
  if (!tokens) {
    ADD_FAILURE() << tokens.error().message;
    return words;
  }
  for (const ModelToken& token : *tokens) {
    words.push_back(text.substr(token.token.span.begin, token.token.span.end - token.token.span.begin));
  }
  return words;
}

inline std::vector<std::string> words_at(const std::string& pattern, const std::string& text,
                                         const std::string& behavior = "Isolated", bool inverts = false) {
  return words_in(
      {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", behavior}, {"invert", inverts}},
      text);
}

/// The result of normalizing a text.
inline std::string normalized_text(const Json& normalizer, const std::string& text) {
  Json file = file_with(whole_words({}));
  file["normalizer"] = normalizer;
  const auto parts = parse_tokenizer_json(file.dump());
  if (!parts) {
    ADD_FAILURE() << parts.error().message;
    return "";
  }
  Budget budget(text.size());
  return std::string(normalized(LocatedText(text, budget), parts->normalizer).text());
}

/// A text of random letters of an alphabet.
inline std::string random_text(std::mt19937& random, const std::vector<std::string>& letters,
                               std::size_t longest) {
  std::string text;
  const std::size_t length = random() % (longest + 1);
  for (std::size_t i = 0; i < length; ++i) text += letters[random() % letters.size()];
  return text;
}

}  // namespace headscope
