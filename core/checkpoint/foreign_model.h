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

/// Another program's model whose headers are consistent. Its weights have not been read.
struct ForeignModel {
  std::filesystem::path path;  ///< Its folder or file.
  const Family* family = nullptr;
  std::shared_ptr<const CheckpointFiles> files;
  Architecture architecture;
  int vocabulary = 0;  ///< The number of rows of the embedding table.
  /// The id that starts the decoder's texts. Empty unless the model has an encoder and a decoder.
  std::optional<int> decoder_start;
  std::function<Result<std::shared_ptr<const ModelTokenizer>>()> tokenizer;
  std::string embedded_name = {};              ///< TrainedModel::embedded_name
  std::vector<std::string> unknown_keys = {};  ///< TrainedModel::unknown_keys
  std::vector<std::string> warnings = {};      ///< TrainedModel::warnings
  /// From the configuration of a model that this program trained.
  int steps = 0;
  std::string trained_on = {}, example = {}, text = {};
  /// The decoder's tokenizer, if it is another one. Empty otherwise.
  std::function<Result<std::shared_ptr<const ModelTokenizer>>()> target_tokenizer = {};
  std::string adapter = {};  ///< A description of its adapter: “LoRA of rank 8 × 2”. Empty if there is none.
  std::string missing_sizes = {};  ///< ModelConfig::missing_sizes()
};

/// The name of a model's family, with its adapter.
std::string family_name(const ForeignModel& model);

/// “GPT-2 · 12 layers × 12 heads · 548 MB”
std::string description_of(const ForeignModel& model);

/// Reads the small tables and the tokenizer. Word embeddings and the weights of linear layers are read when a
/// pass uses them: weights of fewer bits than floats, stored row by row, by each product; others are packed,
/// and the copies stay in memory while `share` has space. `name` becomes the model's name. Errors are those
/// of open_foreign_folder() that do not show in headers.
ModelSlices load_foreign_model(ForeignModel model, std::string name,
                               std::shared_ptr<PackedMemoryBudget> share);
/// The same with the common share of all open models: half of this machine's memory.
ModelSlices load_foreign_model(ForeignModel model, std::string name);

/// Sets a model's tokenizer, and a piece for each of the `size` rows of its table. Without a tokenizer, its
/// texts are lists of ids. Special tokens are added as the model expects them. `decoder_start` is the id that
/// starts the decoder's texts if there are two stacks, as in T5. If `has_pair_segments`, the second text of a
/// pair has its own segment.
void set_tokenizer(TrainedModel& model, const Result<std::shared_ptr<const ModelTokenizer>>& own, int size,
                   std::optional<int> decoder_start, bool has_pair_segments);

/// “the model in '…' cannot be opened: …”
tl::unexpected<Error> cannot_open_model(const std::filesystem::path& path, const std::string& why);

/// Whether a folder has a model's configuration, of any program.
bool has_model_config(const std::filesystem::path& folder);

/// Whether a folder's config.json names the model_type of another program.
bool is_foreign_folder(const std::filesystem::path& folder);

/// Reads the headers of a model folder in Hugging Face's layout. Errors are those of open_foreign_folder()
/// that show in headers.
Result<ForeignModel> read_foreign_headers(const std::filesystem::path& folder);

/// Opens a model folder in Hugging Face's layout: config.json, the weights (CheckpointFiles) and, if there is
/// one, a tokenizer. `name` becomes the model's name. Weights stay in their files as in load_foreign_model().
/// Errors name the file and what is supported: an unknown model_type;
/// quantised weights; tensors that are missing, left over or of another shape; a model that exceeds this
/// machine's memory, which is checked before any allocation. Numbers that are not finite are no error;
/// ModelFiles::non_finite_tensors() names their tensors.
Result<std::shared_ptr<const TrainedModel>> open_foreign_folder(const std::filesystem::path& folder,
                                                                const std::string& name);

/// Describes a model folder in Hugging Face's layout from its headers alone: “GPT-2 · 12 layers × 12 heads ·
/// 548 MB”. Errors are those of read_foreign_headers().
Result<std::string> describe_folder(const std::filesystem::path& folder);

/// The names of all families that can be opened: "GPT-2 (gpt2), …".
std::string known_families();

/// Reads the headers of a GGUF file. Errors are those of open_gguf() that show in headers.
Result<ForeignModel> read_gguf_headers(const std::filesystem::path& file);

/// Opens a model in a GGUF file, with its tokenizer. `name` becomes the model's name. Weights stay in the
/// blocks of the file and are converted to floats when a pass uses them. Errors name the file and what is
/// supported: those of Gguf::parse() and open_foreign_folder(), an unsupported architecture, and a file with
/// only a part of a model.
Result<std::shared_ptr<const TrainedModel>> open_gguf(const std::filesystem::path& file,
                                                      const std::string& name);

/// Describes a model in a GGUF file from its headers alone: “Llama · 32 layers × 32 heads · 4081 MB · Q4_K”.
/// The last part is the type whose tensors take the most bytes. Errors are those of read_gguf_headers().
Result<std::string> describe_gguf(const std::filesystem::path& file);

}  // namespace headscope
