#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {
namespace {

using Tokens = std::vector<std::string>;

std::string concatenated(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  return text;
}

std::string cleaned_up(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> replacements{{{" .", "."},
                                                                                        {" ?", "?"},
                                                                                        {" !", "!"},
                                                                                        {" ,", ","},
                                                                                        {" ' ", "'"},
                                                                                        {" n't", "n't"},
                                                                                        {" 'm", "'m"},
                                                                                        {" do not", " don't"},
                                                                                        {" 's", "'s"},
                                                                                        {" 've", "'ve"},
                                                                                        {" 're", "'re"}}};
  for (const auto& [from, to] : replacements) replace_all(text, from, to);
  return text;
}

}  // namespace

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty() || text.find(from) == std::string::npos) return;
  std::string result;
  std::size_t at = 0;
  for (std::size_t found = text.find(from); found != std::string::npos; found = text.find(from, at)) {
    result.append(text, at, found - at).append(to);
    at = found + from.size();
  }
  text = result.append(text, at);
}

DecoderStep decode_byte_letters() {
  return [](const Tokens& tokens, Budget&) -> Tokens {
    std::string bytes;
    for (const std::string& token : tokens) {
      const auto of_letters = bytes_of_letters(token);
      bytes += of_letters ? *of_letters : token;
    }
    return {valid_utf8(bytes)};
  };
}

DecoderStep decode_word_pieces(std::string prefix, bool cleans_up) {
  return [=, prefix = std::move(prefix)](Tokens tokens, Budget&) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0 && tokens[i].starts_with(prefix)) {
        tokens[i].erase(0, prefix.size());
      } else if (i > 0) {
        tokens[i].insert(0, " ");
      }
      if (cleans_up) tokens[i] = cleaned_up(std::move(tokens[i]));
    }
    return tokens;
  };
}

DecoderStep decode_metaspace(std::string mark, bool was_prepended) {
  return [=, mark = std::move(mark)](Tokens tokens, Budget&) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      replace_all(tokens[i], mark, i == 0 && was_prepended ? "" : " ");
    return tokens;
  };
}

DecoderStep decode_word_suffix(std::string suffix) {
  return [suffix = std::move(suffix)](Tokens tokens, Budget&) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      replace_all(tokens[i], suffix, i + 1 == tokens.size() ? "" : " ");
    return tokens;
  };
}

DecoderStep decode_byte_fallback() {
  return [](const Tokens& tokens, Budget&) {
    Tokens result;
    std::string bytes;
    const auto flush = [&] {
      if (bytes.empty()) return;
      if (valid_utf8(bytes) == bytes) {
        result.push_back(bytes);
      } else {
        result.insert(result.end(), bytes.size(), to_utf8(0xFFFD));
      }
      bytes.clear();
    };
    for (const std::string& token : tokens) {
      if (const auto byte = byte_of_piece(token)) {
        bytes += static_cast<char>(*byte);
        continue;
      }
      flush();
      result.push_back(token);
    }
    flush();
    return result;
  };
}

DecoderStep fuse_tokens() {
  return [](const Tokens& tokens, Budget&) { return Tokens{concatenated(tokens)}; };
}

DecoderStep decode_strip(std::string content, int n_begin, int n_end) {
  return [=, content = std::move(content)](Tokens tokens, Budget&) {
    for (std::string& token : tokens) {
      std::string_view rest = token;
      for (int i = 0; i < n_begin && rest.starts_with(content); ++i) {
        rest.remove_prefix(content.size());
      }
      token.erase(0, token.size() - rest.size());
      for (int i = 0; i < n_end && token.ends_with(content); ++i) {
        token.resize(token.size() - content.size());
      }
    }
    return tokens;
  };
}

DecoderStep decode_replace(Regex pattern, std::string content) {
  return [pattern = std::move(pattern), content = std::move(content)](Tokens tokens, Budget& budget) {
    for (std::string& token : tokens) {
      std::string result;
      for (const MatchedPart& part : pattern.parts(token, budget)) {
        if (part.is_match) {
          budget.take(2 * content.size());
          result += content;
        } else {
          result.append(token, part.span.begin, part.span.end - part.span.begin);
        }
      }
      token = std::move(result);
    }
    return tokens;
  };
}

DecoderStep decode_sentencepiece(SentencePieceDecoding rules) {
  return [rules = std::move(rules)](const Tokens& tokens, Budget&) -> Tokens {
    constexpr std::string_view mark = "▁";
    std::string text;
    std::string bytes;
    bool is_at_begin = rules.drops_first_space;
    const auto flush = [&] {
      while (!bytes.empty()) {
        const std::size_t length = first_character_length(bytes);
        const std::string_view first = std::string_view(bytes).substr(0, length);
        if (valid_utf8(first) == first) {
          text += first;
        } else {
          for (std::size_t i = 0; i < length; ++i) text += to_utf8(0xFFFD);
        }
        bytes.erase(0, length);
      }
    };
    for (const std::string& token : tokens) {
      if (const auto byte = byte_of_piece(token)) {
        bytes += static_cast<char>(*byte);
        is_at_begin = false;
        continue;
      }
      flush();
      if (token == rules.unknown) {
        text += rules.unknown_surface;
        is_at_begin = false;
        continue;
      }
      std::string piece = token;
      if (is_at_begin && !piece.empty()) {
        const bool is_marked = piece.starts_with(mark);
        if (is_marked) piece.erase(0, mark.size());
        is_at_begin = rules.drops_all_first_spaces && piece.empty();
      }
      replace_all(piece, mark, " ");
      text += piece;
    }
    flush();
    return {text};
  };
}

std::string decoded(std::vector<std::string> tokens, const Decoder& decoder, Budget& budget) {
  if (decoder.empty()) {
    for (std::size_t i = 1; i < tokens.size(); ++i) tokens[i].insert(0, " ");
  }
  for (const DecoderStep& step : decoder) {
    // No other step more than triples a text: a byte may become U+FFFD.
    for (const std::string& token : tokens) budget.take(sizeof(token) + 3 * token.size());
    budget.check_time();
    tokens = step(std::move(tokens), budget);
  }
  return valid_utf8(concatenated(tokens));
}

}  // namespace headscope
