#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/model.h"
#include "core/model/model_source.h"
#include "core/text/texts.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// A trained model with the words that it knows. Immutable.
struct TrainedModel {
  std::string name;  ///< that it was opened by: a folder
  std::string task;  ///< what it was trained for, as on the command line; empty: not one of ours
  int steps = 0;     ///< that it was trained
  int layer = 0;     ///< of the last stack: where the head is that shows best what was learned
  int head = 0;
  Model model;  ///< its table has a row for each word of the vocabulary
  Vocabulary vocabulary;
  /// Accuracy of its task's first part on held-out sentences, 0 to 1; nothing if it was not measured.
  std::optional<double> accuracy = {};
  ModelSource source = {};
  std::string family = {};  ///< of checkpoints, for people: "GPT-2"; empty: it is one of ours
  /// Its own tokenizer; null: the word tokenizer of our models, or of another's nothing but ids.
  std::shared_ptr<const Tokenizer> tokenizer = {};
  /// The same of the decoder's texts, where there are two stacks.
  std::shared_ptr<const Tokenizer> target_tokenizer = {};
  std::string mask_text =
      {};  ///< what stands in a text for a word to be filled in ("[MASK]"); empty: nothing
  std::string no_tokenizer = {};         ///< why the tokenizer of its folder cannot be used; empty if it is
  std::vector<std::string> unused = {};  ///< tensors of its file that no pass needs
  std::vector<std::string> not_finite = {};  ///< tensors with NaN or infinite numbers
  /// What its final linear layer tells apart in place of words; empty: it predicts words.
  std::vector<std::string> class_names = {};

  /// What the columns of its logits stand for.
  const std::vector<std::string>& predicted() const {
    return class_names.empty() ? vocabulary.words() : class_names;
  }
  bool is_foreign() const { return !family.empty(); }
  /// What its texts are read by: the word tokenizer, its own, or ids.
  TokenizerKind tokenizer_kind() const {
    if (!is_foreign()) return TokenizerKind::word;
    return tokenizer ? TokenizerKind::model : TokenizerKind::ids;
  }
  /// Whether its texts may be read so.
  bool reads(TokenizerKind kind) const {
    return kind == tokenizer_kind() || (is_foreign() && kind == TokenizerKind::ids);
  }

  /// What people call it: the name, or the last part of a path; for a snapshot in the hub's cache, its
  /// repository.
  std::string title() const;

  ModelIdentity identity() const { return {source, steps}; }
};

/// A trained model as a value: two are equal where their weights come from the same source and step,
/// whichever copy is held.
class ModelValue {
 public:
  ModelValue() = default;
  ModelValue(std::nullptr_t) {}
  ModelValue(std::shared_ptr<const TrainedModel> model) : model_(std::move(model)) {}

  explicit operator bool() const { return model_ != nullptr; }
  const TrainedModel* operator->() const { return model_.get(); }
  const TrainedModel& operator*() const { return *model_; }
  const TrainedModel* get() const { return model_.get(); }
  void reset() { model_.reset(); }
  operator const std::shared_ptr<const TrainedModel>&() const { return model_; }
  const std::shared_ptr<const TrainedModel>& shared() const { return model_; }

  friend bool operator==(const ModelValue& a, const ModelValue& b) {
    if (a.model_ == nullptr || b.model_ == nullptr) return a.model_ == b.model_;
    return a->identity() == b->identity();
  }

 private:
  std::shared_ptr<const TrainedModel> model_;
};

/// The tokenizers of a model where texts are read by them; null elsewhere.
inline ModelTokenizers model_tokenizers(TokenizerKind kind, const ModelValue& model) {
  if (kind != TokenizerKind::model || !model) return {};
  return {model->tokenizer, model->target_tokenizer ? model->target_tokenizer : model->tokenizer};
}

}  // namespace headscope
