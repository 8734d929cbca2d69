#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/slices.h"
#include "core/tasks/text_examples.h"
#include "core/tokenizers/model_tokenizer.h"
#include "core/tokenizers/sentencepiece_model.h"

namespace headscope {

/// The UTF-8 texts that a language model is trained on. Lines "<|endoftext|>" end a document; a text without
/// them is one document.
struct TextSources {
  std::vector<std::filesystem::path> files;
  std::string pasted = {};  ///< A text without a file. Empty if there is none.
  /// Held-out text. If there is none, every sixteenth document is held out, or the end of the only one.
  std::vector<std::filesystem::path> held_out = {};
  bool operator==(const TextSources&) const = default;
};

/// The display name of a pasted text.
inline constexpr const char* pasted_text_name = "the pasted text";

/// The pieces that a text is split into: given ones, or new ones for this text.
struct VocabularyPlan {
  PieceKind kind = PieceKind::byte_pairs;
  int n_pieces = 2048;
  std::optional<SentencePieceModel> given = {};
};

/// A text to train a language model on, split into pieces.
struct Corpus {
  TextSources sources;
  std::string name;        ///< “poem.txt and 2 other files”
  std::uint64_t hash = 0;  ///< The hash of the texts or, if they are not open, of the weights.
  int n_documents = 0;     ///< Of the training text, as are the next two.
  std::size_t n_characters = 0, n_words = 0;
  std::size_t n_held_out_characters = 0;
  SentencePieceModel pieces = {};
  bool is_of_characters = false;  ///< The text has too few larger pieces, so each is a character.
  std::shared_ptr<const ModelTokenizer> tokenizer = {};
  /// The beginning of a document for a model to continue, of a held-out one if there is one.
  std::string example = {};
  std::vector<DocumentIds> train = {}, held_out = {};

  std::size_t n_ids(Split split) const;
  /// The number of windows of at most `context` rows in the training text, as TextExamples cuts it.
  std::size_t n_windows(int context) const;
  /// Whether the text is open, so that a model can be trained on it.
  bool is_open() const { return !train.empty(); }
};

/// The tokenizer of pieces that train_pieces() made.
Result<std::shared_ptr<const ModelTokenizer>> tokenizer_of(const SentencePieceModel& pieces);

inline constexpr std::size_t max_text_bytes = std::size_t{1} << 28U;

/// Reads texts, makes their vocabulary and splits them into its pieces, in slices of some kilobytes. The
/// pieces of a text that is too short to train on larger ones are characters. Errors
/// name the file: it cannot be read, is not a regular file, is larger than max_text_bytes, is not UTF-8, or
/// has too little text.
Slices<Result<Corpus>> read_corpus(TextSources sources, VocabularyPlan vocabulary);

}  // namespace headscope
