#include "core/checkpoint/corpus.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/system/read_file.h"
#include "core/tensor/hash.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {
namespace {

constexpr std::string_view document_end = "<|endoftext|>";
/// A model can only memorise fewer rows than this.
constexpr std::size_t min_ids = 256;
constexpr std::size_t checked_at_once = 1U << 14U;
constexpr std::size_t encoded_at_once = 1U << 12U;

tl::unexpected<Error> unreadable(const std::filesystem::path& path, const std::string& why) {
  return failure("cannot train on '" + path.string() + "': " + why);
}

/// Checks that a text is valid UTF-8, and drops a byte order mark and carriage returns at the ends of lines.
/// `path` is for messages.
Slices<Result<std::string>> checked_text(std::filesystem::path path, Result<std::string> text) {
  if (!text) co_return text;
  if (text->starts_with("\xEF\xBB\xBF")) text->erase(0, 3);
  if (text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF"))
    co_return unreadable(path, "it is UTF-16: save it as UTF-8");
  if (text->find('\0') != std::string::npos)
    co_return unreadable(path, "it is not a text, because it holds NUL bytes: choose a text file in UTF-8");
  std::size_t yielded = 0;
  for (std::size_t at = 0; at < text->size();) {
    if (at - yielded >= checked_at_once) {
      yielded = at;
      co_yield static_cast<double>(at) / static_cast<double>(text->size());
    }
    const std::string_view rest = std::string_view(*text).substr(at);
    const std::size_t length = first_character_length(rest);
    if (valid_utf8(rest.substr(0, length)) != rest.substr(0, length))
      co_return unreadable(path, "byte " + std::to_string(at) + " is not UTF-8: save it as UTF-8");
    at += length;
  }
  co_yield 1.0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text->size(); ++i) {
    const bool is_dropped = (*text)[i] == '\r' && i + 1 < text->size() && (*text)[i + 1] == '\n';
    if (!is_dropped) (*text)[kept++] = (*text)[i];
  }
  text->resize(kept);
  co_return text;
}

std::string_view without_empty_ends(std::string_view text) {
  while (!text.empty() && (text.front() == '\n' || text.front() == ' ')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

/// The documents of a text, without those that are empty.
std::vector<std::string_view> documents_of(std::string_view text) {
  std::vector<std::string_view> documents;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view document = without_empty_ends(text.substr(begin, end - begin));
    if (!document.empty()) documents.push_back(document);
  };
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t line_end = std::min(text.find('\n', line), text.size());
    if (text.substr(line, line_end - line) == document_end) {
      add(line);
      begin = line_end;
    }
    line = line_end + 1;
  }
  add(text.size());
  return documents;
}

/// A text in memory, and the documents in it.
struct TextDocuments {
  std::vector<std::string> texts;
  std::vector<std::string_view> documents;
};

Slices<Result<TextDocuments>> read_all(const std::vector<std::filesystem::path>& files, std::string pasted,
                                       std::size_t& bytes_left) {
  TextDocuments all;
  for (std::size_t i = 0; i < files.size() + (pasted.empty() ? 0 : 1); ++i) {
    const bool is_file = i < files.size();
    Slices<Result<std::string>> checking =
        checked_text(is_file ? files[i] : pasted_text_name,
                     is_file ? read_file(files[i], bytes_left) : Result<std::string>(pasted));
    while (checking.next()) co_yield checking.share();
    all.texts.push_back(checking.take().value());
    bytes_left -= std::min(bytes_left, all.texts.back().size());
  }
  for (const std::string& text : all.texts) {
    co_yield 1.0;
    for (const std::string_view document : documents_of(text)) all.documents.push_back(document);
  }
  co_return all;
}

/// One in this many documents is held out; of fewer documents, that share of each.
constexpr std::size_t one_of = 16;

/// Moves the held-out share of the documents out of `train`.
std::vector<std::string_view> hold_out(std::vector<std::string_view>& train) {
  std::vector<std::string_view> held_out, kept;
  if (train.size() < one_of) {
    // The end of each document, from a space on.
    for (std::string_view& document : train) {
      const std::size_t share = document.size() / one_of;
      if (share == 0) continue;
      const std::size_t target = document.size() - share;
      std::size_t cut = document.find_last_of(" \n\t", target);
      if (cut == std::string_view::npos || target - cut > share) {
        // In a text without spaces, between two characters.
        for (cut = target; cut > 0 && (static_cast<unsigned char>(document[cut]) & 0xC0U) == 0x80U;) --cut;
      }
      if (cut == 0) continue;
      held_out.push_back(without_empty_ends(document.substr(cut)));
      document = document.substr(0, cut);
    }
    return held_out;
  }
  for (std::size_t i = 0; i < train.size(); ++i)
    (i % one_of == one_of - 1 ? held_out : kept).push_back(train[i]);
  train = std::move(kept);
  return held_out;
}

/// The first words of a document, so that a model goes on within its first sentence.
std::string beginning_of(std::string_view document) {
  constexpr int n_words = 7;
  constexpr std::size_t most = 120;
  const std::string_view line = document.substr(0, document.find('\n'));
  std::size_t end = 0;
  for (int i = 0; i < n_words && end != std::string_view::npos; ++i) end = line.find(' ', end + 1);
  const std::string_view words = line.substr(0, end);
  return words.size() > most ? std::string() : std::string(words);
}

/// How many words a text has: stretches without spaces.
std::size_t word_count(std::string_view text) {
  std::size_t n = 0;
  constexpr const char* spaces = " \n\t\r";
  for (std::size_t at = 0; (at = text.find_first_not_of(spaces, at)) != std::string_view::npos; ++n)
    at = std::min(text.find_first_of(spaces, at), text.size());
  return n;
}

std::string name_of(const TextSources& sources) {
  if (sources.files.empty()) return pasted_text_name;
  std::string name = valid_utf8(sources.files.front().filename().string());
  if (sources.files.size() > 1)
    name += " and " + count_text(static_cast<int>(sources.files.size()) - 1, "other file");
  return name;
}

std::uint64_t hash_of(const TextDocuments& read, std::uint64_t seed) {
  std::string sizes = "texts:";
  for (const std::string& text : read.texts) sizes += " " + std::to_string(text.size());
  seed = xxh64_hash(sizes, seed);
  for (const std::string& text : read.texts) seed = xxh64_hash(text, seed);
  return seed;
}

/// The beginning of a text, of a few pieces, so that every model has room to go on. A text without spaces may
/// have as many pieces as characters.
std::string first_pieces(const ModelTokenizer& tokenizer, const std::string& text) {
  constexpr std::size_t most = 24;
  const auto tokens = tokenizer.encode(text);
  if (!tokens || tokens->size() <= most) return text;
  const std::size_t end = (*tokens)[most - 1].token.span.end;
  return end == 0 ? text : text.substr(0, end);
}

/// The ids of documents, each with the piece that ends it. The tokenizer marks the beginning of a text as if
/// there were a space, and no piece goes on after one, so a document is read in parts that leave out the
/// space between them.
Slices<Result<std::vector<DocumentIds>>> ids_of(const ModelTokenizer& tokenizer,
                                                const std::vector<std::string_view>& documents) {
  std::vector<DocumentIds> ids;
  std::size_t n_bytes = 0, n_read = 0;
  for (const std::string_view document : documents) n_bytes += document.size();
  for (const std::string_view document : documents) {
    DocumentIds& of_document = ids.emplace_back();
    for (std::size_t at = 0; at < document.size();) {
      std::size_t end = document.find(' ', at + encoded_at_once);
      if (end == std::string_view::npos || end + 1 == document.size()) end = document.size();
      const std::vector<int> of_part = tokenizer.ids(document.substr(at, end - at)).value();
      of_document.insert(of_document.end(), of_part.begin() + (at == 0 ? 0 : 1), of_part.end());
      n_read += end - at;
      at = end + 1;
      co_yield static_cast<double>(n_read) / static_cast<double>(n_bytes);
    }
    of_document.push_back(end_piece);
  }
  co_return ids;
}

std::size_t n_ids_of(const std::vector<DocumentIds>& documents) {
  std::size_t n = 0;
  for (const DocumentIds& document : documents) n += document.size();
  return n;
}

}  // namespace

std::size_t Corpus::n_ids(Split split) const {
  return n_ids_of(split == Split::train ? train : held_out);
}

std::size_t Corpus::n_windows(int context) const {
  const auto most = static_cast<std::size_t>(context);
  std::size_t n = 0;
  for (const DocumentIds& document : train) {
    if (document.size() > 1) n += (document.size() - 2) / most + 1;
  }
  return n;
}

Result<std::shared_ptr<const ModelTokenizer>> tokenizer_of(const SentencePieceModel& pieces) {
  ModelConfiguration configuration;
  configuration.family = "llama";
  return sentencepiece_parts(pieces, configuration).map([](TokenizerParts&& parts) {
    return std::make_shared<const ModelTokenizer>(std::move(parts));
  });
}

namespace {

/// Makes the vocabulary of the training text, unless it is given, and splits both texts into its pieces.
Slices<Result<Corpus>> split_into_pieces(Corpus corpus, VocabularyPlan vocabulary, const TextDocuments& train,
                                         const TextDocuments& held_out) {
  constexpr double share_of_vocabulary = 0.75;  // It takes most of the time.
  if (vocabulary.given) {
    corpus.pieces = std::move(*vocabulary.given);
  } else {
    Slices<Result<SentencePieceModel>> training =
        train_pieces(train.documents, vocabulary.kind, vocabulary.n_pieces);
    while (training.next()) co_yield share_of_vocabulary* training.share();
    corpus.pieces = training.take().value();
  }
  co_yield share_of_vocabulary;
  corpus.tokenizer = tokenizer_of(corpus.pieces).value();
  corpus.example = first_pieces(*corpus.tokenizer, corpus.example);
  for (const bool is_held_out : {false, true}) {
    Slices<Result<std::vector<DocumentIds>>> encoding =
        ids_of(*corpus.tokenizer, (is_held_out ? held_out : train).documents);
    while (encoding.next())
      co_yield is_held_out ? 1.0 : std::lerp(share_of_vocabulary, 1.0, encoding.share());
    (is_held_out ? corpus.held_out : corpus.train) = encoding.take().value();
  }
  co_return corpus;
}

/// Whether a text has so few different characters that there is nothing to learn from it.
bool repeats_itself(const TextDocuments& text) {
  constexpr std::size_t few = 3;
  std::set<char> seen;
  for (const std::string_view document : text.documents) {
    for (const char c : document) {
      if (seen.insert(c).second && seen.size() > few) return false;
    }
  }
  return true;
}

}  // namespace

Slices<Result<Corpus>> read_corpus(TextSources sources, VocabularyPlan vocabulary) {
  constexpr double share_read = 0.2;
  std::size_t bytes_left = max_text_bytes;
  Slices<Result<TextDocuments>> reading = read_all(sources.files, sources.pasted, bytes_left);
  while (reading.next()) co_yield share_read* reading.share();
  TextDocuments train = reading.take().value();
  reading = read_all(sources.held_out, "", bytes_left);
  while (reading.next()) co_yield share_read;
  TextDocuments held_out = reading.take().value();
  Corpus corpus;
  corpus.sources = sources;
  corpus.name = name_of(sources);
  co_yield share_read;
  corpus.hash = hash_of(held_out, hash_of(train, 0));
  const bool holds_ends = sources.held_out.empty() && train.documents.size() < one_of;
  if (sources.held_out.empty()) held_out.documents = hold_out(train.documents);
  const std::filesystem::path first = sources.files.empty() ? pasted_text_name : sources.files.front();
  if (train.documents.empty()) co_return unreadable(first, "it holds no text");
  co_yield share_read;
  corpus.n_documents = static_cast<int>(train.documents.size());
  // The end of a document is no beginning.
  const bool from_train = holds_ends || held_out.documents.empty();
  corpus.example = beginning_of((from_train ? train : held_out).documents.front());
  for (const std::string_view document : train.documents) {
    corpus.n_characters += character_count(document);
    corpus.n_words += word_count(document);
  }
  for (const std::string_view document : held_out.documents)
    corpus.n_held_out_characters += character_count(document);
  for (;; vocabulary.kind = PieceKind::characters) {
    corpus.is_of_characters = !vocabulary.given && vocabulary.kind == PieceKind::characters;
    Slices<Result<Corpus>> splitting = split_into_pieces(corpus, vocabulary, train, held_out);
    while (splitting.next()) co_yield std::lerp(share_read, 1.0, splitting.share());
    Corpus split = splitting.take().value();
    const std::size_t n = split.n_ids(Split::train);
    if (n >= min_ids) co_return split;
    if (vocabulary.given || corpus.is_of_characters || repeats_itself(train))
      co_return unreadable(first, "its text has only " + std::to_string(n) + " pieces, but training needs " +
                                      std::to_string(min_ids) + ": add more text");
  }
}

}  // namespace headscope
