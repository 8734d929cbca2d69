#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tasks/text_examples.h"
#include "core/tokenizers/model_tokenizer.h"
#include "core/tokenizers/piece_trainer.h"

namespace headscope {

/// What a language model is trained on: texts in UTF-8. Lines "<|endoftext|>" end a document; a text without
/// them is one document.
struct TextSources {
  std::vector<std::filesystem::path> files;
  std::string pasted = {};  ///< A text that is in no file. Empty if there is none.
  /// Text that is never trained on. If there is none, every sixteenth document is held out, or the end of the
  /// only one.
  std::vector<std::filesystem::path> held_out = {};
  bool operator==(const TextSources&) const = default;
};

/// What people call a text that was pasted.
inline constexpr const char* pasted_text_name = "the pasted text";

/// The pieces into which a text is split: given ones, or those that are made for it.
struct VocabularyPlan {
  PieceKind kind = PieceKind::byte_pairs;
  int n_pieces = 2048;
  std::optional<SentencePieceModel> given = {};
};

/// A text to train a language model on, split into pieces.
struct Corpus {
  TextSources sources;
  std::string name;        ///< “poem.txt and 2 other files”
  std::uint64_t hash = 0;  ///< The hash of the texts. If they are not open, that of the weights.
  int n_documents = 0;     ///< Of the text to train on, as the next two.
  std::size_t n_characters = 0, n_words = 0;
  std::size_t n_held_out_characters = 0;
  SentencePieceModel pieces = {};
  std::shared_ptr<const ModelTokenizer> tokenizer = {};
  /// The beginning of a document, held out if a whole one is, for a model to continue.
  std::string example = {};
  std::vector<DocumentIds> train = {}, held_out = {};

  std::size_t n_ids(Split split) const;
  /// How many windows of at most `context` rows cover the text to train on, as TextExamples cuts it.
  std::size_t n_windows(int context) const;
  /// Whether the text is open, so that a model can be trained on it.
  bool is_open() const { return !train.empty(); }
};

/// The tokenizer of pieces that train_pieces() made.
Result<std::shared_ptr<const ModelTokenizer>> tokenizer_of(const SentencePieceModel& pieces);

inline constexpr std::size_t max_text_bytes = std::size_t{1} << 28U;

/// Reads texts, makes their vocabulary and splits them into its pieces. Errors name the file: it cannot be
/// read, is not a regular file, is larger than max_text_bytes, is not UTF-8, or holds too little text. Once
/// `stop` is set, it fails.
Result<Corpus> read_corpus(const TextSources& sources, const VocabularyPlan& vocabulary,
                           const std::atomic<bool>& stop);

}  // namespace headscope
