#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/mask.h"
#include "core/model/model.h"
#include "core/result.h"
#include "core/slices.h"
#include "core/text/texts.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// Weights trained by this process.
struct TaskSource {
  std::string task;  ///< The task, as the command line names it.
  int run = 0;       ///< The training run in this process, counted from 1
  bool operator==(const TaskSource&) const = default;
};
/// Weights read from a folder.
struct FolderSource {
  std::string path;        ///< The path that was opened or, for a bundled model, its name
  std::uint64_t hash = 0;  ///< A hash of vocabulary and weights
  int series = 0;          ///< CaptureSeries::series for a capture pushed by another program
  bool operator==(const FolderSource&) const = default;
};

/// Where weights come from; std::monostate if they are drawn from the architecture's seed.
using ModelSource = std::variant<std::monostate, TaskSource, FolderSource>;

/// Within a process, models with equal identities have equal weights.
struct ModelIdentity {
  ModelSource source;
  int steps = 0;
  bool operator==(const ModelIdentity&) const = default;
};

/// The files from which the weights of a model are loaded lazily. Thread-safe.
class ModelFiles {
 public:
  virtual ~ModelFiles() = default;
  /// Fails, now and in the future, if a file has changed since the model was opened; then no data read from
  /// it can be trusted. The message names the file and says what to do. Takes about a microsecond per file.
  Result<void> check_unchanged() const;
  /// Whether a check has failed.
  bool have_changed() const { return have_changed_; }
  /// The names of tensors with NaN or infinite numbers. Reads all tensors.
  virtual std::vector<std::string> non_finite_tensors() const = 0;
  /// The maximum memory of packed copies of the weights.
  virtual double max_packed_bytes() const = 0;
  /// What packed copies save because they keep 16-bit and quantised weights as they are.
  virtual double saved_bytes() const = 0;

 protected:
  ModelFiles() = default;

 private:
  /// Fails if a file has changed since the model was opened.
  virtual Result<void> compare() const = 0;

  mutable std::atomic<bool> have_changed_ = false;
};

struct Corpus;

/// A trained model with its vocabulary. Immutable.
struct TrainedModel {
  std::string name;  ///< The folder that it was opened from; empty if it is not on disk
  /// The task that it was trained on, as on the command line. Empty for models from other programs.
  std::string task;
  int steps = 0;  ///< Training steps or, for a pushed capture, the number of previous ones
  int layer = 0;  ///< With `head`: the head of the last stack that best shows what was learned
  int head = 0;
  Model model;  ///< Its embedding table has a row for each word
  Vocabulary vocabulary;
  /// The accuracy on held-out sentences for the first loss part of its task, 0 to 1. Empty if unknown.
  std::optional<double> accuracy = {};
  ModelSource source = {};
  /// The family of a checkpoint from another program ("GPT-2"). Empty for models of this program.
  std::string family = {};
  /// Its own tokenizer. If null, models of this program use the word tokenizer; others accept only ids.
  std::shared_ptr<const Tokenizer> tokenizer = {};
  /// The tokenizer of the target, if it differs.
  std::shared_ptr<const Tokenizer> target_tokenizer = {};
  std::string mask_text = {};            ///< The mask token in texts ("[MASK]"). May be empty.
  std::string tokenizer_error = {};      ///< Why its tokenizer cannot be used. Empty if it can be.
  std::string embedded_name = {};        ///< Its name according to its file. May be empty.
  std::string stored_types = {};         ///< The number types in its file. Empty for our own models.
  std::vector<std::string> unused = {};  ///< Tensors of its file that are not used
  /// Unknown keys of its configuration with their values: "logit_scale (0.5)".
  std::vector<std::string> unknown_keys = {};
  /// What its files lack or leave open: sentences without a full stop.
  std::vector<std::string> warnings = {};
  /// The files from which weights are loaded lazily. Null if all are in memory.
  std::shared_ptr<const ModelFiles> files = {};
  /// The texts of a capture. Empty for a model.
  std::string text = {}, target_text = {};
  /// The mask of a capture. Null if the file has none or it is causal.
  std::shared_ptr<const LoadedMask> mask = {};
  /// For a model trained on a text by this program: a sentence about the text and the held-out loss. Empty
  /// otherwise.
  std::string trained_on = {};
  std::string example = {};  ///< A prompt to continue. May be empty.
  /// The training text, or only its pieces if it is not open (core/checkpoint/corpus.h). Null for models not
  /// trained on a text.
  std::shared_ptr<const Corpus> corpus = {};
  /// The class names of a classifier. Empty if it predicts words.
  std::vector<std::string> class_names = {};

  /// The names of the logit columns.
  const std::vector<std::string>& predicted() const {
    return class_names.empty() ? vocabulary.words() : class_names;
  }
  bool is_foreign() const { return !family.empty(); }
  /// Whether it holds captured numbers of one text instead of weights.
  bool is_capture() const { return model.captured != nullptr; }
  /// The default tokenizer for its texts.
  TokenizerKind tokenizer_kind() const {
    if (!is_foreign()) return TokenizerKind::word;
    return tokenizer ? TokenizerKind::model : TokenizerKind::ids;
  }
  /// Whether its texts may use this tokenizer.
  bool accepts(TokenizerKind kind) const {
    return kind == tokenizer_kind() || (is_foreign() && !is_capture() && kind == TokenizerKind::ids);
  }

  /// The display name: its name or the last part of its path. For a snapshot in the Hugging Face cache, the
  /// repository; for a file named by a hash, its embedded name; for a model trained on a text, the text.
  std::string title() const;

  /// The maximum memory of its weights in bytes.
  double weights_bytes() const;
  /// The memory or disk space that it occupies in bytes: its weights or, for a capture, its mapped file,
  /// which may already be deleted (as for captures pushed from Python).
  double resident_bytes() const;

  ModelIdentity identity() const { return {source, steps}; }
  /// Whether one of its files is known to have changed since it was opened.
  bool has_changed() const { return files != nullptr && files->have_changed(); }
};

/// A nullable reference to a trained model that compares by identity(): copies with the same source and step
/// are equal, unless their file has changed.
class ModelRef {
 public:
  ModelRef() = default;
  ModelRef(std::nullptr_t) {}
  ModelRef(std::shared_ptr<const TrainedModel> model) : model_(std::move(model)) {}

  explicit operator bool() const { return model_ != nullptr; }
  const TrainedModel* operator->() const { return model_.get(); }
  const TrainedModel& operator*() const { return *model_; }
  const TrainedModel* get() const { return model_.get(); }
  void reset() { model_.reset(); }
  operator const std::shared_ptr<const TrainedModel>&() const { return model_; }
  const std::shared_ptr<const TrainedModel>& shared() const { return model_; }

  friend bool operator==(const ModelRef& a, const ModelRef& b) {
    if (a.model_ == nullptr || b.model_ == nullptr) return a.model_ == b.model_;
    if (a.model_ == b.model_) return true;
    return a->identity() == b->identity() && !a->has_changed() && !b->has_changed();
  }

 private:
  std::shared_ptr<const TrainedModel> model_;
};

/// Opens a model in slices.
using ModelSlices = Slices<Result<std::shared_ptr<const TrainedModel>>>;

/// The corpus of a model, or null.
inline std::shared_ptr<const Corpus> corpus_of(const ModelRef& model) {
  return model ? model->corpus : nullptr;
}

/// The tokenizers of a model for TokenizerKind::model. Both null for other kinds.
inline ModelTokenizers model_tokenizers(TokenizerKind kind, const ModelRef& model) {
  if (kind != TokenizerKind::model || !model) return {};
  return {model->tokenizer, model->target_tokenizer ? model->target_tokenizer : model->tokenizer};
}

}  // namespace headscope
