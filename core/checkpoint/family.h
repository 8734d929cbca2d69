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

/// A config.json in Hugging Face's layout. What it leaves out, or has as null, is the default of the family's
/// own class there. Classes with names of their own for a size also read the usual one (hidden_size). The
/// first value that cannot be read is the error.
class ModelConfig {
 public:
  explicit ModelConfig(const nlohmann::json& json) : json_(json) {}

  bool has(std::string_view key) const;
  int whole(std::string_view key, int otherwise);
  /// The same where null does not stand for the default.
  int whole(std::string_view key, int left_out, int null);
  /// A number that has no default.
  int whole(std::string_view key);
  float decimal(std::string_view key, double otherwise);
  /// A list of numbers. It is an error if there is none.
  std::vector<float> decimals(std::string_view key);
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
  out_in,            ///< PyTorch's nn.Linear: [out, in]
  in_out,            ///< as it is computed with: GPT-2's Conv1D, tables, gains, biases
  row_of_each_head,  ///< a table that has a column for each head: [·, H]
  heads_out,         ///< by heads of what leaves: [H, in, out / H]; a bias: [H, out / H]
  heads_in           ///< by heads of what enters: [H, in / H, out]
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
  second_half,
  neighbours_of_head  ///< All, but in each head the rows i and i + K/2 lie side by side, for rotary
                      ///< positions.
};

/// Where a family stores a part of a model.
struct TensorRule {
  /// The part's path without the stack, or with it if the stacks of the family differ. "{l}" is the layer.
  std::string_view path;
  /// The tensor's name without the prefix. A "^" before it says that it has no prefix.
  std::string_view tensor;
  StoredAs stored = StoredAs::in_out;
  StoredPart part = StoredPart::whole;
  float plus = 0.0F;  ///< what is added: Gemma's norms multiply by 1 + the number stored
  /// A matrix without a bias, [out, in], that rows of the tensor go through before they are rows of the part;
  /// in OPT, whose small tables are narrower than the model.
  std::string_view through = {};
  std::optional<float> if_missing = std::nullopt;  ///< all numbers of a part that files may leave out
  bool if_tied = false;  ///< a copy that stands for the table where the final linear layer is tied to it
};

/// A family of checkpoints: a function from its configurations to architectures, and a table of its tensors.
struct Family {
  std::string_view name;  ///< The name for people.
  std::span<const std::string_view> model_types;
  /// Names that may stand before all tensors; the first with which the file has one of the rules' is taken.
  std::span<const std::string_view> prefixes;
  Architecture (*architecture)(ModelConfig& config, const CheckpointFiles& files);
  std::span<const TensorRule> rules;
  /// Tensors that are known and not used: buffers that are no weights, and copies of tied weights. '*' stands
  /// for any letters. Heads for other tasks are known in all families.
  std::span<const std::string_view> unused;
  /// Whether the tokens behind a separator belong to a second text, with a segment of its own.
  bool has_pairs = false;
  std::string_view configuration = "config.json";  ///< What says of which sizes a model is.
};

std::span<const Family> families();

/// Whether the name of any tensor ends like this, whatever comes before.
bool has_tensor_ending(const CheckpointFiles& files, std::string_view end);

/// Whether a name matches a pattern with '*'.
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace headscope
