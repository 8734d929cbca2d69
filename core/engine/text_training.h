#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/corpus.h"
#include "core/checkpoint/language_model.h"
#include "core/train/trainer.h"
#include "core/train/training_settings.h"

namespace headscope {

/// The size of a language model and its training recipe.
struct TextPlan {
  /// The folder of a model to start from. If empty, the weights are random, and the pieces are made from the
  /// text.
  std::filesystem::path base_model;
  Architecture architecture;  ///< llama_architecture()
  TrainOptions options;
  int steps = 0;
  PieceKind kind = PieceKind::byte_pairs;
  int n_pieces = 2048;
};
/// A model of about a million parameters with warm-up, a cosine schedule, gradient clipping, and weight decay
/// of matrices only.
TextPlan default_text_plan();

/// A size of a model that is trained on a text in the window.
struct LanguageModelSize {
  std::string_view title;
  int n_layers, d_model, n_heads, d_ff, context;
  double seconds;  ///< The intended training time.
};
inline constexpr std::array text_model_sizes{LanguageModelSize{"Small", 2, 64, 4, 172, 64, 45.0},
                                             LanguageModelSize{"Medium", 3, 96, 6, 256, 96, 180.0},
                                             LanguageModelSize{"Large", 4, 128, 8, 344, 128, 900.0}};

/// A model with its initial weights and its open text, and its training settings.
struct OpenedText {
  std::shared_ptr<const TrainedModel> model;
  TrainingSettings training;
};
/// Opens a text to train a model of one of the `text_model_sizes`, in slices. A few steps determine how many
/// this machine does with `n_threads` in about the seconds of the size. Errors are those of read_corpus(),
/// and a text of more than 4 MiB.
Slices<Result<OpenedText>> open_text(TextSources sources, std::size_t size, int n_threads);
/// The windows of an open corpus. `n_drawn` is the number of windows that the entire run draws.
TextExamples examples_of(const Corpus& corpus, const Architecture& architecture, std::size_t n_drawn);
/// The index of an architecture's size in text_model_sizes. Empty if it has none of them.
std::optional<std::size_t> text_model_size_of(const Architecture& architecture);

/// The cross-entropy of a model on held-out text.
struct TextScore {
  double bits_per_character = 0.0;
  double nats_per_piece = 0.0;
  std::size_t n_characters = 0;
};

/// One training run on a text. Only one thread and those of the pool may use it.
class TextTraining {
 public:
  /// Reads the text, and draws the weights or reads the model to start from. Errors are those of
  /// read_corpus(), check_trainable(), check_memory() and read_language_model(). `pool` and `stop` must
  /// outlive the run; once `stop` is set, this fails and step() throws TrainingStopped.
  static Result<std::unique_ptr<TextTraining>> make(const TextSources& sources, const TextPlan& plan,
                                                    ThreadPool& pool, const std::atomic<bool>& stop);
  /// Continues an interrupted run from its folder, with the same text.
  static Result<std::unique_ptr<TextTraining>> resume(const std::filesystem::path& folder,
                                                      const TextSources& sources, ThreadPool& pool,
                                                      const std::atomic<bool>& stop);

  StepReport step() { return trainer_->step(); }
  bool is_done() const { return trainer_->steps() >= plan_.steps; }
  int steps() const { return trainer_->steps(); }
  const TextPlan& plan() const { return plan_; }
  const Trainer& trainer() const { return *trainer_; }
  const TextExamples& examples() const { return *examples_; }
  const Corpus& corpus() const { return corpus_; }

  /// Scores the held-out documents, including their ends, with the numbers that save() writes. See
  /// TextExamples::held_out_windows().
  TextScore evaluate();
  /// Writes the model and, unless the run is done, the state for resume().
  Result<void> save(const std::filesystem::path& folder, const std::string& trained_on) const;

 private:
  TextTraining() = default;
  /// Without `pieces`, they are made from the text.
  void read(const TextSources& sources, std::optional<SentencePieceModel> pieces,
            const std::atomic<bool>& stop);
  void begin(ThreadPool& pool, const std::atomic<bool>& stop);

  TextPlan plan_;
  Corpus corpus_;  ///< Without its ids, which are those of the examples.
  std::unique_ptr<TextExamples> examples_;
  std::unique_ptr<Trainer> trainer_;
};

}  // namespace headscope
