#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/mask.h"
#include "core/model/model.h"
#include "core/model/model_source.h"
#include "core/result.h"
#include "core/text/texts.h"
#include "core/text/vocabulary.h"

namespace headscope {

struct Corpus;

/// A trained model with the words that it knows. It is immutable.
struct TrainedModel {
  std::string name;  ///< What it was opened with: a folder. Empty if it is in no file.
  /// The task that it was trained for, as the command line names it. Empty if the model comes from another
  /// program.
  std::string task;
  int steps = 0;  ///< The number of training steps, or of the captures that were pushed before this one.
  int layer = 0;  ///< In the last stack, the layer of the head that shows best what was learned.
  int head = 0;
  Model model;  ///< Its table has a row for each word of the vocabulary.
  Vocabulary vocabulary;
  /// The accuracy on the first part of its task for held-out sentences, 0 to 1. Empty if it was not measured.
  std::optional<double> accuracy = {};
  ModelSource source = {};
  /// The family of a checkpoint from another program, for display: "GPT-2". Empty for a model of this
  /// program.
  std::string family = {};
  /// Its own tokenizer. If null, models of this program use the word tokenizer, and models from other
  /// programs read only ids.
  std::shared_ptr<const Tokenizer> tokenizer = {};
  /// The tokenizer of the decoder's texts, if there are two stacks and it differs.
  std::shared_ptr<const Tokenizer> target_tokenizer = {};
  std::string mask_text =
      {};  ///< Stands in a text for a word to be filled in ("[MASK]"). Empty if nothing does.
  std::string no_tokenizer = {};         ///< Why its folder's tokenizer cannot be used. Empty if it can be.
  std::string called = {};               ///< What its file calls it. Empty if the file does not say.
  std::string stored_as = {};            ///< The types of the numbers in its file. Empty for our own models.
  std::vector<std::string> unused = {};  ///< The tensors of its file that no pass needs.
  /// What its configuration says but this program does not know, with its values: "logit_scale (0.5)".
  std::vector<std::string> unknown_keys = {};
  /// Whether its configuration is that of a model that predicts words, while its files lack the final linear
  /// layer.
  bool lacks_output = false;
  /// The files from which its numbers are read when they are needed. Null if all of them are in memory.
  std::shared_ptr<const ModelFiles> files = {};
  /// The only texts of a capture. Empty for a model, which can read any text.
  std::string text = {}, target_text = {};
  /// The mask under which a capture was made. Null if the file has none, or if the mask is causal.
  std::shared_ptr<const LoadedMask> mask = {};
  /// If this program trained the model on a text: one sentence about that text, and how well the model
  /// predicts text that it never saw. Empty for other models.
  std::string trained_on = {};
  std::string example = {};  ///< The beginning of a text for it to continue. Empty if it has none.
  /// The text on which this program trains the model, or only the pieces of that text if it is not open
  /// (core/checkpoint/corpus.h). Null for other models.
  std::shared_ptr<const Corpus> corpus = {};
  /// The classes that its final linear layer distinguishes instead of words. Empty if it predicts words.
  std::vector<std::string> class_names = {};

  /// What the columns of its logits stand for.
  const std::vector<std::string>& predicted() const {
    return class_names.empty() ? vocabulary.words() : class_names;
  }
  bool is_foreign() const { return !family.empty(); }
  /// Whether these are the numbers of one text, computed by another program, in place of weights.
  bool is_capture() const { return model.captured != nullptr; }
  /// How its texts are read: with the word tokenizer, with its own, or as ids.
  TokenizerKind tokenizer_kind() const {
    if (!is_foreign()) return TokenizerKind::word;
    return tokenizer ? TokenizerKind::model : TokenizerKind::ids;
  }
  /// Whether its texts may be read in this way.
  bool reads(TokenizerKind kind) const {
    return kind == tokenizer_kind() || (is_foreign() && !is_capture() && kind == TokenizerKind::ids);
  }

  /// What people call it: its name, or the last part of its path. For a snapshot in the Hugging Face cache,
  /// this is the repository, and for a file that is named by a hash, what the file calls itself;
  /// for a model that learns a text here, the text.
  std::string title() const;

  /// The most memory that its weights may take, in bytes.
  double weights_bytes() const;
  /// What it takes to keep it: its weights or, of a capture, its file, which takes its place as long as it is
  /// mapped, even if it has been removed, as what Python pushes is. In bytes.
  double kept_bytes() const;

  ModelIdentity identity() const { return {source, steps}; }
  /// Whether one of its files has been found to differ from the file that was opened.
  bool has_changed() const { return files != nullptr && files->have_changed(); }
};

/// A trained model as a value. Two are equal if their weights come from the same source and step, even if
/// they are different copies. A model whose file has changed equals no other copy.
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
    if (a.model_ == b.model_) return true;
    return a->identity() == b->identity() && !a->has_changed() && !b->has_changed();
  }

 private:
  std::shared_ptr<const TrainedModel> model_;
};

/// The text that a model learns, or only its pieces if it is not open. Null if there is none.
inline std::shared_ptr<const Corpus> corpus_of(const ModelValue& model) {
  return model ? model->corpus : nullptr;
}

/// The tokenizers of a model if it reads texts with its own. Both are null for other kinds.
inline ModelTokenizers model_tokenizers(TokenizerKind kind, const ModelValue& model) {
  if (kind != TokenizerKind::model || !model) return {};
  return {model->tokenizer, model->target_tokenizer ? model->target_tokenizer : model->tokenizer};
}

}  // namespace headscope
