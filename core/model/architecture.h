#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/rotary.h"
#include "core/result.h"

namespace headscope {

/// Which stacks of layers a model has. A lone decoder is a stack of causal self-attention (GPT-like). Cross
/// is cross-attention alone: the encoder has no layers, so that its output is its input, and the decoder's
/// layers have no self-attention.
enum class Stacks { encoder, decoder, encoder_decoder, cross };
enum class Stack { encoder, decoder };
/// In cross-attention the queries come from the decoder, keys and values from the encoder's output.
enum class AttentionKind { self, cross };

/// How the model knows the position of a token. The first four are rows that are added to the embeddings;
/// rotary turns queries and keys (Su et al. 2021); relative and ALiBi add a bias to the scores of
/// self-attention that depends on the distance alone (Raffel et al. 2020, with one bias a distance; Press et
/// al. 2022).
enum class Positions { none, sinusoidal, split, learned, rotary, relative, alibi };

/// Where the norms are: nowhere, before each sublayer (and once after the last layer), after each residual
/// sum, as in Vaswani et al. 2017, or as before and one more of each sublayer's output, before it is added,
/// as in Gemma 2 (2024, section 2).
enum class Norm { none, pre, post, both };
/// What a norm does to a row: layer norm (Ba et al. 2016) takes off the mean, divides by the standard
/// deviation and has a gain and a bias; RMS norm (Zhang and Sennrich 2019) divides by the root mean square
/// and has a gain.
enum class NormKind { layer, rms };
/// gelu: x Φ(x), by erf; gelu_tanh: its approximation ½x (1 + tanh(√(2/π) (x + 0.044715 x³))), as in GPT-2
/// and Gemma; silu: x / (1 + e^−x), as in Llama.
enum class Activation { relu, gelu, gelu_tanh, silu };

/// What the feed-forward layer reads: what leaves attention, or beside attention what enters the layer, so
/// that the layer is x + attention(norm x) + feed-forward(norm x). Then with a norm of its own, as in
/// GPT-NeoX, or with attention's, as in GPT-J and PaLM.
enum class Block { sequential, parallel, parallel_shared };

/// The final linear layer to the vocabulary: none, weights of its own, or the embedding table's.
enum class OutputLayer { none, linear, tied };

/// How random weights are drawn. Biases are uniform in ±1/√fan_in, as in PyTorch's nn.Linear.
enum class Init {
  normal,  ///< N(0, 1)
  /// Uniform ±√(6 / (fan_in + fan_out)), Glorot and Bengio 2010, for each head's matrix by itself, so that it
  /// depends on no other head. PyTorch's xavier_uniform_ takes fan_out of all heads together.
  xavier,
  scaled  ///< N(0, 1/fan_in)
};

/// Which linear layers have a bias: attention's four projections, and those of the feed-forward layer.
struct Biases {
  bool query = true;
  bool key = true;
  bool value = true;
  bool output = true;
  bool feed_forward = true;
  bool operator==(const Biases&) const = default;
};

/// Relative positions further apart than this share one bias; with buckets, those further apart than
/// max_bucket_distance, as in T5.
inline constexpr int max_relative_distance = 16;
inline constexpr int max_bucket_distance = 128;

/// Rows of the table of learned positions, the longest sentence that they can number, where a model does not
/// bring a table of another length.
inline constexpr int learned_positions = 1024;

/// Parts that only models from elsewhere have. No control sets them and no session's JSON holds them: they
/// come with the weights, and a session without these weights has none of them.
struct ForeignParts {
  /// E: the width of embeddings and of what is added to them, where a linear layer makes rows of d_model of
  /// their sum, as in ALBERT and ELECTRA (Clark et al. 2020). Nothing: d_model.
  std::optional<int> embedding_width;
  /// Kinds of segments, each with a learned row that is added to the embeddings of its tokens (Devlin et al.
  /// 2019, section 3): 0, and 1 for the second text of a pair. 0: there are none.
  int segments = 0;
  /// A layer norm of the sum of embeddings, positions and segments, as in BERT; of the embeddings, where
  /// nothing is added to them, as in BLOOM.
  bool embedding_norm = false;
  int position_rows = learned_positions;  ///< of the table of learned positions
  int first_position = 0;                 ///< the row of the first token: those before it are for padding
  bool omits_final_norm = false;          ///< after the last layer, where norms come before sublayers
  /// What leaves the last layer goes through a linear layer of the embeddings' width, the activation and a
  /// layer norm before it is compared with the words, as in BERT's head for masked words.
  bool output_transform = false;
  /// A tied final linear layer is the embedding table divided by √d_model, as in T5.
  bool scales_output = false;
  /// Whether each layer has the sliding window, where the global ones are not the last of each global_every;
  /// empty: they are.
  std::vector<bool> windowed_layers = {};
  /// Of LongRoPE: Rotary::divisors.
  std::vector<float> rotary_divisors = {};
  /// What the final linear layer tells apart in place of words; 0: it predicts words.
  int classes = 0;
  /// The most tokens that the model was made for, whatever its positions are; 0: any number.
  int context = 0;
  bool operator==(const ForeignParts&) const = default;
};

/// The shape of a model and how its weights are drawn. A plain value: it holds no weights. By default it is a
/// single attention layer without norm, residual connection and feed-forward layer.
struct Architecture {
  Stacks stacks = Stacks::encoder;
  int n_layers = 1;  ///< in each stack; see layers_of()
  int d_model = 64;
  int n_heads = 4;
  /// Heads that have keys and values of their own, which as many query heads each share (Shazeer 2019;
  /// Ainslie et al. 2023); automatic is n_heads, which it must divide.
  std::optional<int> n_kv_heads;
  /// Keys and values are made from a normalised row of so many numbers, d_c, that all heads share (multi-head
  /// latent attention: DeepSeek-V2, 2024, section 2.1). Dimensions that positions turn are not made from it,
  /// as W_K could then not be multiplied into W_Q: they are one key for all heads (section 2.1.3). Nothing:
  /// from what attention reads.
  std::optional<int> kv_latent;
  std::optional<int> d_head;   ///< K; automatic is d_model / n_heads, which must then divide
  std::optional<int> d_value;  ///< V; automatic is d_head
  Biases bias;
  bool output_projection = true;
  int d_ff = 0;  ///< width of the feed-forward layer; 0: there is none
  Activation activation = Activation::relu;
  /// What raw scores are multiplied by; 0: 1/√K.
  float score_scale = 0.0F;
  /// Scaled scores are squashed into ±c by c · tanh(score / c), as in Gemma 2; 0: they are not.
  float softcap = 0.0F;
  float logit_softcap = 0.0F;  ///< the same for logits
  /// Linear attention (Katharopoulos et al. 2020): scores are φ(q) · φ(k) with φ(x) = elu(x) + 1, and weights
  /// are their shares of the row's sum, without a softmax and without a scale, which would cancel.
  bool linear_attention = false;
  /// Each head has a learned score that joins every query's softmax and brings no value, as in gpt-oss.
  bool sinks = false;
  /// Queries and keys are divided by their root mean square and multiplied by a gain for each dimension, the
  /// same in all heads, before positions turn them, as in Qwen 3 and Gemma 3.
  bool qk_norm = false;
  /// The heads' outputs, side by side, are multiplied by σ(x W_G) before W_O, as in Qwen3-Next (Qiu et al.
  /// 2025, “Gated Attention for Large Language Models”).
  bool output_gate = false;
  /// The activated numbers are multiplied by those of a second linear layer, W_up, before W_2 (Shazeer 2020):
  /// SwiGLU with silu, GEGLU with gelu.
  bool gated = false;
  Block block = Block::sequential;
  Norm norm = Norm::none;
  NormKind norm_kind = NormKind::layer;
  /// Added to the variance, or to the mean square: by the norms around sublayers, by those of queries and
  /// keys, as in Qwen 3 and Gemma 3, and by that of a latent. DeepSeek's code has 1e-6 for its latent's norm
  /// whatever the configuration says, which is 1e-6 in all of its models.
  float norm_epsilon = 1e-5F;
  bool residual = false;
  OutputLayer output_layer = OutputLayer::none;
  bool output_bias = false;  ///< of the final linear layer, where there is one: a number for each word
  /// A word's row of the table is multiplied by √D before positions are added, as in Vaswani et al. 2017,
  /// section 3.4, so that positions do not drown a table that also predicts words.
  bool scales_embedding = false;
  Positions positions = Positions::sinusoidal;
  /// With Positions::relative, distances share biases in so many buckets, which grow with the distance
  /// (Raffel et al. 2020, section 2.1); nothing: each distance has its own, up to max_relative_distance.
  std::optional<int> relative_buckets;
  Rotary rotary;  ///< with Positions::rotary
  /// In self-attention, how many keys a query sees, itself among them: those before it, and where it is not
  /// causal as many after it. Configurations count it so; the mask's window counts the distance, one less.
  std::optional<int> sliding_window;
  /// Every so many layers the last one is global: the sliding window does not hold there. Nothing: it holds
  /// in all layers.
  std::optional<int> global_every;
  ForeignParts foreign;
  Init init = Init::xavier;
  std::uint64_t seed = 0;

  int head_width() const { return d_head ? *d_head : d_model / n_heads; }
  int value_width() const { return d_value ? *d_value : head_width(); }
  int concat_width() const { return n_heads * value_width(); }
  int kv_heads() const { return n_kv_heads ? *n_kv_heads : n_heads; }
  /// How many query heads share a key and value head; 1 where the heads make no sense.
  int group_size() const { return kv_heads() > 0 ? std::max(n_heads / kv_heads(), 1) : 1; }
  bool shares_keys() const { return group_size() > 1; }
  /// The first of the query heads that share keys and values with this one: what is shared goes by its name.
  int first_of_group(int head) const { return head / group_size() * group_size(); }
  /// Width of what a head's keys and values are made from.
  int kv_input_width() const { return kv_latent ? *kv_latent : d_model; }
  /// d_R: dimensions of the keys of an attention that all heads share, from the first on; the others of a
  /// head's key are its own.
  int shared_key_width(AttentionKind kind) const {
    const bool turns = kind == AttentionKind::self && rotates();
    return kv_latent && turns ? turned_width(rotary, head_width()) : 0;
  }
  int own_key_width(AttentionKind kind) const { return head_width() - shared_key_width(kind); }
  /// Numbers that decoding keeps of a token: all keys and values, or what these are made from.
  int cached_width(AttentionKind kind) const {
    if (kv_latent) return *kv_latent + shared_key_width(kind);
    return kv_heads() * (head_width() + value_width());
  }
  /// Of a row that leaves a layer.
  int layer_width() const { return output_projection ? d_model : concat_width(); }
  bool has(Stack stack) const {
    return has_cross() || (stacks == Stacks::encoder) == (stack == Stack::encoder);
  }
  bool has_cross() const { return stacks == Stacks::encoder_decoder || stacks == Stacks::cross; }
  bool has_self() const { return stacks != Stacks::cross; }
  bool has(Stack stack, AttentionKind kind) const {
    if (kind == AttentionKind::cross) return has_cross() && stack == Stack::decoder;
    return has_self() && has(stack);
  }
  /// After the last layer.
  bool has_final_norm(Stack stack) const {
    return norms_inputs() && !foreign.omits_final_norm && has(stack) && layers_of(stack) > 0;
  }
  /// Layers of a stack that there is.
  int layers_of(Stack stack) const { return has_self() || stack == Stack::decoder ? n_layers : 0; }
  /// The stack that reads the (source) sentence, and the one whose output is the model's.
  Stack first_stack() const { return stacks == Stacks::decoder ? Stack::decoder : Stack::encoder; }
  Stack last_stack() const { return stacks == Stacks::encoder ? Stack::encoder : Stack::decoder; }
  /// Of the rows of the embedding table, of positions and of segments.
  int embedding_width() const { return foreign.embedding_width.value_or(d_model); }
  bool projects_embedding() const { return foreign.embedding_width.has_value(); }
  /// Whether more is done to the sum of embeddings, positions and segments before it enters layer 0.
  bool prepares_input() const { return foreign.embedding_norm || projects_embedding(); }
  /// Whether anything is added to the embeddings.
  bool adds_to_embedding() const { return adds_positions() || foreign.segments > 0; }
  /// Before the final linear layer.
  bool has_output_transform() const { return output_layer != OutputLayer::none && foreign.output_transform; }
  /// Of the rows that the final linear layer reads.
  int output_width() const { return has_output_transform() ? embedding_width() : d_model; }
  /// What the columns of a tied final linear layer are multiplied by.
  double output_factor() const {
    return foreign.scales_output ? 1.0 / std::sqrt(static_cast<double>(d_model)) : 1.0;
  }
  /// The most tokens that it can read, by its table of positions and its context; 0: any number.
  int most_tokens() const {
    const int rows = positions == Positions::learned ? foreign.position_rows - foreign.first_position : 0;
    if (foreign.context == 0 || rows == 0) return std::max(foreign.context, rows);
    return std::min(foreign.context, rows);
  }
  /// What a row of the embedding table is multiplied by.
  double embedding_factor() const { return scales_embedding ? std::sqrt(static_cast<double>(d_model)) : 1.0; }
  bool has_output_bias() const { return output_layer != OutputLayer::none && output_bias; }
  bool adds_positions() const {
    return positions == Positions::sinusoidal || positions == Positions::split ||
           positions == Positions::learned;
  }
  bool biases_positions() const { return positions == Positions::relative || positions == Positions::alibi; }
  bool rotates() const { return positions == Positions::rotary; }
  /// Encoder and decoder learn a table of relative positions each, as in T5. A model of one stack has one
  /// table, and so has one that adds learned rows: they are the same in both stacks.
  bool has_position_tables_of_stacks() const {
    return positions == Positions::relative && stacks == Stacks::encoder_decoder;
  }
  bool has_position_table() const {
    return positions == Positions::learned ||
           (positions == Positions::relative && !has_position_tables_of_stacks());
  }
  /// Numbers of a head in the table of relative positions.
  int relative_width() const { return relative_buckets.value_or(2 * max_relative_distance + 1); }
  bool is_gated() const { return gated && d_ff > 0; }
  bool is_parallel() const { return block != Block::sequential && d_ff > 0; }
  /// Both sublayers of a parallel block add to one sum, with no norm between them.
  bool norms_allow_parallel() const { return norm == Norm::none || norm == Norm::pre; }
  /// Whether there is a norm before each sublayer and after the last layer, and one of each sublayer's
  /// output.
  bool norms_inputs() const { return norm == Norm::pre || norm == Norm::both; }
  bool norms_outputs() const { return norm == Norm::both; }
  /// Whether norms add a bias, and whether the feed-forward layer has a norm of its own.
  bool norms_have_bias() const { return norm != Norm::none && norm_kind == NormKind::layer; }
  bool feed_forward_has_norm() const {
    return d_ff > 0 && norm != Norm::none && block != Block::parallel_shared;
  }
  /// Whether the sliding window holds in self-attention of a layer.
  bool slides(int layer) const {
    const auto l = static_cast<std::size_t>(layer);
    if (sliding_window && l < foreign.windowed_layers.size()) return foreign.windowed_layers[l];
    if (!sliding_window || !global_every) return sliding_window.has_value();
    return layer % *global_every != *global_every - 1;
  }
  /// How self-attention turns queries and keys where no sliding window holds.
  Rotary rotary_of_global_layers() const {
    Rotary own = rotary;
    own.divisors = foreign.rotary_divisors;
    return own;
  }
  /// How a layer's self-attention turns them.
  Rotary rotary_of(int layer) const {
    Rotary own = rotary_of_global_layers();
    if (rotary.local_base <= 0.0F || !slides(layer)) return own;
    own.base = rotary.local_base;
    own.scaling = RotaryScaling::none;
    own.divisors.clear();
    return own;
  }
  bool operator==(const Architecture&) const = default;
};

/// Rows of the embedding table of the seeds/1 preset.
inline constexpr int seed1_vocabulary = 100;
/// The limits of the command line and of files: beyond them a number is a mistake. What does not fit into the
/// memory is refused by an estimate before any is taken.
struct ArchitectureLimits {
  static constexpr int min_d_model = 1, max_d_model = 65536;
  static constexpr int min_heads = 1, max_heads = 1024;
  static constexpr int min_head_width = 1, max_head_width = 65536;
  static constexpr int min_layers = 1, max_layers = 1000;
  static constexpr int max_d_ff = 1 << 20;
  static constexpr float max_score_scale = 100.0F;
  static constexpr float max_softcap = 1000.0F;
  static constexpr float min_norm_epsilon = 1e-12F, max_norm_epsilon = 1.0F;
  static constexpr int min_relative_buckets = 4, max_relative_buckets = 128;
  static constexpr int min_sliding_window = 1, max_sliding_window = 1'000'000;
};

/// Whether the sizes are consistent; the message names the size, its value and the nearest valid one
/// ("d_model 65 is not divisible by 8 heads: 64 or 72").
Result<void> validate(const Architecture& architecture);

/// The d_model nearest to the requested one that is divisible by the heads and within the limits.
int nearest_d_model(int requested, int n_heads);

/// Heads of keys and values that divide the heads, which are at least 1: the most of them up to `wish`.
int kv_heads_up_to(int n_heads, int wish);
/// The same of those that a hand moves from `now` to `wish`: upwards, the next that divide.
int kv_heads_towards(int n_heads, int now, int wish);

/// How many layers: “2 layers”; “1 + 1 layers” in two stacks.
std::string layers_text(const Architecture& architecture);

/// Numbers in the model's weights, without an embedding table and a final linear layer, which depend on the
/// words.
double count_parameters(const Architecture& architecture);
/// Memory of these weights.
double model_bytes(const Architecture& architecture);

}  // namespace headscope
