#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/language_model.h"
#include "core/tasks/text_examples.h"
#include "core/tokenizers/model_tokenizer.h"
#include "core/tokenizers/piece_trainer.h"
#include "core/train/trainer.h"

namespace headscope {

/// What a language model is trained on: files of text in UTF-8. Lines "<|endoftext|>" end a document; a file
/// without them is one document.
struct TextSources {
  std::vector<std::filesystem::path> files;
  /// Text that is never trained on. If there is none, every sixteenth document is held out, or the end of the
  /// only one.
  std::vector<std::filesystem::path> held_out;
};

/// The size of a language model and how it is trained.
struct TextPlan {
  /// The folder of a model whose weights and pieces the run begins with. If empty, the weights are random,
  /// and the pieces are those of the text.
  std::filesystem::path begins_with;
  Architecture architecture;  ///< llama_architecture()
  TrainOptions options;
  int steps = 0;
  PieceKind kind = PieceKind::byte_pairs;
  int n_pieces = 2048;
};
/// A model of about a million parameters, and a recipe for it: warm-up, a cosine, clipped gradients, and
/// decay of matrices alone.
TextPlan usual_text_plan();

/// How well a model predicts text that it was not trained on.
struct TextScore {
  double bits_per_character = 0.0;
  double nats_per_piece = 0.0;
  std::size_t n_characters = 0;
};

/// One training run on a text. Only one thread and those of the pool may use it.
class TextTraining {
 public:
  /// Reads the text, makes its vocabulary and draws the weights, or reads the model to begin with. Errors
  /// name the file: it cannot be read, is not a regular file, is larger than max_text_bytes, is not UTF-8, or
  /// holds too little text; and those of check_trainable(), check_memory() and read_language_model(). `pool`
  /// and `stop` must outlive the run; once `stop` is set, making it fails and step() throws TrainingStopped.
  static Result<std::unique_ptr<TextTraining>> make(const TextSources& sources, const TextPlan& plan,
                                                    TaskPool& pool, const std::atomic<bool>& stop);
  /// Continues an interrupted run from its folder. The text must be the one that it began with.
  static Result<std::unique_ptr<TextTraining>> resume(const std::filesystem::path& folder,
                                                      const TextSources& sources, TaskPool& pool,
                                                      const std::atomic<bool>& stop);
  static constexpr std::size_t max_text_bytes = std::size_t{1} << 28U;

  StepReport step() { return trainer_->step(); }
  bool is_done() const { return trainer_->steps() >= plan_.steps; }
  int steps() const { return trainer_->steps(); }
  const TextPlan& plan() const { return plan_; }
  const Trainer& trainer() const { return *trainer_; }
  const TextExamples& examples() const { return *examples_; }
  const SentencePieceModel& pieces() const { return pieces_; }
  std::size_t n_documents() const { return n_documents_; }

  /// Predicts each held-out document and its end with the numbers that save() writes. See
  /// TextExamples::held_out_windows().
  TextScore evaluate();
  /// Writes the model, and beside it what resume() needs unless the run is done.
  Result<void> save(const std::filesystem::path& folder, const std::string& trained_on) const;

 private:
  TextTraining() = default;
  /// Without `pieces`, they are made from the text.
  Result<void> read(const TextSources& sources, std::optional<SentencePieceModel> pieces,
                    const std::atomic<bool>& stop);
  Result<void> begin(TaskPool& pool, const std::atomic<bool>& stop);

  TextPlan plan_;
  SentencePieceModel pieces_;
  std::unique_ptr<TextExamples> examples_;
  std::unique_ptr<Trainer> trainer_;
  std::uint64_t text_hash_ = 0;
  std::size_t n_documents_ = 0;
  std::string example_;
  std::size_t held_out_characters_ = 0;
};

}  // namespace headscope
