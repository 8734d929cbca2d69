#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "core/model/parameters.h"
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
};

/// The architecture of a Llama model with these sizes, ε of the norms and base of the rotary positions;
/// everything else of `sizes` is ignored.
Architecture llama_architecture(const Architecture& sizes);

/// Writes a model folder in Hugging Face's layout: config.json, model.safetensors in F16, tokenizer.json,
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

/// The file of a run that was interrupted.
inline constexpr const char* training_state_name = "training.safetensors";

}  // namespace headscope
