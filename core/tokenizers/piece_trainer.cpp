#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/io/json_text.h"
#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/sentencepiece_model.h"

namespace headscope {
namespace {

using Kind = ScoredPiece::Kind;
using Counts = std::unordered_map<std::string, std::int64_t>;

constexpr std::string_view space_mark = "▁";

enum class Class { letters, others, alone };

/// The class of a character, which pieces do not mix. Digits and white space other than the space stand
/// alone.
Class class_of(char32_t c) {
  if (is_white_space(c) || is_numeric(c)) return Class::alone;
  return is_word_character(c) || c == U'\'' || c == U'’' ? Class::letters : Class::others;
}

constexpr std::size_t bytes_of_slice = 1U << 15U;
constexpr std::size_t words_of_slice = 2048;

/// Counts the words of a document: runs of one class, with a preceding space mark.
Slices<std::monostate> count_words(std::string_view document, Counts& counts) {
  std::string word(space_mark);
  Class before = Class::alone;
  const auto finish = [&] {
    if (!word.empty()) ++counts[word];
    word.clear();
  };
  std::size_t yielded = 0;
  for (std::size_t at = 0; at < document.size();) {
    if (at - yielded >= bytes_of_slice) {
      yielded = at;
      co_yield static_cast<double>(at) / static_cast<double>(document.size());
    }
    const Character c = character_at(document, at);
    if (c.value == U' ') {
      finish();
      word = space_mark;
    } else {
      const Class own = class_of(c.value);
      const bool joins = word == space_mark || (own == before && own != Class::alone);
      if (!joins) finish();
      word += document.substr(at, c.length);
      before = own;
    }
    at += c.length;
  }
  finish();
  co_return std::monostate();
}

/// Merges adjacent pairs in words.
class PairMerger {
 public:
  explicit PairMerger(const std::vector<std::string>& characters) : texts_(characters) {}

  /// Adds all words, before the first piece.
  Slices<std::monostate> add(const Counts& words) {
    std::unordered_map<std::string, int> ids;
    for (std::size_t i = 0; i < texts_.size(); ++i) ids.emplace(texts_[i], static_cast<int>(i));
    // The order of a hash table differs between libraries.
    std::vector<std::pair<std::string_view, std::int64_t>> sorted(words.begin(), words.end());
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      add(sorted[i].first, sorted[i].second, ids);
      if (i % words_of_slice == words_of_slice - 1)
        co_yield static_cast<double>(i) / static_cast<double>(sorted.size());
    }
    for (const auto& [pair, count] : counts_) queue_.push({count, pair});
    co_return std::monostate();
  }

  /// The next piece. Empty if no pair occurs twice.
  Slices<std::string> join_next() {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const std::int64_t now = counts_[best.pair];
      if (now != best.count) {
        if (now > 1) queue_.push({now, best.pair});
        continue;
      }
      if (now < 2) break;
      Slices<std::string> joining = join(best.pair);
      while (joining.next()) co_yield joining.share();
      co_return joining.take();
    }
    co_return std::string();
  }

 private:
  using Pair = std::pair<int, int>;
  struct Word {
    std::vector<int> symbols;
    std::int64_t count;
  };
  struct Candidate {
    std::int64_t count;
    Pair pair;
    /// Most frequent pair first, ties by older symbols.
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  /// Adds the runs of known characters of a word; others are encoded as bytes.
  void add(std::string_view text, std::int64_t count, const std::unordered_map<std::string, int>& ids) {
    std::vector<int> symbols;
    const auto finish = [&] {
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        const Pair pair{symbols[i], symbols[i + 1]};
        counts_[pair] += count;
        places_[pair].push_back(words_.size());
      }
      if (symbols.size() > 1) words_.push_back({symbols, count});
      symbols.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = character_at(text, at).length;
      const auto known = ids.find(std::string(text.substr(at, length)));
      if (known == ids.end()) {
        finish();
      } else {
        symbols.push_back(known->second);
      }
      at += length;
    }
    finish();
  }

  Slices<std::string> join(Pair pair) {
    const int joined = static_cast<int>(texts_.size());
    texts_.push_back(texts_[static_cast<std::size_t>(pair.first)] +
                     texts_[static_cast<std::size_t>(pair.second)]);
    std::map<Pair, std::int64_t> changed;
    std::vector<std::size_t> words = std::move(places_[pair]);
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i % words_of_slice == words_of_slice - 1)
        co_yield static_cast<double>(i) / static_cast<double>(words.size());
      join_in(words[i], pair, joined, changed);
    }
    for (const auto& [each, change] : changed) {
      const std::int64_t now = counts_[each] += change;
      if (change > 0) queue_.push({now, each});
    }
    counts_.erase(pair);
    co_return texts_.back();
  }

  /// Joins a pair in a word, and sums up how the counts of pairs have changed.
  void join_in(std::size_t index, const Pair& pair, int joined, std::map<Pair, std::int64_t>& changed) {
    Word& word = words_[index];
    const auto count_pairs = [&](std::int64_t count) {
      for (std::size_t i = 0; i + 1 < word.symbols.size(); ++i)
        changed[{word.symbols[i], word.symbols[i + 1]}] += count;
    };
    count_pairs(-word.count);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < word.symbols.size(); ++i) {
      const bool is_pair =
          i + 1 < word.symbols.size() && word.symbols[i] == pair.first && word.symbols[i + 1] == pair.second;
      word.symbols[kept++] = is_pair ? joined : word.symbols[i];
      if (is_pair) ++i;
    }
    word.symbols.resize(kept);
    count_pairs(word.count);
    for (std::size_t i = 0; i + 1 < kept; ++i) {
      if (word.symbols[i] == joined || word.symbols[i + 1] == joined)
        places_[{word.symbols[i], word.symbols[i + 1]}].push_back(index);
    }
  }

  std::vector<std::string> texts_;  ///< The text of each symbol.
  std::vector<Word> words_;
  std::map<Pair, std::int64_t> counts_;
  std::map<Pair, std::vector<std::size_t>> places_;  ///< Words that may contain a pair
  std::priority_queue<Candidate> queue_;             ///< Counts may be stale
};

/// Texts by descending count, ties in byte order.
std::vector<std::pair<std::string, std::int64_t>> most_frequent(const Counts& counts) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return sorted;
}

/// The characters that become pieces; rarer ones are encoded as bytes to save pieces.
Slices<std::vector<std::string>> frequent_characters(const Counts& words, std::size_t max_count) {
  Counts counts;
  std::size_t n_read = 0;
  for (const auto& [word, count] : words) {
    for (std::size_t at = 0; at < word.size();) {
      const Character c = character_at(word, at);
      if (!is_white_space(c.value)) counts[word.substr(at, c.length)] += count;
      at += c.length;
    }
    if (++n_read % words_of_slice == 0)
      co_yield static_cast<double>(n_read) / static_cast<double>(words.size());
  }
  std::vector<std::string> characters;
  for (auto& [text, count] : most_frequent(counts)) {
    if (characters.size() < max_count) characters.push_back(text);
  }
  co_return characters;
}

SentencePieceModel model_with_bytes() {
  SentencePieceModel model;
  model.falls_back_to_bytes = true;
  model.removes_extra_spaces = false;
  model.pieces = {
      {"<unk>", 0.0F, Kind::unknown}, {"<s>", 0.0F, Kind::control}, {"</s>", 0.0F, Kind::control}};
  for (int byte = 0; byte < 256; ++byte)
    model.pieces.push_back({byte_piece(static_cast<unsigned char>(byte)), 0.0F, Kind::byte});
  return model;
}

void put_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<char>(value | 0x80U));
  out.push_back(static_cast<char>(value));
}
void put_number(unsigned field, std::uint64_t value, std::string& out) {
  put_varint(field << 3U, out);
  put_varint(value, out);
}
void put_bytes(unsigned field, std::string_view bytes, std::string& out) {
  put_varint(field << 3U | 2U, out);
  put_varint(bytes.size(), out);
  out += bytes;
}
void put_float(unsigned field, float value, std::string& out) {
  put_varint(field << 3U | 5U, out);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(bits >> shift));
}

/// The merges that produce a piece, in order of ids.
nlohmann::json merges_of(const SentencePieceModel& model) {
  std::unordered_map<std::string_view, std::size_t> ids;
  for (std::size_t id = first_text_piece; id < model.pieces.size(); ++id)
    ids.emplace(model.pieces[id].text, id);
  auto merges = nlohmann::json::array();
  for (std::size_t id = first_text_piece; id < model.pieces.size(); ++id) {
    const std::string_view text = model.pieces[id].text;
    std::vector<std::pair<std::size_t, std::size_t>> ways;
    for (std::size_t at = character_at(text, 0).length; at < text.size();
         at += character_at(text, at).length) {
      const auto left = ids.find(text.substr(0, at));
      const auto right = ids.find(text.substr(at));
      if (left != ids.end() && right != ids.end()) ways.emplace_back(left->second, right->second);
    }
    std::ranges::sort(ways);
    for (const auto& [left, right] : ways)
      merges.push_back(model.pieces[left].text + " " + model.pieces[right].text);
  }
  return merges;
}

/// Adds the most frequent words, and then the characters, of which others are spelled.
void add_words(const Counts& words, const std::vector<std::string>& characters, std::size_t max_words,
               std::vector<ScoredPiece>& pieces) {
  double total = 0.0;
  for (const auto& [word, count] : words) total += static_cast<double>(count);
  for (const auto& [word, count] : most_frequent(words)) {
    const bool is_character = character_at(word, 0).length == word.size();
    if (pieces.size() < max_words && count > 1 && !is_character &&
        class_of(character_before(word, word.size()).value) != Class::alone)
      pieces.push_back({word, static_cast<float>(std::log(static_cast<double>(count) / total))});
  }
  // A spelled word costs more than any whole one.
  const auto spelled = static_cast<float>(-std::log(total) - 10.0);
  for (const std::string& each : characters) pieces.push_back({each, spelled});
}

}  // namespace

Slices<Result<SentencePieceModel>> train_pieces(std::vector<std::string_view> documents, PieceKind kind,
                                                int n_pieces) {
  if (n_pieces < 2 * first_text_piece || n_pieces > max_trained_pieces)
    co_return usage_error("a vocabulary has " + std::to_string(2 * first_text_piece) + " to " +
                          std::to_string(max_trained_pieces) + " pieces");
  Counts words;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    Slices<std::monostate> counting = count_words(documents[i], words);
    while (counting.next()) co_yield 0.0;
    co_yield 0.0;
  }
  SentencePieceModel model = model_with_bytes();
  const auto max_count = static_cast<std::size_t>(n_pieces);
  const bool leaves_room = kind != PieceKind::characters;
  Slices<std::vector<std::string>> finding =
      frequent_characters(words, (max_count - model.pieces.size()) / (leaves_room ? 2 : 1));
  while (finding.next()) co_yield 0.0;
  const std::vector<std::string> characters = finding.take();
  if (characters.empty()) co_return failure("the text has no characters to make pieces of");
  const std::size_t max_joined = max_count - characters.size();
  std::vector<ScoredPiece>& pieces = model.pieces;
  if (kind == PieceKind::whole_words) {
    add_words(words, characters, max_joined, pieces);
    co_return model;
  }
  model.algorithm = SentencePieceModel::Algorithm::bpe;
  PairMerger merger(characters);
  Slices<std::monostate> adding = merger.add(words);
  while (adding.next()) co_yield 0.0;
  std::set<std::string> known;
  while (leaves_room && pieces.size() < max_joined) {
    Slices<std::string> joining = merger.join_next();
    const double share = static_cast<double>(pieces.size()) / static_cast<double>(max_joined);
    while (joining.next()) co_yield share;
    std::string joined = joining.take();
    if (joined.empty()) break;
    co_yield share;
    // Different pairs can form the same piece.
    if (!known.insert(joined).second) continue;
    pieces.push_back({std::move(joined), -static_cast<float>(pieces.size() - first_text_piece)});
  }
  for (const std::string& each : characters)
    pieces.push_back({each, -static_cast<float>(pieces.size() - first_text_piece)});
  co_return model;
}

std::string sentencepiece_file(const SentencePieceModel& model) {
  std::string file;
  for (const ScoredPiece& piece : model.pieces) {
    std::string of_piece;
    put_bytes(1, piece.text, of_piece);
    put_float(2, piece.score, of_piece);
    if (piece.kind != Kind::normal) put_number(3, static_cast<std::uint64_t>(piece.kind), of_piece);
    put_bytes(1, of_piece, file);
  }
  std::string trainer;
  put_number(3, static_cast<std::uint64_t>(model.algorithm), trainer);
  put_number(4, model.pieces.size(), trainer);
  put_number(35, 1, trainer);  // byte_fallback
  put_bytes(2, trainer, file);
  std::string normalizer;
  put_bytes(1, "identity", normalizer);
  put_number(3, 1, normalizer);  // add_dummy_prefix
  put_number(4, 0, normalizer);  // remove_extra_whitespaces
  put_number(5, 1, normalizer);  // escape_whitespaces
  put_bytes(3, normalizer, file);
  return file;
}

std::string tokenizer_json_file(const SentencePieceModel& model) {
  using OrderedJson = nlohmann::ordered_json;
  static_assert(begin_piece == 1 && unknown_piece == 0, "the text below says so");
  OrderedJson file = OrderedJson::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
    "pre_tokenizer": null,
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
      "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "<s>", "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 1}}],
      "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
    "decoder": {"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
      {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}})");
  for (int id = unknown_piece; id <= end_piece; ++id) {
    OrderedJson token{{"id", id}, {"content", model.pieces[static_cast<std::size_t>(id)].text}};
    for (const char* key : {"single_word", "lstrip", "rstrip", "normalized"}) token[key] = false;
    token["special"] = true;
    file["added_tokens"].push_back(std::move(token));
  }
  OrderedJson& inner = file["model"];
  if (model.algorithm == SentencePieceModel::Algorithm::bpe) {
    inner = OrderedJson::parse(R"({"type": "BPE", "dropout": null, "unk_token": "<unk>",
      "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true,
      "vocab": {}})");
    for (std::size_t id = 0; id < model.pieces.size(); ++id) inner["vocab"][model.pieces[id].text] = id;
    inner["merges"] = merges_of(model);
  } else {
    inner = OrderedJson::parse(R"({"type": "Unigram", "unk_id": 0, "vocab": []})");
    for (const ScoredPiece& piece : model.pieces)
      inner["vocab"].push_back(OrderedJson::array({piece.text, piece.score}));
    inner["byte_fallback"] = true;
  }
  return file.dump() + "\n";
}

}  // namespace headscope
