"""Random texts for comparing tokenizers, of words, spaces, marks, scripts, digits and whatever breaks tokenizers. All
characters are in Unicode 3.2, on which all releases of the libraries agree."""

import random
import unicodedata

SPACES = [" ", "  ", "   ", "\t", "\r", "\x0b", "\x0c", "\x85", "\u00a0", "\u1680", "\u2003", "\u200b", "\u2028", "\u3000",
          "\ufeff"]
SPECIALS = ["<s>", "</s>", "<unk>", "<pad>", "[CLS]", "[SEP]", "[MASK]", "<|endoftext|>", "▁", "▁▁", "<0x41>", "##", "Ġ"]
LETTERS = ["É", "é", "e\u0301", "İ", "ß", "ſ", "ﬁ", "½", "①", "ⓐ", "Ⅷ", "한글", "각", "ำ", "が", "か\u3099", "ー", "Ω", "K", "Å",
           "😀", "👨\u200d👩", "₂", "²", "Ǆ", "ŉ", "ΑΣ", "中文", "\u0001", "\u007f", "\ufffd", "\U0010ffff", "\uffff"]
SYLLABLES = ["ba", "ne", "ti", "lo", "th", "e", "ing", "er", "an", "qu", "sh", "or", "a", "i", "s", "un", "re"]


def assigned():
    ucd = unicodedata.ucd_3_2_0
    return [chr(c) for c in range(1, 0x30000)
            if not 0xD800 <= c < 0xE000 and c != 0x0A and ucd.category(chr(c)) not in ("Cn", "Cs", "Co")
            # Leaves out characters whose kind has changed since: in old tables a mark, a format character or a symbol.
            and ucd.category(chr(c)) == unicodedata.category(chr(c)) and c not in (0x1734, 0x180E)]


def word(rng):
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randrange(1, 5)))


def texts(n, seed):
    rng = random.Random(seed)
    characters = assigned()
    common = [c for c in characters if ord(c) < 0x3400]
    marks = [c for c in characters if unicodedata.category(c)[0] == "M" and ord(c) > 0x36F]
    punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

    def part():
        draw = rng.random()
        if draw < 0.32:
            one = word(rng)
            return rng.choice([one, one.capitalize(), one.upper(), " " + one])
        if draw < 0.44:
            return rng.choice(SPACES)
        if draw < 0.52:
            return rng.choice(SPECIALS)
        if draw < 0.60:
            return rng.choice(LETTERS)
        if draw < 0.66:
            return "".join(rng.choice(characters) for _ in range(rng.randrange(1, 4)))
        if draw < 0.76:
            return "".join(rng.choice(common) for _ in range(rng.randrange(1, 5)))
        if draw < 0.80:
            return rng.choice("aeiouN") + "".join(rng.choice(marks) for _ in range(rng.randrange(1, 4)))
        if draw < 0.86:
            return str(rng.randrange(100_000))
        if draw < 0.95:
            return "".join(rng.choice(punctuation) for _ in range(rng.randrange(1, 3)))
        return rng.choice(["'s", "'LL", "n't", " don't", "I'M"])

    for _ in range(n):
        yield "".join(part() + (" " if rng.random() < 0.3 else "") for _ in range(rng.randrange(14)))
