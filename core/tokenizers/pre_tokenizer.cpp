#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "core/tokenizers/characters.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {
namespace {

using MatchedParts = std::vector<MatchedPart>;

/// Merges adjacent parts for which `joins(previous, part)` is true.
template <class Joins>
MatchedParts joined(const MatchedParts& parts, Joins&& joins) {
  MatchedParts result;
  bool was_match = false;
  for (const MatchedPart& part : parts) {
    if (!result.empty() && joins(was_match, part.is_match)) {
      result.back().span.end = part.span.end;
    } else {
      result.push_back(part);
    }
    was_match = part.is_match;
  }
  return result;
}

/// Merges each match with the following text; of consecutive matches, only the last.
MatchedParts joined_with_next(const MatchedParts& parts) {
  MatchedParts result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    result.push_back(parts[i]);
    if (parts[i].is_match && i + 1 < parts.size() && !parts[i + 1].is_match) {
      result.back().span.end = parts[++i].span.end;
    }
  }
  return result;
}

/// Appends the words of a split at `offset` in the text.
void add_words(const MatchedParts& parts, SplitBehavior behavior, std::size_t offset,
               std::vector<TextSpan>& words) {
  MatchedParts kept;
  switch (behavior) {
    case SplitBehavior::removed:
      std::copy_if(parts.begin(), parts.end(), std::back_inserter(kept),
                   [](const MatchedPart& part) { return !part.is_match; });
      break;
    case SplitBehavior::isolated:
      kept = parts;
      break;
    case SplitBehavior::merged_with_previous:
      kept = joined(parts, [](bool was_match, bool is_match) { return is_match && !was_match; });
      break;
    case SplitBehavior::merged_with_next:
      kept = joined_with_next(parts);
      break;
    case SplitBehavior::contiguous:
      kept = joined(parts, [](bool was_match, bool is_match) { return is_match == was_match; });
      break;
  }
  for (const MatchedPart& part : kept) {
    if (part.span.begin < part.span.end) words.push_back({offset + part.span.begin, offset + part.span.end});
  }
}

MatchedParts parts_at(std::string_view text, bool (*is_split_at)(char32_t)) {
  MatchedParts parts;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    const TextSpan span{at, at + c.length};
    at += c.length;
    if (is_split_at(c.value)) {
      parts.push_back({span, true});
    } else if (!parts.empty() && !parts.back().is_match) {
      parts.back().span.end = span.end;
    } else {
      parts.push_back({span, false});
    }
  }
  return parts;
}

/// Splits every word separately with `split(word) -> MatchedParts`.
template <class Split>
SplitText split_words(SplitText in, SplitBehavior behavior, Split&& split) {
  std::vector<TextSpan> words;
  in.text.budget().take(in.words.size(), 2 * sizeof(TextSpan));
  words.reserve(2 * in.words.size());
  for (const TextSpan& word : in.words) {
    const MatchedParts parts = split(in.text.text().substr(word.begin, word.end - word.begin));
    in.text.budget().take(parts.size(), 2 * (sizeof(MatchedPart) + sizeof(TextSpan)));
    add_words(parts, behavior, word.begin, words);
  }
  in.words = std::move(words);
  return in;
}

SplitText at_matches(SplitText in, const Regex& pattern, SplitBehavior behavior, bool is_inverted) {
  return split_words(std::move(in), behavior, [&](std::string_view word) {
    MatchedParts parts = pattern.parts(word, in.text.budget());
    if (is_inverted)
      for (MatchedPart& part : parts) part.is_match = !part.is_match;
    return parts;
  });
}

/// Rebuilds the text from its words, each rewritten by `write(word, output)`.
template <class Write>
SplitText rewritten(const SplitText& in, Write&& write) {
  SplitText out{LocatedText(in.text.budget()), {}};
  out.text.reserve(in.text.size() + in.words.size());
  in.text.budget().take(in.words.size(), sizeof(TextSpan));
  out.words.reserve(in.words.size());
  for (const TextSpan& word : in.words) {
    const std::size_t begin = out.text.size();
    write(word, out.text);
    if (out.text.size() > begin) out.words.push_back({begin, out.text.size()});
  }
  return out;
}

}  // namespace

const Regex& gpt2_pattern() {
  static const Regex pattern = Regex::pattern(gpt2_split).value();
  return pattern;
}

PreTokenizerStep split_at_matches(Regex pattern, SplitBehavior behavior, bool is_inverted) {
  return [=, pattern = std::move(pattern)](SplitText in) {
    return at_matches(std::move(in), pattern, behavior, is_inverted);
  };
}

PreTokenizerStep split_at_characters(bool (*is_split_at)(char32_t), SplitBehavior behavior) {
  return [=](SplitText in) {
    return split_words(std::move(in), behavior,
                       [&](std::string_view word) { return parts_at(word, is_split_at); });
  };
}

PreTokenizerStep byte_level(bool adds_prefix_space, bool splits) {
  return [=](SplitText in) -> SplitText {
    if (adds_prefix_space) {
      in = rewritten(in, [&](const TextSpan& word, LocatedText& out) {
        if (in.text.text()[word.begin] != ' ') out.append(" ", in.text.origin(word.begin));
        out.append(in.text, word.begin, word.end);
      });
    }
    if (splits) in = at_matches(std::move(in), gpt2_pattern(), SplitBehavior::isolated, false);
    return rewritten(in, [&](const TextSpan& word, LocatedText& out) {
      for (std::size_t i = word.begin; i < word.end; ++i) {
        out.append(letter_of_byte(static_cast<unsigned char>(in.text.text()[i])), in.text.origin(i));
      }
    });
  };
}

PreTokenizerStep split_at_spaces(MetaspaceSplit metaspace) {
  return [metaspace = std::move(metaspace)](const SplitText& in) -> SplitText {
    using Prepends = MetaspaceSplit::Prepends;
    SplitText marked = rewritten(in, [&](const TextSpan& word, LocatedText& out) {
      const std::string_view text = in.text.text();
      const LocatedText::Origin first = in.text.origin(word.begin);
      const std::string_view here = text.substr(word.begin, word.end - word.begin);
      const bool is_marked = here.starts_with(' ') || here.starts_with(metaspace.mark);
      const bool is_kept = metaspace.prepends == Prepends::always ||
                           (metaspace.prepends == Prepends::first && first.begin == 0);
      if (is_kept && !is_marked) out.append(metaspace.mark, first);
      for (std::size_t at = word.begin; at < word.end;) {
        const std::size_t space = std::min(text.find(' ', at), word.end);
        out.append(in.text, at, space);
        if (space < word.end) out.append(metaspace.mark, in.text.origin(space));
        at = space + 1;
      }
    });
    if (!metaspace.splits) return marked;
    return split_words(std::move(marked), SplitBehavior::merged_with_next, [&](std::string_view word) {
      MatchedParts parts;
      for (std::size_t at = 0; at < word.size();) {
        const std::size_t mark = std::min(word.find(metaspace.mark, at), word.size());
        if (mark > at) parts.push_back({{at, mark}, false});
        at = std::min(word.size(), mark + metaspace.mark.size());
        if (mark < at) parts.push_back({{mark, at}, true});
      }
      return parts;
    });
  };
}

SplitText pre_tokenize(LocatedText text, const PreTokenizer& steps) {
  SplitText now{std::move(text), {}};
  if (!now.text.empty()) now.words.push_back({0, now.text.size()});
  for (const PreTokenizerStep& step : steps) now = step(std::move(now));
  return now;
}

}  // namespace headscope
