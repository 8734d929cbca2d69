// Tests with which text a model opens.
#include "core/engine/opening.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace headscope {
namespace {

/// Knows some letters. Leaves out or replaces all others.
class Letters : public Tokenizer {
 public:
  Letters(std::string known, bool has_placeholder)
      : known_(std::move(known)), has_placeholder_(has_placeholder) {}
  TokenizerKind kind() const override { return TokenizerKind::model; }
  std::vector<Token> tokenize(std::string_view text) const override {
    std::vector<Token> tokens;
    for (const char letter : text) {
      const std::size_t id = known_.find(letter);
      const std::string word(1, letter);
      if (id != std::string::npos) tokens.push_back({word, word, static_cast<int>(id)});
      if (id == std::string::npos && has_placeholder_)
        tokens.push_back({word, "<unk>", static_cast<int>(known_.size())});
    }
    return tokens;
  }
  std::string with_appended_tokens(std::string_view text, std::span<const Token> next) const override {
    std::string all(text);
    for (const Token& token : next) all += token.text;
    return all;
  }

 private:
  std::string known_;
  bool has_placeholder_;
};

std::string opened_with(const std::string& known, bool has_placeholder, const std::string& example = "") {
  std::vector<std::string> words;
  for (const char letter : known) words.emplace_back(1, letter);
  if (has_placeholder) words.emplace_back("<unk>");
  const auto model =
      std::make_shared<TrainedModel>(TrainedModel{"", "", 0, 0, 0, {}, Vocabulary::from_pieces(words)});
  model->tokenizer = std::make_shared<Letters>(known, has_placeholder);
  model->example = example;
  return opening_action(model).example;
}

TEST(Opening, HasATextThatTheModelReads) {
  EXPECT_EQ(opened_with("XYZ", false), "XYZXYZ") << "none of these letters is in the usual sentence";
  EXPECT_EQ(opened_with("XYZ", true), "XYZXYZ") << "all letters of the usual sentence are one placeholder";
  EXPECT_EQ(opened_with("XYZUVWKJ", false), "XYZUVW");
  EXPECT_EQ(opened_with("abcdefghiot", true), opened_with("aehnimt", false)) << "it reads the usual sentence";
  EXPECT_EQ(opened_with("XYZ", false, "ZZY"), "ZZY") << "an example of its own";
}

}  // namespace
}  // namespace headscope
