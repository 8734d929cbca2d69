#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/checkpoint/family.h"
#include "core/io/checkpoint_files.h"
#include "core/model/trained_model.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// A model of another program whose headers have been read and found consistent. Its weights have not been
/// read.
struct ForeignModel {
  std::filesystem::path path;  ///< Its folder or file.
  const Family* family = nullptr;
  std::shared_ptr<const CheckpointFiles> files;
  Architecture architecture;
  int vocabulary = 0;  ///< The rows of the embedding table.
  /// The id with which the decoder's texts begin. Empty unless the model has an encoder and a decoder.
  std::optional<int> decoder_start;
  std::function<Result<std::shared_ptr<const ModelTokenizer>>()> tokenizer;
  std::string called = {};                     ///< TrainedModel::called
  std::vector<std::string> unknown_keys = {};  ///< TrainedModel::unknown_keys
  bool lacks_output = false;                   ///< TrainedModel::lacks_output
  /// What this program wrote beside the configuration of a model that it trained.
  int steps = 0;
  std::string trained_on = {}, example = {}, text = {};
  /// That of the decoder's texts, if it is another one. Empty otherwise.
  std::function<Result<std::shared_ptr<const ModelTokenizer>>()> target_tokenizer = {};
  std::string adapter = {};  ///< What an adapter adds: “LoRA of rank 8 × 2”. Empty if there is none.
};

/// What a model is called as a member of its family, with its adapter.
std::string family_name(const ForeignModel& model);

/// “GPT-2 · 12 layers × 12 heads · 548 MB”
std::string description_of(const ForeignModel& model);

/// Reads the small tables and the tokenizer. The embeddings of words and the weights of linear layers are
/// read when a pass uses them, and packed copies of weights stay in memory as long as `share` has room for
/// them. `name` becomes the model's name. Errors are those of open_foreign_folder() that are not found in
/// headers.
Result<std::shared_ptr<const TrainedModel>> load_foreign_model(const ForeignModel& model,
                                                               const std::string& name,
                                                               const std::shared_ptr<PackedShare>& share);
/// The same with the share that all open models of the program have in common: half of this machine's memory.
Result<std::shared_ptr<const TrainedModel>> load_foreign_model(const ForeignModel& model,
                                                               const std::string& name);

/// Gives a model its tokenizer, and a piece to each of the `size` rows of its table. Without a tokenizer, its
/// texts are read as lists of ids. Special tokens are added to texts as the model expects them.
/// `decoder_start` is the id with which the decoder's texts begin if there are two stacks, as in T5.
/// `tells_pairs` says whether the second text of a pair has its own segment.
void set_tokenizer(TrainedModel& model, const Result<std::shared_ptr<const ModelTokenizer>>& own, int size,
                   std::optional<int> decoder_start, bool tells_pairs);

/// “the model in '…' cannot be opened: …”
tl::unexpected<Error> cannot_open_model(const std::filesystem::path& path, const std::string& why);

}  // namespace headscope
