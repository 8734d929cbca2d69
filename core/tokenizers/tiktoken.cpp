#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/io/base64.h"
#include "core/split_text.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/tokenizer_files.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {
namespace {

/// A special token with its id, or several with consecutive ids and numbered names.
struct RankSpecial {
  const char* name;  ///< % stands for the number
  int id;            ///< if negative, the next free id
  int count = 1;
};

struct RankEncoding {
  std::string_view name;
  const char* pattern;  ///< null for the pattern of GPT-2
  std::vector<RankSpecial> specials;
  bool is_composed = false;  ///< Whether texts are normalized to NFC.
  const char* begin = "";    ///< The special token before texts
};

/// The known encodings, the default last.
const std::vector<RankEncoding>& rank_encodings() {
  constexpr int next = -1;
  static const std::vector<RankEncoding> encodings{
      {"qwen",
       qwen2_split,
       {{"<|endoftext|>", next}, {"<|im_start|>", next}, {"<|im_end|>", next}, {"<|extra_%|>", next, 205}},
       true},
      {"llama",
       gpt4_split,
       {{"<|begin_of_text|>", next},
        {"<|end_of_text|>", next},
        {"<|reserved_special_token_%|>", next, 4},
        {"<|start_header_id|>", next},
        {"<|end_header_id|>", next},
        {"<|reserved_special_token_4|>", next},
        {"<|eot_id|>", next}},
       false,
       "<|begin_of_text|>"},
      {"o200k", o200k_split, {{"<|endoftext|>", 199'999}, {"<|endofprompt|>", 200'018}}},
      {"p50k", nullptr, {{"<|endoftext|>", 50'256}}},
      {"r50k", nullptr, {{"<|endoftext|>", 50'256}}},
      {"gpt2", nullptr, {{"<|endoftext|>", 50'256}}},
      {"cl100k",
       gpt4_split,
       {{"<|endoftext|>", 100'257},
        {"<|fim_prefix|>", 100'258},
        {"<|fim_middle|>", 100'259},
        {"<|fim_suffix|>", 100'260},
        {"<|endofprompt|>", 100'276}}}};
  return encodings;
}

const RankEncoding& encoding_of(std::string_view hint) {
  std::string small;
  for (const char c : hint) small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto& encodings = rank_encodings();
  const auto found = std::find_if(encodings.begin(), encodings.end(), [&](const RankEncoding& each) {
    return small.find(each.name) != std::string::npos;
  });
  return found == encodings.end() ? encodings.back() : *found;
}

std::vector<AddedToken> rank_specials(const RankEncoding& encoding, int n_ranks) {
  std::vector<AddedToken> tokens;
  int next = n_ranks;
  for (const RankSpecial& special : encoding.specials) {
    for (int i = 0; i < special.count; ++i) {
      std::string name = special.name;
      if (const std::size_t place = name.find('%'); place != std::string::npos)
        name.replace(place, 1, std::to_string(i));
      tokens.push_back(special_token(std::move(name), special.id >= 0 ? special.id : next));
      next = *tokens.back().id + 1;
    }
  }
  return tokens;
}

/// Parses a line: the bytes, in byte letters, and the rank.
std::optional<std::pair<std::string, int>> rank_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto bytes = from_base64(line.substr(0, space));
  int rank = -1;
  const char* const end = line.data() + line.size();
  const auto read = std::from_chars(line.data() + space + 1, end, rank);
  if (!bytes || bytes->empty() || read.ec != std::errc() || read.ptr != end || rank < 0) return std::nullopt;
  return std::pair{letters_of_bytes(*bytes), rank};
}

}  // namespace

bool looks_like_tiktoken(std::string_view text) {
  return rank_line(take_line(text)).has_value();
}

Result<TokenizerParts> parse_tiktoken(std::string_view text, std::string_view hint) {
  std::vector<std::pair<std::string, int>> ranks;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    auto rank = rank_line(line);
    if (!rank)
      return failure("line " + std::to_string(number) + " is not a piece in base64 followed by its rank");
    ranks.push_back(std::move(*rank));
  }
  return result_of([&] {
    PieceTable pieces = PieceTable::make(std::move(ranks)).value();
    const RankEncoding& encoding = encoding_of(hint);
    const int n_ranks = pieces.size();
    TokenizerParts parts;
    parts.model = make_rank_bpe(std::move(pieces)).value();
    if (encoding.is_composed) parts.normalizer = {unicode_form(true, false)};
    const Regex pattern =
        encoding.pattern == nullptr ? gpt2_pattern() : Regex::pattern(encoding.pattern).value();
    parts.pre_tokenizer = {split_at_matches(pattern), byte_level(false, false)};
    parts.decoder = {decode_byte_letters()};
    parts.writing.has_byte_letters = true;
    parts.added =
        AddedTokens::make(rank_specials(encoding, n_ranks), parts.model->pieces(), parts.normalizer).value();
    if (const auto begin = parts.added.find(encoding.begin))
      parts.post_processor = make_post_processor({*begin}, {});
    return parts;
  });
}

}  // namespace headscope
