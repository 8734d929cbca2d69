#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/corpus.h"
#include "core/io/safetensors.h"
#include "core/model/parameters.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/tokenizers/sentencepiece_model.h"

namespace headscope {

/// A model that continues texts, as it is trained on a text. It has the parts of a Llama model and is written
/// as one, so that every program that opens Llama models opens it.
struct LanguageModel {
  Architecture architecture;
  std::vector<float> parameters;  ///< In the order of the layout.
  SentencePieceModel pieces;
  int steps = 0;
  std::string trained_on;  ///< TrainedModel::trained_on
  std::string example;     ///< TrainedModel::example
  std::string text = {};   ///< What people call the text. Empty if it is not written.
  bool in_halves = true;   ///< Whether its numbers are written in F16 instead of F32.
};

/// The architecture of a Llama model with these sizes, ε of the norms and base of the rotary positions;
/// everything else of `sizes` is ignored.
Architecture llama_architecture(const Architecture& sizes);

/// The weights with which training on a text begins: random ones, but with rows of norm 1 in the embedding
/// table. Because that also predicts, the logits are then about 1.
std::vector<float> first_parameters(const ParameterLayout& layout);

/// A model in memory with the tokenizer of its corpus. `run` is the run of this process that trained it, or 0
/// before any. `trained_on` becomes TrainedModel::trained_on; without it, trained weights name the corpus.
std::shared_ptr<const TrainedModel> trained_model(const ParameterLayout& layout,
                                                  std::span<const float> parameters, int steps,
                                                  const std::shared_ptr<const Corpus>& corpus, int run = 0,
                                                  std::string trained_on = {});
/// The same with its first weights.
std::shared_ptr<const TrainedModel> untrained_model(const Architecture& architecture,
                                                    const std::shared_ptr<const Corpus>& corpus);

/// Writes a model folder in Hugging Face's layout: config.json, model.safetensors, tokenizer.json,
/// tokenizer.model and what belongs to them. `state` is written beside them as training.safetensors, in F32;
/// if it is empty, a state of an earlier moment is removed. All files are put in place together, as
/// AtomicFolder does.
Result<void> save_language_model(const std::filesystem::path& folder, const LanguageModel& model,
                                 std::span<const TensorView> state, const TensorMetadata& state_metadata);

/// Reads a model in order to train it further. It is an error if it is not one that save_language_model()
/// wrote, because others may have parts or ways to read a text that would be lost.
Result<LanguageModel> read_language_model(const std::filesystem::path& folder);
/// Only its pieces.
Result<SentencePieceModel> read_language_pieces(const std::filesystem::path& folder);
/// Reads weights that are only stored in the folder, with their pieces as a corpus that is not open.
Result<std::shared_ptr<const TrainedModel>> load_language_model(const std::filesystem::path& folder);
/// Writes a model that trained_model() made, with all digits of its numbers.
Result<void> save_language_model(const std::filesystem::path& folder, const TrainedModel& model);

/// The text files of such a folder, which stand beside the weights.
inline constexpr std::array<std::string_view, 5> language_model_files{
    "config.json", "generation_config.json", "tokenizer_config.json", "tokenizer.json", "tokenizer.model"};
/// The file of a run that was interrupted.
inline constexpr const char* training_state_name = "training.safetensors";

}  // namespace headscope
