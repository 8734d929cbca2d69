#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {
namespace {

using namespace std::string_view_literals;
using Origin = LocatedText::Origin;

/// Calls `each(character, origin)` for every character.
template <class Each>
void for_characters(const LocatedText& text, Each&& each) {
  const std::string_view bytes = text.text();
  for (std::size_t at = 0; at < bytes.size();) {
    const Character c = character_at(bytes, at);
    each(c.value, text.origin(at));
    at += c.length;
  }
}

/// The text to which `each(character, origin, to)` appends what becomes of every character.
template <class Each>
LocatedText transformed(const LocatedText& text, Each&& each) {
  LocatedText result(text.budget());
  result.reserve(text.size());
  for_characters(text, [&](char32_t c, Origin origin) { each(c, origin, result); });
  return result;
}

/// Keeps the characters for which `keeps` is true.
template <class Keeps>
LocatedText filtered(const LocatedText& text, Keeps&& keeps) {
  return transformed(text, [&](char32_t c, Origin origin, LocatedText& to) {
    if (keeps(c)) to.append(c, origin);
  });
}

struct DecomposedCharacter {
  char32_t value = 0;
  Origin origin;
  int combining_class = 0;
};

int combining_class_of(char32_t c) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

void append_decomposed(char32_t c, Origin origin, bool is_compatible, std::vector<DecomposedCharacter>& to) {
  constexpr utf8proc_ssize_t longest = 32;  // U+FDFA is the longest, with 18
  std::array<utf8proc_int32_t, longest> parts{};
  int boundary = 0;
  const int options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (is_compatible ? UTF8PROC_COMPAT : 0);
  const auto n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts.data(), longest,
                                         static_cast<utf8proc_option_t>(options), &boundary);
  if (n < 0 || n > longest) {
    to.push_back({c, origin, combining_class_of(c)});
    return;
  }
  for (utf8proc_ssize_t i = 0; i < n; ++i) {
    const auto part = static_cast<char32_t>(parts[static_cast<std::size_t>(i)]);
    to.push_back({part, origin, combining_class_of(part)});
  }
}

/// Canonical ordering: sorts the marks after a starter by their class.
void order_marks(std::vector<DecomposedCharacter>& characters) {
  for (auto begin = characters.begin(); begin != characters.end();) {
    const auto first =
        std::find_if(begin, characters.end(), [](const auto& c) { return c.combining_class != 0; });
    const auto last =
        std::find_if(first, characters.end(), [](const auto& c) { return c.combining_class == 0; });
    std::stable_sort(first, last,
                     [](const auto& a, const auto& b) { return a.combining_class < b.combining_class; });
    begin = last;
  }
}

/// The composition of two characters, if any.
std::optional<char32_t> composed(char32_t first, char32_t second) {
  constexpr char32_t min_second = 0x300;
  if (second < min_second) return std::nullopt;
  std::array<utf8proc_int32_t, 3> pair{static_cast<utf8proc_int32_t>(first),
                                       static_cast<utf8proc_int32_t>(second), 0};
  const auto n = utf8proc_normalize_utf32(pair.data(), 2,
                                          static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  return n == 1 ? std::optional(static_cast<char32_t>(pair[0])) : std::nullopt;
}

/// Canonical composition (the Unicode Standard, D117).
void compose(std::vector<DecomposedCharacter>& characters) {
  std::size_t n_kept = 0;
  std::optional<std::size_t> starter;
  // The combining class of the last character since the starter, or 0.
  int last_class = 0;
  bool is_adjacent = true;
  for (const DecomposedCharacter& c : characters) {
    const bool is_blocked = !is_adjacent && last_class >= c.combining_class;
    if (starter && !is_blocked) {
      if (const auto whole = composed(characters[*starter].value, c.value)) {
        characters[*starter].value = *whole;
        characters[*starter].origin.end = std::max(characters[*starter].origin.end, c.origin.end);
        continue;
      }
    }
    if (c.combining_class == 0) {
      starter = n_kept;
      is_adjacent = true;
    } else {
      is_adjacent = false;
    }
    last_class = c.combining_class;
    characters[n_kept++] = c;
  }
  characters.resize(n_kept);
}

LocatedText in_unicode_form(const LocatedText& text, bool composes, bool is_compatible) {
  if (is_ascii(text.text())) return text;
  std::vector<DecomposedCharacter> characters;
  text.budget().take(text.size(), 2 * sizeof(DecomposedCharacter));
  characters.reserve(text.size());
  for_characters(text, [&](char32_t c, Origin origin) {
    if (c < 0x80) {
      characters.push_back({c, origin, 0});
    } else {
      append_decomposed(c, origin, is_compatible, characters);
    }
  });
  order_marks(characters);
  if (composes) compose(characters);
  LocatedText result(text.budget());
  result.reserve(text.size());
  for (const DecomposedCharacter& c : characters) result.append(c.value, c.origin);
  return result;
}

LocatedText cleaned(const LocatedText& text) {
  return transformed(text, [](char32_t c, Origin origin, LocatedText& to) {
    const bool is_line = c == '\t' || c == '\n' || c == '\r';
    if (c == 0 || c == 0xFFFD || (!is_line && is_other(c))) return;
    to.append(is_line || is_white_space(c) ? U' ' : c, origin);
  });
}

LocatedText with_separate_ideographs(const LocatedText& text) {
  return transformed(text, [](char32_t c, Origin origin, LocatedText& to) {
    const bool is_separate = is_bert_ideograph(c);
    if (is_separate) to.append(U' ', origin);
    to.append(c, origin);
    if (is_separate) to.append(U' ', origin);
  });
}

/// The end of the grapheme that begins at `begin`.
std::size_t grapheme_end(std::string_view text, std::size_t begin) {
  Character now = character_at(text, begin);
  std::size_t end = begin + now.length;
  utf8proc_int32_t state = 0;
  while (end < text.size()) {
    const Character next = character_at(text, end);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(now.value),
                                         static_cast<utf8proc_int32_t>(next.value), &state)) {
      break;
    }
    end += next.length;
    now = next;
  }
  return end;
}

/// sentencepiece's normalizer.
LocatedText normalized_as_sentencepiece(const LocatedText& in, const SentencePieceNormalization& rules) {
  const std::string_view bytes = in.text();
  const std::string_view space = rules.escapes_spaces ? "▁" : " ";
  LocatedText out(in.budget());
  const auto first = [&](std::size_t at) -> Charsmap::Replacement {
    const std::string_view rest = bytes.substr(at);
    if (const auto kept = rules.kept.longest(rest)) return {rest.substr(0, kept->second), kept->second};
    if (const auto mapped = rules.map.longest(rest)) return *mapped;
    const std::size_t length = character_at(rest, 0).length;
    return {rest.substr(0, length), length};
  };
  const auto add = [&](std::string_view text, Origin origin) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      out.append(text.substr(at, end - at), origin);
      if (end < text.size()) out.append(space, origin);
      at = end + 1;
    }
  };
  std::size_t at = 0;
  while (rules.removes_extra_spaces && at < bytes.size()) {
    const auto [text, length] = first(at);
    if (text != " ") break;
    at += length;
  }
  if (at == bytes.size()) return out;
  out.reserve(bytes.size() + bytes.size() / 2);
  const std::uint32_t begin = in.origin(at).begin;
  if (rules.adds_dummy_prefix && !rules.has_space_suffix) out.append(space, {begin, begin});
  bool is_after_space = rules.removes_extra_spaces;
  while (at < bytes.size()) {
    auto [text, length] = first(at);
    while (is_after_space && text.starts_with(' ')) text.remove_prefix(1);
    if (!text.empty()) {
      add(text, in.spanned(at, at + length));
      is_after_space = text.ends_with(' ');
    }
    if (!rules.removes_extra_spaces) is_after_space = false;
    at += length;
  }
  std::size_t end = out.size();
  while (rules.removes_extra_spaces && out.text().substr(0, end).ends_with(space)) end -= space.size();
  if (end < out.size()) out = out.part(0, end);
  if (rules.adds_dummy_prefix && rules.has_space_suffix) {
    const std::uint32_t last = out.empty() ? begin : out.origin(out.size() - 1).end;
    out.append(space, {last, last});
  }
  return out;
}

bool is_removed_by_nmt(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
}

bool is_space_to_nmt(char32_t c) {
  return c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
         c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

}  // namespace

LocatedText lower_cased(const LocatedText& text) {
  return transformed(text, [](char32_t c, Origin origin, LocatedText& to) {
    if (c == 0x130) {  // İ
      for (const char32_t each : U"i\u0307"sv) to.append(each, origin);
    } else {
      to.append(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))), origin);
    }
  });
}

LocatedText without_accents(const LocatedText& text) {
  return filtered(text, [](char32_t c) { return !is_mark(c); });
}

LocatedText byte_letter_text(const LocatedText& text) {
  LocatedText result(text.budget());
  result.reserve(2 * text.size());
  const std::string_view bytes = text.text();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    result.append(letter_of_byte(static_cast<unsigned char>(bytes[i])), text.origin(i));
  }
  return result;
}

LocatedText nmt_normalization(const LocatedText& text) {
  return transformed(text, [](char32_t c, Origin origin, LocatedText& to) {
    if (!is_removed_by_nmt(c)) to.append(is_space_to_nmt(c) ? U' ' : c, origin);
  });
}

NormalizerStep unicode_form(bool composes, bool is_compatible) {
  return [=](const LocatedText& text) { return in_unicode_form(text, composes, is_compatible); };
}

NormalizerStep strip_spaces(bool left, bool right) {
  return [=](const LocatedText& text) {
    const std::string_view bytes = text.text();
    const std::size_t begin = left ? spaces_after(bytes, 0) : 0;
    const std::size_t end = right ? std::max(spaces_before(bytes, bytes.size()), begin) : bytes.size();
    return text.part(begin, end);
  };
}

NormalizerStep replace_matches(Regex pattern, std::string content) {
  return [pattern = std::move(pattern), content = std::move(content)](const LocatedText& text) {
    LocatedText result(text.budget());
    result.reserve(text.size());
    for (const MatchedPart& part : pattern.parts(text.text(), text.budget())) {
      const auto [begin, end] = part.span;
      if (!part.is_match) {
        result.append(text, begin, end);
      } else if (begin < end) {
        result.append(content, text.spanned(begin, end));
      } else {
        const std::uint32_t place = begin > 0 ? text.origin(begin - 1).end : 0;
        result.append(content, {place, place});
      }
    }
    return result;
  };
}

NormalizerStep with_prefix(std::string prefix) {
  return [prefix = std::move(prefix)](LocatedText text) {
    text.prepend(prefix);
    return text;
  };
}

NormalizerStep bert_normalization(BertNormalization bert) {
  return [bert](LocatedText text) {
    if (bert.cleans) text = cleaned(text);
    if (bert.separates_ideographs) text = with_separate_ideographs(text);
    if (bert.strips_accents) {
      text = filtered(in_unicode_form(text, false, false), [](char32_t c) { return !is_nonspacing_mark(c); });
    }
    return bert.lowers ? lower_cased(text) : text;
  };
}

NormalizerStep precompiled_map(Charsmap map) {
  return [map = std::move(map)](const LocatedText& text) {
    constexpr std::size_t longest_whole = 5;
    const std::string_view bytes = text.text();
    LocatedText result(text.budget());
    result.reserve(text.size());
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t end = grapheme_end(bytes, at);
      const auto whole = end - at <= longest_whole ? map.shortest(bytes.substr(at, end - at)) : std::nullopt;
      if (whole) {
        result.append(whole->first, text.spanned(at, end));
        at = end;
      }
      while (at < end) {
        const std::size_t length = character_at(bytes, at).length;
        const auto replacement = map.shortest(bytes.substr(at, length));
        result.append(replacement ? replacement->first : bytes.substr(at, length),
                      text.spanned(at, at + length));
        at += length;
      }
    }
    return result;
  };
}

NormalizerStep sentencepiece_normalization(SentencePieceNormalization rules) {
  return [rules = std::move(rules)](const LocatedText& text) {
    return normalized_as_sentencepiece(text, rules);
  };
}

LocatedText normalized(LocatedText text, const Normalizer& normalizer) {
  for (const NormalizerStep& step : normalizer) {
    text.budget().check_time();
    text = step(std::move(text));
  }
  return text;
}

}  // namespace headscope
