#include "core/tokenizers/model_tokenizer.h"

#include <algorithm>
#include <utility>

#include "core/text/letters.h"
#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {
namespace {

constexpr const char* tokenizer_advice = "use a shorter text or another tokenizer";

bool begins_with_space(std::string_view shown) {
  return !shown.empty() &&
         (is_white_space(character_at(shown, 0).value) || shown.starts_with("⏎") || shown.starts_with("⇥"));
}

bool ends_with_space(std::string_view shown) {
  return !shown.empty() && (is_white_space(character_before(shown, shown.size()).value) ||
                            shown.ends_with("⏎") || shown.ends_with("⇥"));
}

bool is_space_character(std::string_view bytes) {
  return first_character_length(bytes) == bytes.size() && is_white_space(code_points(bytes).front());
}

/// The length in bytes of leading white space. The text may be invalid UTF-8.
std::size_t space_at_begin(std::string_view text) {
  const std::size_t length = first_character_length(text);
  return is_space_character(text.substr(0, length)) ? length : 0;
}

std::size_t space_at_end(std::string_view text) {
  constexpr std::size_t max_space_run = 3;
  for (std::size_t length = 1; length <= std::min(max_space_run, text.size()); ++length) {
    if (is_space_character(text.substr(text.size() - length))) return length;
  }
  return 0;
}

/// Whether a token continues the word of the previous one: combining marks and bytes of a letter always do;
/// others if their script has spaces between words.
bool continues(std::string_view text, const PlacedToken& before, const PlacedToken& token) {
  if (before.word < 0) return false;
  const bool is_same_word = before.word == token.word;
  if (token.span.begin >= std::min(token.span.end, text.size())) return is_same_word;
  const std::string_view rest = text.substr(token.span.begin);
  const char32_t letter = code_points(rest.substr(0, first_character_length(rest))).front();
  const bool is_in_letter = token.span.begin < before.span.end || is_zero_width(letter);
  return is_in_letter || (is_same_word && !writes_without_spaces(letter));
}

/// Puts special tokens around a text. Throws OverBudget.
std::vector<PlacedToken> post_process(std::vector<PlacedToken> text, const PostProcessor& processor,
                                      bool add_special, Budget& budget) {
  if (processor.parts.empty()) return text;
  std::vector<PlacedToken> result;
  for (const std::optional<int>& special : processor.parts) {
    if (special && !add_special) continue;
    budget.take(special ? 1 : text.size(), 2 * sizeof(PlacedToken));
    if (special) {
      result.push_back({*special, {}, -1, true});
    } else {
      result.insert(result.end(), text.begin(), text.end());
    }
  }
  return result;
}

std::string_view piece_of(const TokenizerParts& parts, int id) {
  const AddedToken* const added = parts.added.token(id);
  return added != nullptr ? std::string_view(added->content) : parts.model->pieces().piece(id);
}

/// Trims outer white space from token spans where pieces have spaces.
void trim_spans(const TokenizerParts& parts, std::string_view text, std::vector<PlacedToken>& tokens) {
  constexpr std::string_view space = "Ġ";
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    TextSpan& span = tokens[i].span;
    const std::string_view all = piece_of(parts, tokens[i].id);
    std::size_t n_before = 0;
    for (std::string_view rest = all; rest.starts_with(space); ++n_before) rest.remove_prefix(space.size());
    std::size_t n_after = 0;
    for (std::string_view rest = all; rest.ends_with(space); ++n_after) rest.remove_suffix(space.size());
    const bool is_first = i == 0 || span.begin == 0;
    if (is_first && parts.post_processor.has_prefix_space && n_before == 1) n_before = 0;
    for (; n_before > 0 && span.begin < span.end; --n_before) {
      const std::size_t length = space_at_begin(text.substr(span.begin, span.end - span.begin));
      if (length == 0) break;
      span.begin += length;
    }
    for (; n_after > 0 && span.begin < span.end; --n_after) {
      const std::size_t length = space_at_end(text.substr(span.begin, span.end - span.begin));
      if (length == 0) break;
      span.end -= length;
    }
  }
}

using AddText = void (*)(const TokenizerParts& parts, LocatedText text, std::vector<PlacedToken>& tokens,
                         int& word);

void add_part(const TokenizerParts& parts, const LocatedText& text, const AddedTokenPart& part,
              std::vector<PlacedToken>& tokens, int& word, AddText add_text) {
  if (!part.id) return add_text(parts, text.part(part.span.begin, part.span.end), tokens, word);
  text.budget().take(2 * sizeof(PlacedToken));
  tokens.push_back(
      {*part.id, text.origin_of(part.span.begin, part.span.end), word++, parts.added.is_special(*part.id)});
}

void add_words(const TokenizerParts& parts, LocatedText text, std::vector<PlacedToken>& tokens, int& word) {
  const SplitText split = pre_tokenize(std::move(text), parts.pre_tokenizer);
  Budget& budget = split.text.budget();
  // Scratch memory per byte of a word.
  constexpr std::size_t max_bytes_per_byte = 160;
  std::vector<WordPart> found;
  for (const TextSpan& span : split.words) {
    found.clear();
    budget.take(span.end - span.begin, max_bytes_per_byte);
    parts.model->split(split.text.text().substr(span.begin, span.end - span.begin), found, budget);
    budget.take(found.size(), 2 * sizeof(PlacedToken));
    for (const WordPart& part : found) {
      tokens.push_back({part.id, split.text.origin_of(span.begin + part.begin, span.begin + part.end), word,
                        parts.added.is_special(part.id)});
    }
    ++word;
  }
}

void add_normalized(const TokenizerParts& parts, LocatedText text, std::vector<PlacedToken>& tokens,
                    int& word) {
  const LocatedText now = normalized(std::move(text), parts.normalizer);
  for (const AddedTokenPart& part : parts.added.parts(now.text(), true, now.budget()))
    add_part(parts, now, part, tokens, word, add_words);
}

/// The tokens of one text.
std::vector<PlacedToken> tokens_of(const TokenizerParts& parts, std::string_view text, Budget& budget) {
  if (text.size() > ModelTokenizer::max_text_bytes) {
    refuse(failure("a text has " + std::to_string(text.size() >> 20U) + " MiB, but at most " +
                   std::to_string(ModelTokenizer::max_text_bytes >> 20U) + " MiB can be tokenized at once"));
  }
  std::vector<PlacedToken> tokens;
  const LocatedText original(text, budget);
  int word = 0;
  for (const AddedTokenPart& part : parts.added.parts(original.text(), false, budget))
    add_part(parts, original, part, tokens, word, add_normalized);
  if (parts.post_processor.trims_spans) trim_spans(parts, text, tokens);
  return tokens;
}

/// Calls `make(tokens, budget)` with the tokens of a text. Both work within one budget.
template <class Make>
auto with_tokens(const TokenizerParts& parts, std::string_view text, bool add_special, Make&& make) {
  return within_budget(
      Budget(text.size()), "the text cannot be tokenized", tokenizer_advice, [&](Budget& budget) {
        return result_of([&] {
          return make(post_process(tokens_of(parts, text, budget), parts.post_processor, add_special, budget),
                      budget);
        });
      });
}

}  // namespace

ModelTokenizer::ModelTokenizer(TokenizerParts parts)
    : parts_(std::make_unique<const TokenizerParts>(std::move(parts))),
      size_(std::max(parts_->added.size(), parts_->model->pieces().size())) {}

ModelTokenizer::~ModelTokenizer() = default;

Result<std::vector<ModelToken>> ModelTokenizer::encode(std::string_view text, bool add_special) const {
  using Placed = const std::vector<PlacedToken>&;
  const auto make = [&](Placed placed, Budget& budget) {
    std::vector<ModelToken> tokens;
    budget.take(placed.size(), sizeof(ModelToken));
    tokens.reserve(placed.size());
    for (const PlacedToken& token : placed) {
      const std::string_view piece = this->piece(token.id);
      // An invalid byte is displayed with eight: ‹E2›.
      constexpr std::size_t max_shown = 9;
      budget.take(piece.size(), max_shown);
      ModelToken made;
      made.token = {shown(token.id), std::string(piece), token.id, token.span};
      made.is_special = token.is_special;
      if (!tokens.empty() && token.word >= 0) {
        const PlacedToken& before = placed[tokens.size() - 1];
        made.continues_word = !ends_with_space(tokens.back().token.text) &&
                              !begins_with_space(made.token.text) && continues(text, before, token);
      }
      tokens.push_back(std::move(made));
    }
    return tokens;
  };
  return with_tokens(*parts_, text, add_special, make);
}

Result<std::vector<int>> ModelTokenizer::ids(std::string_view text, bool add_special) const {
  using Placed = const std::vector<PlacedToken>&;
  return with_tokens(*parts_, text, add_special, [](Placed placed, Budget& budget) {
    std::vector<int> ids;
    budget.take(placed.size(), sizeof(int));
    ids.reserve(placed.size());
    for (const PlacedToken& token : placed) ids.push_back(token.id);
    return ids;
  });
}

Result<std::string> ModelTokenizer::decode(std::span<const int> ids, bool skip_special) const {
  const auto make = [&](Budget& budget) {
    std::vector<std::string> tokens;
    budget.take(ids.size(), sizeof(std::string));
    tokens.reserve(ids.size());
    for (const int id : ids) {
      const std::string_view text = piece(id);
      const bool is_typed = parts_->added.token(id) != nullptr;
      const bool is_left_out = skip_special ? is_special(id) : !is_typed && parts_->model->is_control(id);
      if (text.empty() || is_left_out) continue;
      budget.take(text.size());
      tokens.emplace_back(text);
    }
    return result_of([&] { return decoded(std::move(tokens), parts_->decoder, budget); });
  };
  return within_budget(Budget(ids.size() * sizeof(int)), "the ids cannot be decoded", tokenizer_advice, make);
}

std::string_view ModelTokenizer::piece(int id) const {
  return piece_of(*parts_, id);
}

std::string ModelTokenizer::shown(int id) const {
  std::string text(piece(id));
  if (parts_->added.token(id) != nullptr) return display_text(text);
  const PieceNotation& writing = parts_->writing;
  if (writing.has_byte_letters) {
    if (auto bytes = bytes_of_letters(text)) text = std::move(*bytes);
  } else if (const auto byte = byte_of_piece(text)) {
    text = static_cast<char>(*byte);
  }
  replace_all(text, writing.space_mark, " ");
  if (!writing.word_suffix.empty() && text.ends_with(writing.word_suffix)) {
    text.replace(text.size() - writing.word_suffix.size(), std::string::npos, " ");
  }
  return display_text(text);
}

std::optional<int> ModelTokenizer::find(std::string_view piece) const {
  const auto added = parts_->added.find(piece);
  return added ? added : parts_->model->pieces().find(piece);
}

bool ModelTokenizer::is_special(int id) const {
  return parts_->added.is_special(id) || parts_->model->is_control(id);
}

const SpecialIds& ModelTokenizer::special_ids() const {
  return parts_->special_ids;
}

const std::string& ModelTokenizer::doubt() const {
  return parts_->doubt;
}

PostProcessor make_post_processor(const std::vector<int>& begin, const std::vector<int>& end) {
  PostProcessor made;
  made.parts.assign(begin.begin(), begin.end());
  made.parts.emplace_back();
  made.parts.insert(made.parts.end(), end.begin(), end.end());
  return made;
}

}  // namespace headscope
