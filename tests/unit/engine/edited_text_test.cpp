// Edits texts word by word. The rows that a pass takes over from the previous one and the rows that it
// computes anew must together equal a pass over the whole text, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

std::string text_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

/// A causal stack of random sizes, positions and parts.
Request causal_request(std::uint64_t seed) {
  RandomStream random(seed, "edited");
  Request request = random_transformer(seed, Stacks::decoder);
  Architecture& a = request.architecture;
  a.kv_latent.reset();
  // Some sentences are so long that their maps are streamed.
  constexpr std::uint64_t every = 10;
  if (seed % every == 0) request.sentence = words(400);
  a.output_layer = OutputLayer::none;
  if (pick(random, 0, 2) == 0) a.sliding_window = pick(random, 1, 12);
  if (a.sliding_window && pick(random, 0, 1) == 0) a.global_every = pick(random, 1, 3);
  if (pick(random, 0, 2) == 0) a.relative_buckets = 8;
  return request;
}

/// Inserts, deletes or replaces a word.
void edit(RandomStream& random, std::vector<std::string>& words) {
  const auto n = static_cast<int>(words.size());
  const int at = pick(random, 0, n - 1);
  const std::string word = "w" + std::to_string(pick(random, 0, 99));
  const int kind = pick(random, 0, 3);
  if (kind == 0 && n > 2) {
    words.erase(words.begin() + at);
  } else if (kind == 1) {
    words[static_cast<std::size_t>(at)] = word;
  } else if (kind == 2) {
    words.insert(words.begin() + at, word);
  } else {
    words.push_back(word);
  }
}

void expect_same_bits(const Trace& edited, const Trace& whole, const std::string& what) {
  const std::vector<StageId> ids = whole.stages();
  ASSERT_EQ(edited.stages(), ids) << what;
  for (const StageId& id : ids) {
    const MatrixView a = edited.value(id);
    const MatrixView b = whole.value(id);
    ASSERT_EQ(a.rows, b.rows) << path(id) << what;
    for (int row = 0; row < a.rows; ++row) {
      const std::span of_a = a.row(row);
      const std::span of_b = b.row(row);
      ASSERT_EQ(of_a.size(), of_b.size());
      ASSERT_EQ(std::memcmp(of_a.data(), of_b.data(), of_a.size_bytes()), 0)
          << path(id) << ", row " << row << ", " << what;
    }
  }
}

TEST(EditedText, IsThePassOfTheWholeTextBitForBit) {
  constexpr int n_models = 60;
  constexpr int n_edits = 6;
  for (std::uint64_t seed = 0; seed < n_models; ++seed) {
    RandomStream random(seed, "edits");
    Request request = causal_request(seed);
    std::vector<std::string> words;
    for (const Token& token : tokenize(request.sentence, TokenizerKind::word)) words.push_back(token.text);
    Engine engine(2);
    std::shared_ptr<const Trace> shown;
    for (int i = 0; i <= n_edits; ++i) {
      request.sentence = text_of(words);
      const auto edited = engine.compute(request);
      ASSERT_TRUE(edited.has_value()) << edited.error().message;
      shown = *edited;
      Engine fresh(1);
      const auto whole = fresh.compute(request);
      ASSERT_TRUE(whole.has_value()) << whole.error().message;
      expect_same_bits(*shown, **whole, "seed " + std::to_string(seed) + ", edit " + std::to_string(i));
      if (HasFatalFailure()) return;
      edit(random, words);
    }
  }
}

/// Whether the next pass takes over the first row of the earlier pass, in which a number is marked.
bool takes_first_row(Request request, const std::string& next) {
  Engine engine(1);
  const auto before = engine.compute(request);
  constexpr float mark = 42.0F;
  *(*before)->kept().at({StageKind::query, Stack::decoder}) = mark;
  request.sentence = next;
  const auto after = engine.compute(request);
  return (*after)->value({StageKind::query, Stack::decoder}).data[0] == mark;
}

TEST(EditedText, TakesTheRowsBeforeTheChangeFromThePassBefore) {
  Request request = causal_request(1);
  request.sentence = "the robot can see";
  EXPECT_TRUE(takes_first_row(request, "the robot can see it"));
  EXPECT_TRUE(takes_first_row(request, "the robot"));
  EXPECT_TRUE(takes_first_row(request, "the cat can see"));
  EXPECT_FALSE(takes_first_row(request, "a robot can see"));
  request.attention.mask = {};
  EXPECT_FALSE(takes_first_row(request, "the robot can see it"));
  request.attention.mask = causal_mask();
  request.attention.mask_value = MaskValue::minus_1e9;
  EXPECT_FALSE(takes_first_row(request, "the robot can see it"));
}

}  // namespace
}  // namespace headscope
