#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/checkpoint_files.h"
#include "core/model/architecture.h"

namespace headscope {

/// A config.json in Hugging Face's layout. A value that is missing or null is the default of the family's own
/// class there. The first value that cannot be read becomes the error.
class ModelConfig {
 public:
  explicit ModelConfig(const nlohmann::json& json) : json_(json) {}

  bool has(std::string_view key) const;
  int whole(std::string_view key, int otherwise);
  /// A number that has no default.
  int whole(std::string_view key);
  float decimal(std::string_view key, double otherwise);
  bool flag(std::string_view key, bool otherwise);
  std::string text(std::string_view key, std::string_view otherwise);
  /// A nested object. Empty if there is none.
  std::optional<ModelConfig> inside(std::string_view key);
  const nlohmann::json& json() const { return json_; }
  /// The activation, which the file names as Hugging Face does.
  Activation activation(std::string_view key, std::string_view otherwise);
  /// Refuses a value that the program cannot compute with: "its `key` is …, `what`".
  void refuse_unless(bool fits, std::string_view key, std::string_view what);

  void fail(const std::string& why) {
    if (error_.empty()) error_ = why;
  }
  const std::string& error() const { return error_; }

 private:
  const nlohmann::json* find(std::string_view key) const;
  void wrong(std::string_view key, std::string_view what);

  const nlohmann::json& json_;
  std::string error_;
};

/// How a file stores the numbers of a part of a model.
enum class StoredAs {
  out_in,           ///< As in PyTorch's nn.Linear: [out, in].
  in_out,           ///< As in the computation: GPT-2's Conv1D, tables, gains, biases.
  row_of_each_head  ///< A table that has a column for each head: [·, H].
};

/// Which rows of a tensor (with in_out, which columns) belong to the part.
enum class StoredPart {
  whole,
  query,
  key,
  value,  ///< Side by side, q | k | v.
  query_of_head,
  key_of_head,
  value_of_head,  ///< Head by head: [H, 3, d].
  first_half,
  second_half
};

/// Where a family stores a part of a model.
struct TensorRule {
  /// The part's path without the stack, or with it if the stacks of the family differ. "{l}" is the layer.
  std::string_view path;
  /// The tensor's name without the prefix. A "^" before it says that it has no prefix.
  std::string_view tensor;
  StoredAs stored = StoredAs::in_out;
  StoredPart part = StoredPart::whole;
  /// What is added to the stored numbers: Gemma's norms multiply by 1 + the stored number.
  float plus = 0.0F;
};

/// A family of checkpoints: a function from its configurations to architectures, and a table of its tensors.
struct Family {
  std::string_view name;  ///< The name for people.
  std::span<const std::string_view> model_types;
  /// Prefixes of the names of all tensors. The first prefix with which the file has the embedding table is
  /// used.
  std::span<const std::string_view> prefixes;
  Architecture (*architecture)(ModelConfig& config, const CheckpointFiles& files);
  std::span<const TensorRule> rules;
  /// Known tensors that are not used: buffers that are not weights, and heads for other tasks. '*' stands for
  /// any letters.
  std::span<const std::string_view> unused;
};

std::span<const Family> families();

/// Whether the name of any tensor ends like this, whatever comes before.
bool has_tensor_ending(const CheckpointFiles& files, std::string_view end);

/// Whether a name matches a pattern with '*'.
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace headscope
