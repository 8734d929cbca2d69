#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/checkpoint_files.h"
#include "core/model/architecture.h"

namespace headscope {

/// Reads a config.json in Hugging Face's layout. A missing or null value takes the default of the family's
/// configuration class in transformers. Classes that name a size differently also read its usual name
/// (hidden_size). error() describes the first value that could not be read or is outside the limits that its
/// key has in every family, also of nested objects; unknown() the values that were never read, so families
/// must read every key that their models may have.
class ModelConfig {
 public:
  /// `path` is that of the object in its file: "text_config.". `names` has the keys that the file spells
  /// differently.
  explicit ModelConfig(const nlohmann::json& json, std::string path = {},
                       std::map<std::string, std::string> names = {})
      : json_(json), path_(std::move(path)), shared_(std::make_shared<Shared>()) {
    shared_->names = std::move(names);
  }

  bool has(std::string_view key) const;
  int whole(std::string_view key, int fallback);
  /// The same with a different default for null.
  int whole(std::string_view key, int left_out, int null);
  /// A number that has no default.
  int whole(std::string_view key);
  float decimal(std::string_view key, double fallback);
  /// A list of numbers. It is an error if there is none.
  std::vector<float> decimals(std::string_view key);
  bool flag(std::string_view key, bool fallback);
  std::string text(std::string_view key, std::string_view fallback);
  /// A nested object. Empty if there is none.
  std::optional<ModelConfig> inside(std::string_view key);
  /// The raw value. Null if it is missing.
  const nlohmann::json& value(std::string_view key) const;
  /// Whether the file has the key, even if its value is null.
  bool contains(std::string_view key) const { return json_.contains(std::string(key)); }
  /// The activation, by its name in Hugging Face.
  Activation activation(std::string_view key, std::string_view fallback);
  /// Records an error about an unsupported value unless `fits`: "its `key` is …, `what`".
  void require(bool fits, std::string_view key, std::string_view what);

  void fail(const std::string& why) {
    if (error().empty()) shared_->error = why;
  }
  const std::string& error() const { return shared_->error; }
  /// The error of validate(), after the values of the sizes that it names, under the keys of the file.
  std::string in_keys(const std::string& error) const;
  /// The sizes that the file lacks, with the default of the family that stands for each: "its hidden_size is
  /// missing and taken to be 4096". Empty if there are none.
  std::string missing_sizes() const;

  /// Whether a key was read. Keys of nested objects include that of the object: "rope_scaling.factor".
  bool was_read(const std::string& key) const { return shared_->read_keys.contains(key); }
  /// The unread keys that may affect what a model computes, with their values: "rope_scaling.alpha (2.0)".
  /// Omits those that never do, such as keys for training and for sampling.
  std::vector<std::string> unknown() const;

 private:
  /// What nested objects share with the whole.
  struct Shared {
    std::map<std::string, std::string> names;
    std::set<std::string> read_keys;
    /// What the file gives, by the word of validate() for a size and its value; and by such words, what the
    /// file lacks.
    std::map<std::pair<std::string_view, int>, std::string> sizes;
    std::map<std::string_view, std::string> defaults;
    std::string error;
  };
  ModelConfig(const nlohmann::json& json, std::string path, std::shared_ptr<Shared> shared)
      : json_(json), path_(std::move(path)), shared_(std::move(shared)) {}

  const nlohmann::json* find(std::string_view key) const;
  std::string named(std::string_view key) const;
  void wrong(std::string_view key, std::string_view what);

  const nlohmann::json& json_;
  std::string path_;
  std::shared_ptr<Shared> shared_;
};

/// The layout of a part's numbers in a file.
enum class StoredAs {
  out_in,            ///< PyTorch's nn.Linear: [out, in]
  in_out,            ///< the layout of the computation: GPT-2's Conv1D, tables, gains, biases
  row_of_each_head,  ///< a table that has a column for each head: [·, H]
  heads_out,         ///< the outputs split by head: [H, in, out / H]; a bias or a gain: [H, out / H]
  heads_in           ///< the inputs split by head: [H, in / H, out]
};

/// The rows of a tensor (with in_out, the columns) that belong to the part.
enum class StoredPart {
  whole,
  query,
  key,
  value,  ///< Queries, keys and values side by side: q | k | v.
  query_of_group,
  key_of_group,
  value_of_group,  ///< Heads that share a key and a value, with these: [Hₖ, H / Hₖ + 2, d].
  query_of_quarter,
  key_of_quarter,
  value_of_quarter,  ///< Quarters of the heads, with their values before their keys: [4, 3, H / 4, d].
  first_half,
  second_half,
  even_rows,
  odd_rows,
  latent,             ///< The latent of all heads' keys and values, before their shared key.
  shared_key,         ///< That key, after it.
  key_of_head,        ///< In each head, a key without the shared dimensions, before a value.
  value_of_head,      ///< That value.
  rotated_first,      ///< All, but in each head the rotated dimensions come last.
  neighbours_of_head  ///< All, but in each head the rows i and i + K/2 lie side by side, for rotary
                      ///< positions.
};

/// The factor of a part when it is read.
enum class ReadTimes {
  one,
  output_factor,    ///< ForeignParts::output_factor
  sublayer_factor,  ///< ForeignParts::sublayer_factor
  root_half,        ///< √½, for a sum of two parts
  over_root_width,  ///< 1/√D
  over_width        ///< 1/D
};

/// The tensors that are joined into a part, whose numbers stand for the "{e}" of their name.
enum class JoinedOf {
  none,
  experts,  ///< in layers that have experts
  streams
};

/// Where a family stores a part of a model. A weight or a gain in NAME.weight needs no further rule for the
/// bias in NAME.bias.
struct TensorRule {
  /// The part's path without the stack, or with it if the stacks of the family differ. "{l}" is the layer.
  std::string_view path;
  /// The tensor's name without the prefix. A leading "^" means that the file never adds a prefix to it. "{s}"
  /// is the stack, "encoder" or "decoder", and "{c}" its first three letters. With "{h}", each head's part of
  /// a vector has a tensor of its own, and with "{e}" the weights of each expert.
  std::string_view tensor;
  StoredPart part = StoredPart::whole;
  StoredAs stored =
      StoredAs::out_in;  ///< Of vectors and tables, only whether they are split by head matters.
  float plus = 0.0F;     ///< added to every number: Gemma's norms multiply by 1 + the stored number
  /// The name of a matrix [out, in] that maps the rows of the tensor to those of the part, for OPT models
  /// whose tables are narrower than the model.
  std::string_view through = {};
  std::optional<float> if_missing = std::nullopt;  ///< the value of all numbers if a file leaves out the part
  bool if_tied = false;  ///< whether the rule applies only if the final linear layer is tied to the table
  ReadTimes times = ReadTimes::one;  ///< also of the bias beside a weight
  JoinedOf joined_of = JoinedOf::none;
};

/// A family of checkpoints: a function from its configurations to architectures, and a table of its tensors.
struct Family {
  std::string_view name;                        ///< The display name.
  std::array<std::string_view, 4> model_types;  ///< Unused elements are empty and come last.
  /// Possible prefixes of all tensor names. The first one that matches a tensor of the rules is used.
  std::span<const std::string_view> prefixes;
  Architecture (*architecture)(ModelConfig& config, const CheckpointFiles& files);
  std::span<const TensorRule> rules;
  /// Known tensors to ignore: buffers and copies of tied weights. '*' matches any letters. Heads for other
  /// tasks are ignored in all families and need not be listed.
  std::span<const std::string_view> unused;
  /// Whether the tokens after a separator belong to a second text with its own segment.
  bool has_pairs = false;
  std::string_view configuration = "config.json";  ///< The source of a model's sizes, as messages name it.
  /// Whether joined experts are matrices for x · W, not those that nn.Linear has.
  bool has_in_out_experts = false;
};

std::span<const Family> families();

/// Splits joined experts into tensors of their own where the family's rules need them ("{e}" at the end of a
/// name).
void split_experts(const Family& family, CheckpointFiles& files);

/// Whether any tensor's name ends like this.
bool has_tensor_ending(const CheckpointFiles& files, std::string_view end);

/// Whether a name matches a pattern with '*'.
bool matches_pattern(std::string_view name, std::string_view pattern);

// Helpers shared by several families.

/// A stack of causal layers with residual connections and pre-norms. With is_causal: false, every token sees
/// the whole text.
Architecture causal_layers(ModelConfig& config);
/// A stack of layers without a causal mask, with residual connections and post-norms.
Architecture encoding_layers(ModelConfig& config);

/// Sets the final linear layer: the embedding table if the configuration ties the two, otherwise that of the
/// file. None if neither applies and the file has none.
void set_output_layer(ModelConfig& config, const CheckpointFiles& files, std::string_view weight,
                      bool tied_by_default, Architecture& architecture);

/// Sets rotary positions that pair halves, from rope_theta and rope_scaling or rope_parameters.
void set_rotary(ModelConfig& config, double default_base_value, int context, Architecture& architecture);

/// The fraction of a head's dimensions that is rotated, from `key` or, in newer files, from rope_parameters.
float rotary_fraction(ModelConfig& config, std::string_view key, double fallback);

/// Sets the window of the sliding layers, in tokens. 0 for no window.
void set_windows(ModelConfig& config, int window, const std::vector<bool>& slides_by_layer,
                 Architecture& architecture);
/// For each layer, whether layer_types gives it a sliding window. Empty if there is no such list.
std::vector<bool> sliding_layers(ModelConfig& config, int n_layers);
/// The same; without such a list, every layer but each `every`-th slides, or all if that is 0.
std::vector<bool> sliding_layers_or(ModelConfig& config, int n_layers, int every);

/// A norm's gain or bias that a file may lack, because it was folded into the next weights or does not exist.
constexpr TensorRule optional_gain(std::string_view path, std::string_view tensor) {
  return {.path = path, .tensor = tensor, .if_missing = 1.0F};
}
constexpr TensorRule optional_bias(std::string_view path, std::string_view tensor) {
  return {.path = path, .tensor = tensor, .if_missing = 0.0F};
}

constexpr TensorRule of_experts(std::string_view path, std::string_view tensor,
                                StoredPart part = StoredPart::whole) {
  return {.path = path, .tensor = tensor, .part = part, .joined_of = JoinedOf::experts};
}
constexpr TensorRule times(ReadTimes factor, std::string_view path, std::string_view tensor) {
  return {.path = path, .tensor = tensor, .times = factor};
}

template <std::size_t n>
constexpr std::array<TensorRule, n> rules(TensorRule (&&rows)[n]) {
  return std::to_array(std::move(rows));
}

/// Concatenates tables of rules, or lists of names.
template <class Row, std::size_t... n>
constexpr auto joined(const std::array<Row, n>&... tables) {
  std::array<Row, (n + ...)> all{};
  auto* to = all.data();
  ((to = std::copy(tables.begin(), tables.end(), to)), ...);
  return all;
}

/// Reads the embedding table from the final linear layer: a file may contain either of the tied tensors.
inline constexpr TensorRule tied_table_rule{
    .path = "embedding.table", .tensor = "^lm_head.weight", .if_tied = true};

/// The prefix of families whose names have none.
inline constexpr std::array no_prefix{std::string_view("")};

/// The families of each file, which families() combines.
std::span<const Family> causal_families();
std::span<const Family> llama_families();
std::span<const Family> gemma_families();
std::span<const Family> encoder_families();
std::span<const Family> encoder_decoder_families();
std::span<const Family> transformer_lens_families();
std::span<const Family> original_families();

}  // namespace headscope
