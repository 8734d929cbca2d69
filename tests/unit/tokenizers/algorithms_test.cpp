// Compares each algorithm with the simplest one that does the same, on random vocabularies.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/tokenizer_steps.h"
#include "tests/unit/tokenizers/small_tokenizers.h"

namespace headscope {
namespace {

using Words = std::vector<std::string>;

const Words letters{"a", "b", "c", "é", "漢"};

Words parts_of(const SubwordModelPtr& model, const std::string& word) {
  std::vector<WordPart> parts;
  Budget budget(word.size());
  model->split(word, parts, budget);
  Words result;
  for (const WordPart& part : parts) result.push_back(word.substr(part.begin, part.end - part.begin));
  return result;
}

Words characters(const std::string& word) {
  Words result;
  for (const char c : word) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) {
      result.back() += c;
    } else {
      result.emplace_back(1, c);
    }
  }
  return result;
}

PieceTable table_of(const Words& pieces) {
  std::vector<std::pair<std::string, int>> pairs;
  for (const std::string& piece : pieces) pairs.emplace_back(piece, static_cast<int>(pairs.size()));
  return std::move(*PieceTable::make(std::move(pairs)));
}

using Pair = std::pair<std::string, std::string>;

/// Joins the neighbours of lowest rank, the left ones first, one pair at a time.
Words plainly_merged(Words parts, const std::map<Pair, int>& ranks) {
  while (true) {
    int best = std::numeric_limits<int>::max();
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks.find({parts[i], parts[i + 1]});
      if (found == ranks.end() || found->second >= best) continue;
      best = found->second;
      place = i;
    }
    if (best == std::numeric_limits<int>::max()) return parts;
    parts[place] += parts[place + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

TEST(MergeBpe, JoinsWhatStandsFirstInTheMerges) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    Words pieces = letters;
    std::vector<Pair> merges;
    std::map<Pair, int> ranks;
    for (int i = 0; i < 30; ++i) {
      const Pair merge{pieces[random() % pieces.size()], pieces[random() % pieces.size()]};
      const std::string whole = merge.first + merge.second;
      if (!ranks.try_emplace(merge, static_cast<int>(merges.size())).second) continue;
      merges.push_back(merge);
      if (std::find(pieces.begin(), pieces.end(), whole) == pieces.end()) pieces.push_back(whole);
    }
    const auto model = make_merge_bpe(table_of(pieces), merges, {});
    ASSERT_TRUE(model) << model.error().message;
    for (int i = 0; i < 50; ++i) {
      const std::string word = random_text(random, letters, 30) + "a";
      EXPECT_EQ(parts_of(*model, word), plainly_merged(characters(word), ranks)) << word;
    }
  }
}

TEST(MergeBpe, KnowsPrefixesSuffixesAndWhatIsUnknown) {
  const std::vector<Pair> merges{{"a", "##b</w>"}};
  MergeBpeOptions options;
  options.continuing_prefix = "##";
  options.word_suffix = "</w>";
  options.unknown = "?";
  const auto model = make_merge_bpe(table_of({"?", "a", "##b", "##b</w>", "ab</w>"}), merges, options);
  ASSERT_TRUE(model) << model.error().message;
  const auto ids = [&](const std::string& word) {
    std::vector<WordPart> parts;
    Budget budget(word.size());
    (*model)->split(word, parts, budget);
    std::vector<int> result;
    for (const WordPart& part : parts) result.push_back(part.id);
    return result;
  };
  EXPECT_EQ(ids("ab"), std::vector<int>({4}));
  EXPECT_EQ(ids("abb"), std::vector<int>({1, 2, 3}));
  EXPECT_EQ(ids("axyb"), std::vector<int>({1, 0, 0, 3}));
}

TEST(MergeBpe, FusesTheUnknownAndFallsBackToBytes) {
  MergeBpeOptions options;
  options.unknown = "?";
  options.fuses_unknown = true;
  const auto fusing = make_merge_bpe(table_of({"?", "a"}), {}, options);
  ASSERT_TRUE(fusing);
  EXPECT_EQ(parts_of(*fusing, "axya"), Words({"a", "xy", "a"}));
  options.falls_back_to_bytes = true;
  const auto with_bytes = make_merge_bpe(table_of({"?", "a", "<0xC3>", "<0xA9>"}), {}, options);
  ASSERT_TRUE(with_bytes);
  EXPECT_EQ(parts_of(*with_bytes, "aé"), Words({"a", "\xC3", "\xA9"}));
  EXPECT_EQ(parts_of(*with_bytes, "ax"), Words({"a", "x"}));
}

TEST(MergeBpe, NamesAMergeWithoutPiece) {
  const auto model = make_merge_bpe(table_of({"a", "b"}), {{"a", "b"}}, {});
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().message.find("merge 1, 'a b', needs the piece 'ab'"), std::string::npos)
      << model.error().message;
}

std::vector<ScoredPiece> scored_letters() {
  std::vector<ScoredPiece> pieces{{"<unk>", 0.0F, ScoredPiece::Kind::unknown}};
  for (const std::string& letter : letters) pieces.push_back({letter, -100.0F});
  return pieces;
}

TEST(ScoreBpe, JoinsTheGreatestScoreFirst) {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    std::vector<ScoredPiece> pieces = scored_letters();
    std::map<std::string, int> ranks;
    for (int i = 0; i < 30; ++i) {
      const std::string text = random_text(random, letters, 4);
      if (characters(text).size() < 2 || !ranks.try_emplace(text, i).second) continue;
      pieces.push_back({text, -static_cast<float>(i)});
    }
    const auto model = make_score_bpe(pieces, false);
    ASSERT_TRUE(model) << model.error().message;
    for (int i = 0; i < 50; ++i) {
      const std::string word = random_text(random, letters, 30) + "a";
      std::map<Pair, int> all_pairs;
      // A join is found by the text of both parts, so each way to cut a piece in two is a merge.
      for (const auto& [text, rank] : ranks) {
        for (std::size_t cut = 1; cut < text.size(); ++cut)
          all_pairs[{text.substr(0, cut), text.substr(cut)}] = rank;
      }
      EXPECT_EQ(parts_of(*model, word), plainly_merged(characters(word), all_pairs)) << word;
    }
  }
}

TEST(ScoreBpe, KeepsThePiecesOfTheUserAndTakesUnusedOnesApart) {
  std::vector<ScoredPiece> pieces = scored_letters();
  pieces.push_back({"ab", -1.0F, ScoredPiece::Kind::unused});
  pieces.push_back({"abc", -2.0F});
  pieces.push_back({"cb", 0.0F, ScoredPiece::Kind::user_defined});
  const auto model = make_score_bpe(pieces, false);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(parts_of(*model, "ab"), Words({"a", "b"}));
  EXPECT_EQ(parts_of(*model, "abc"), Words({"abc"}));
  EXPECT_EQ(parts_of(*model, "abcb"), Words({"a", "b", "cb"}));
  EXPECT_EQ(parts_of(*model, "xya"), Words({"xy", "a"})) << "what is unknown is one piece";
}

/// The largest sum of scores over all ways to split a word into pieces.
double best_sum(const std::string& word, const std::map<std::string, double>& scores, double unknown) {
  std::vector<double> best(word.size() + 1, -std::numeric_limits<double>::infinity());
  best[0] = 0.0;
  const Words all = characters(word);
  std::size_t at = 0;
  for (const std::string& letter : all) {
    for (const auto& [piece, score] : scores) {
      if (word.compare(at, piece.size(), piece) == 0) {
        best[at + piece.size()] = std::max(best[at + piece.size()], best[at] + score);
      }
    }
    if (!scores.contains(letter))
      best[at + letter.size()] = std::max(best[at + letter.size()], best[at] + unknown);
    at += letter.size();
  }
  return best.back();
}

TEST(Unigram, FindsTheGreatestSum) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    std::vector<std::pair<std::string, double>> pieces{{"<unk>", 0.0}};
    std::vector<ScoredPiece> scored{{"<unk>", 0.0F, ScoredPiece::Kind::unknown}};
    std::map<std::string, double> scores;
    double least = 0.0;
    for (int i = 0; i < 30; ++i) {
      const std::string text = random_text(random, letters, 4);
      // These scores are exact in single precision.
      const double score = -static_cast<double>(random() % 640) / 64.0;
      if (text.empty() || !scores.try_emplace(text, score).second) continue;
      pieces.emplace_back(text, score);
      scored.push_back({text, static_cast<float>(score)});
      least = std::min(least, score);
    }
    const auto model = make_unigram(pieces, 0, false);
    const auto of_sentencepiece = make_scored_unigram(scored, false);
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_TRUE(of_sentencepiece) << of_sentencepiece.error().message;
    for (int i = 0; i < 50; ++i) {
      const std::string word = random_text(random, letters, 20) + "a";
      for (const SubwordModelPtr* const each : {&*model, &*of_sentencepiece}) {
        double sum = 0.0;
        std::string whole;
        for (const std::string& part : parts_of(*each, word)) {
          const auto known = scores.find(part);
          sum += known != scores.end() ? known->second
                                       : static_cast<double>(characters(part).size()) * (least - 10.0);
          whole += part;
        }
        EXPECT_EQ(whole, word);
        EXPECT_DOUBLE_EQ(sum, best_sum(word, scores, least - 10.0)) << word;
      }
    }
  }
}

TEST(Unigram, RefusesWhatItCannotName) {
  const auto model = make_unigram({{"a", -1.0}}, std::nullopt, false);
  ASSERT_TRUE(model);
  std::vector<WordPart> parts;
  Budget budget(2);
  EXPECT_FALSE(result_of([&] { (*model)->split("ab", parts, budget); }));
  EXPECT_FALSE(make_unigram({{"a", -1.0}}, 1, false));
  EXPECT_FALSE(make_unigram({}, std::nullopt, false));
  EXPECT_FALSE(make_unigram({{"a", std::numeric_limits<double>::quiet_NaN()}}, std::nullopt, false));
}

/// Takes the longest piece first, trying all lengths.
Words plainly_word_pieces(const std::string& word, const Words& pieces) {
  Words result;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t length = word.size() - at;
    const auto is_piece = [&] {
      return std::find(pieces.begin(), pieces.end(), (at > 0 ? "##" : "") + word.substr(at, length)) !=
             pieces.end();
    };
    while (length > 0 && !is_piece()) --length;
    if (length == 0) return {word};
    result.push_back(word.substr(at, length));
    at += length;
  }
  return result;
}

TEST(WordPiece, TakesTheLongestPieceFirst) {
  std::mt19937 random(4);
  for (int round = 0; round < 40; ++round) {
    Words pieces{"[UNK]"};
    for (int i = 0; i < 40; ++i) {
      const std::string text = random_text(random, letters, 3);
      if (!text.empty()) pieces.push_back((random() % 2 == 0 ? "##" : "") + text);
    }
    const auto model = make_word_piece(table_of(pieces), {});
    ASSERT_TRUE(model);
    for (int i = 0; i < 50; ++i) {
      const std::string word = random_text(random, letters, 12) + "a";
      EXPECT_EQ(parts_of(*model, word), plainly_word_pieces(word, pieces)) << word;
    }
  }
}

TEST(WordPiece, ALongWordIsUnknown) {
  const auto model = make_word_piece(table_of({"[UNK]", "é", "##é"}), {"[UNK]", "##", 3});
  ASSERT_TRUE(model);
  EXPECT_EQ(parts_of(*model, "ééé").size(), 3U);
  EXPECT_EQ(parts_of(*model, "éééé").size(), 1U);
}

TEST(RankBpe, NeedsEveryByte) {
  EXPECT_FALSE(make_rank_bpe(table_of({"a", "b"})));
}

TEST(PieceTable, BoundsItsIds) {
  EXPECT_FALSE(PieceTable::make({{"a", -1}}));
  EXPECT_FALSE(PieceTable::make({{"a", 2'000'000'000}}));
  const auto table = PieceTable::make({{"a", 0}, {"b", 5}, {"a", 7}});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 8);
  EXPECT_EQ(table->count(), 2);
  EXPECT_EQ(table->find("a"), 7);
  EXPECT_EQ(table->piece(0), "a");
  EXPECT_EQ(table->piece(3), "");
}

/// A step back over a back-reference compares as much text as the text has, so fewer steps are allowed.
TEST(Regex, PatternsOfAStrangerEndInTime) {
  for (const char* pattern : {"(a+)\\1+b", "(a*)*b", "(?<x>a+)\\k<x>+b"}) {
    const Result<Regex> regex = Regex::pattern(pattern);
    ASSERT_TRUE(regex.has_value()) << pattern;
    for (const std::size_t n : {4'000U, 100'000U}) {
      const std::string text(n, 'a');
      Budget budget(text.size());
      const std::clock_t begin = std::clock();
      static_cast<void>(result_of([&] { return regex->parts(text, budget); }));
      EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 3.0) << pattern << " " << n;
    }
  }
}

}  // namespace
}  // namespace headscope
