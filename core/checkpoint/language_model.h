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

/// A model that was trained to continue a text. A Llama model, so that other programs can open it.
struct LanguageModel {
  Architecture architecture;
  std::vector<float> parameters;  ///< In the order of the layout.
  SentencePieceModel pieces;
  int steps = 0;
  std::string trained_on;         ///< TrainedModel::trained_on
  std::string example;            ///< TrainedModel::example
  std::string text = {};          ///< The display name of the text. Empty to omit it.
  bool is_half_precision = true;  ///< Writes numbers in F16 instead of F32.
};

/// The architecture of a Llama model with the sizes, norm ε and rotary base of `sizes`; ignores everything
/// else in it.
Architecture llama_architecture(const Architecture& sizes);

/// The initial weights for training on a text: random, but with rows of norm 1 in the embedding table. That
/// also makes predictions, so the logits are then about 1.
std::vector<float> initial_parameters(const ParameterLayout& layout);

/// A model in memory with the tokenizer of its corpus. `run` is the run of this process that trained it, or
/// 0. `trained_on` becomes TrainedModel::trained_on, by default the corpus if the weights are trained.
std::shared_ptr<const TrainedModel> trained_model(const ParameterLayout& layout,
                                                  std::span<const float> parameters, int steps,
                                                  const std::shared_ptr<const Corpus>& corpus, int run = 0,
                                                  std::string trained_on = {});
/// Makes a model of a text with random weights, from which its training starts.
std::shared_ptr<const TrainedModel> untrained_model(const Architecture& architecture,
                                                    const std::shared_ptr<const Corpus>& corpus);

/// Writes a model folder in Hugging Face's layout: config.json, model.safetensors, tokenizer.json,
/// tokenizer.model and related files, atomically (AtomicFolder). `state` is written as training.safetensors,
/// in F32; if it is empty, an earlier state is removed.
Result<void> save_language_model(const std::filesystem::path& folder, const LanguageModel& model,
                                 std::span<const TensorView> state, const TensorMetadata& state_metadata);

/// Reads a model to train it further. It is an error if save_language_model() did not write it: parts and
/// tokenizers of other models would be lost.
Result<LanguageModel> read_language_model(const std::filesystem::path& folder);
/// Reads only its pieces.
Result<SentencePieceModel> read_language_pieces(const std::filesystem::path& folder);
/// Reads stored weights, with their pieces as a corpus that is not open.
Result<std::shared_ptr<const TrainedModel>> load_language_model(const std::filesystem::path& folder);
/// Writes a model that trained_model() made, at full precision.
Result<void> save_language_model(const std::filesystem::path& folder, const TrainedModel& model);

/// The text files of such a folder, beside the weights.
inline constexpr std::array<std::string_view, 5> language_model_files{
    "config.json", "generation_config.json", "tokenizer_config.json", "tokenizer.json", "tokenizer.model"};
/// The state of an interrupted run.
inline constexpr const char* training_state_name = "training.safetensors";

}  // namespace headscope
