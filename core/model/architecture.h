#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/rotary.h"
#include "core/result.h"

namespace headscope {

/// The stacks of layers that a model has. A lone decoder is a stack of causal self-attention, as in GPT. With
/// `cross`, the model has cross-attention alone: the encoder has no layers and passes its input on as its
/// output, and the layers of the decoder have no self-attention.
enum class Stacks { encoder, decoder, encoder_decoder, cross };
enum class Stack { encoder, decoder };
/// In cross-attention, the queries come from the decoder, and the keys and values from the encoder's output.
enum class AttentionKind { self, cross };

/// How the model learns the position of a token. `sinusoidal`, `split` and `learned` add a row to each
/// embedding; `rotary` rotates queries and keys (Su et al. 2021); `relative` and `alibi` add to the scores of
/// self-attention a bias that depends only on the distance between query and key (Raffel et al. 2020, with
/// one bias per distance; Press et al. 2022).
enum class Positions { none, sinusoidal, split, learned, rotary, relative, alibi };

/// Where the norms are: nowhere; before each sublayer and once after the last layer; after each residual sum,
/// as in Vaswani et al. 2017; on each sublayer's output before it is added, and once after the last layer, as
/// in OLMo 2 (2025, section 3.2); or as with `pre`, with one more norm on each sublayer's output before it is
/// added, as in Gemma 2 (2024, section 2).
enum class Norm { none, pre, post, output, both };
/// What a norm does to a row. Layer norm (Ba et al. 2016) subtracts the mean, divides by the standard
/// deviation and has a gain and a bias. RMS norm (Zhang and Sennrich 2019) divides by the root mean square
/// and has a gain.
enum class NormKind { layer, rms };
/// The activation of the feed-forward layer. gelu is x Φ(x), computed with erf; gelu_tanh is its
/// approximation ½x (1 + tanh(√(2/π) (x + 0.044715 x³))), as in GPT-2 and Gemma; silu is x / (1 + e^−x), as
/// in Llama.
enum class Activation { relu, gelu, gelu_tanh, silu };

/// What the feed-forward layer reads. In a sequential block it reads the output of attention. In a parallel
/// block it reads the layer's input, as attention does, and the layer computes x + attention(norm x) +
/// feed-forward(norm x). Its norm is either a separate one (`parallel`), as in GPT-NeoX, or attention's
/// (`parallel_shared`), as in GPT-J and PaLM.
enum class Block { sequential, parallel, parallel_shared };

/// The final linear layer to the vocabulary: none, one with separate weights, or one that shares the
/// embedding table.
enum class OutputLayer { none, linear, tied };

/// What Architecture::qk_norm normalises.
enum class HeadNorm {
  rms_of_head,   ///< RMSNorm of each head, with a gain for each dimension that all heads share
  rms_of_all,    ///< RMSNorm of the rows of all heads side by side, with a gain for each number, as in OLMo 2
  layer_of_head  ///< LayerNorm of each head without a bias, with gains for each head, as in Command R+
};

/// How random weights are drawn. Biases are uniform in ±1/√fan_in, as in PyTorch's nn.Linear.
enum class Init {
  normal,  ///< N(0, 1)
  /// Uniform in ±√(6 / (fan_in + fan_out)), Glorot and Bengio 2010. Each head's matrix is drawn separately,
  /// so it does not depend on the other heads. PyTorch's xavier_uniform_ uses the fan_out of all heads
  /// together.
  xavier,
  scaled  ///< N(0, 1/fan_in)
};

/// Which linear layers have a bias: the four projections of attention, and both layers of the feed-forward
/// layer.
struct Biases {
  bool query = true;
  bool key = true;
  bool value = true;
  bool output = true;
  bool feed_forward = true;
  bool operator==(const Biases&) const = default;
};

/// All relative positions further apart than max_relative_distance share one bias. With buckets, as in T5,
/// those further apart than max_bucket_distance do.
inline constexpr int max_relative_distance = 16;
inline constexpr int max_bucket_distance = 128;

/// The number of rows in the table of learned positions, and thus the longest sentence that it covers. It
/// applies where a model does not bring a table of another length.
inline constexpr int learned_positions = 1024;

/// Which numbers a capture has (core/model/model.h). The attention of such a model is not computed from
/// parameters, because it has none.
struct CapturedParts {
  bool weights = false;      ///< If there are none, they are computed from queries and keys.
  bool projections = false;  ///< The queries and keys, as they are multiplied.
  bool values = false;
  bool hidden = false;  ///< The rows that enter and leave the layers.
  bool operator==(const CapturedParts&) const = default;
};

/// The experts of a feed-forward layer (Shazeer et al. 2017; Fedus et al. 2022): E gated layers of the same
/// width, of which each token takes the k with the largest logits. Their softmax over all experts is the
/// share of each in the output. The hidden numbers of all experts stand side by side.
struct Experts {
  int count = 2;              ///< E
  int taken = 1;              ///< k
  int width = 1;              ///< F, the hidden numbers of each.
  bool renormalised = false;  ///< Whether the shares of those that are taken are divided by their sum.
  /// The hidden numbers of one more expert, which every token takes, as in Qwen 2's models. 0 if there is
  /// none. Its share is σ(x w) if it is gated, otherwise 1, as in DeepSeek's models.
  int shared_width = 0;
  bool gates_shared = true;
  /// Whether a share is σ of the logit in place of a softmax, as in DeepSeek-V3, and whether a number of each
  /// expert is added to it where experts are chosen, but not where they are weighed.
  bool uses_sigmoid = false;
  bool corrects = false;
  /// The experts are in groups of equal size, and a token takes only those of its best groups: those with the
  /// largest logit or, where scores are corrected, with the largest sum of the two best scores (DeepSeek-V2,
  /// 2024, section 2.2.2, and the code of V3).
  int groups = 1, taken_groups = 1;
  float factor = 1.0F;  ///< The factor of all shares but that of the shared expert.

  int all() const { return count + (shared_width > 0 ? 1 : 0); }
  int hidden() const { return count * width + shared_width; }
  /// The expert to which a hidden number belongs, and the first and the number of those of an expert.
  int expert_of(int hidden_number) const { return std::min(hidden_number / width, count); }
  int first_of(int expert) const { return expert * width; }
  int width_of(int expert) const { return expert < count ? width : shared_width; }
  bool operator==(const Experts&) const = default;
};

/// Parts that only models from other programs have. No control sets them and no session's JSON holds them:
/// they come with the weights, and a session without such weights has none of them.
struct ForeignParts {
  /// E: the width of the embeddings and of the rows that are added to them. A linear layer then widens their
  /// sum to d_model, as in ALBERT and ELECTRA (Clark et al. 2020). If it is not set, the width is d_model and
  /// there is no such layer.
  std::optional<int> embedding_width;
  /// The number of segments, each with a learned row that is added to the embeddings of its tokens (Devlin et
  /// al. 2019, section 3). The tokens of the second text of a pair are in segment 1, all others in segment 0.
  /// 0 if there are no segments.
  int segments = 0;
  /// Whether the sum of embeddings, positions and segments goes through a layer norm, as in BERT. If nothing
  /// is added to the embeddings, as in BLOOM, the embeddings themselves do.
  bool embedding_norm = false;
  int position_rows = learned_positions;  ///< The number of rows in the table of learned positions.
  /// The row of the first token, or its position on sinusoids. Those before it are for padding.
  int first_position = 0;
  /// The id of padding, whose tokens are not counted and have the row before the first, as in RoBERTa. Not
  /// set if all tokens are counted.
  std::optional<int> uncounted_id = {};
  /// Whether encoder and decoder each have a table of learned positions, as in BART.
  bool positions_of_stacks = false;
  /// Whether each layer has a table of biases by distance of its own, as in UMT5.
  bool biases_of_layers = false;
  /// Whether the sines of sinusoidal positions come first, and the cosines after them, as in Marian.
  bool sines_first = false;
  /// The number of layers of a stack that has fewer than n_layers, as in DistilBART. 0 stands for n_layers.
  int encoder_layers = 0, decoder_layers = 0;
  /// Whether a model with norms before its sublayers has none after the last layer.
  bool omits_final_norm = false;
  /// Whether the output of the last layer goes through a linear layer of the embeddings' width, the
  /// activation and a layer norm before it is compared with the words, as in BERT's head for masked words.
  bool output_transform = false;
  /// The factor of the rows of the embedding table, as in Granite, unless they are multiplied by √d_model.
  float embedding_factor = 1.0F;
  /// The factor of the final linear layer's weights: T5's tied one is the embedding table divided by
  /// √d_model. A layer of its own already has the factor when it is read.
  float output_factor = 1.0F;
  /// The factor of what each sublayer adds to its input, as in Granite. W_O and W_2 already have it when they
  /// are read.
  float sublayer_factor = 1.0F;
  /// Whether the scores of self-attention also have learned biases by distance, beside learned rows of
  /// positions, as in MPNet.
  bool adds_biases = false;
  /// The factor of ALiBi's slopes: 1/√K in Falcon, which adds biases before it scales the scores.
  float slope_factor = 1.0F;
  HeadNorm head_norm = HeadNorm::rms_of_head;
  /// Whether layer 0 has no norm before attention because the embeddings are normalised already, as in
  /// ModernBERT.
  bool omits_first_norm = false;
  /// Whether each layer leaves queries and keys as they are where the others rotate them, as in SmolLM3.
  /// Empty if all layers rotate them.
  std::vector<bool> unrotated_layers = {};
  /// Whether each layer has the sliding window. Empty if `global_every` decides.
  std::vector<bool> windowed_layers = {};
  /// LongRoPE's divisors; see Rotary::divisors.
  std::vector<float> rotary_divisors = {};
  /// The experts of each feed-forward layer. Architecture::d_ff is then the width of all together.
  std::optional<Experts> experts = {};
  /// Whether each layer has a feed-forward layer of width `dense_width` for all tokens in place of experts.
  /// Empty if all layers have experts.
  std::vector<bool> dense_layers = {};
  int dense_width = 0;
  /// The limit c of gated layers that compute G = g σ(1.702 g) (u + 1), with g at most c and u within ±c, as
  /// in gpt-oss. 0 for those that follow the activation.
  float gate_limit = 0.0F;
  /// The width of a normalised row from which the queries of all heads are made, as in DeepSeek-V2 (2024,
  /// section 2.1.3). If it is not set, they are made from the input of attention.
  std::optional<int> query_latent = {};
  /// The number of classes that the final linear layer distinguishes instead of words. 0 if it predicts
  /// words.
  int classes = 0;
  /// The largest number of tokens that the model was made for, whatever its positions are. 0 if there is no
  /// limit.
  int context = 0;
  /// Set if attention was computed by another program and is read from its file.
  std::optional<CapturedParts> captured = {};
  bool operator==(const ForeignParts&) const = default;
};

/// The shape of a model, and how its weights are drawn. It is a plain value and holds no weights. The default
/// is a single attention layer without norm, residual connection and feed-forward layer.
struct Architecture {
  Stacks stacks = Stacks::encoder;
  int n_layers = 1;  ///< The number of layers in each stack, or in the higher one; see layers_of().
  int d_model = 64;
  int n_heads = 4;
  /// The number of heads with separate keys and values, each shared by the same number of query heads
  /// (Shazeer 2019; Ainslie et al. 2023). It must divide n_heads. If it is not set, it is n_heads.
  std::optional<int> n_kv_heads;
  /// d_c: the width of a normalised row that all heads share and from which keys and values are made
  /// (multi-head latent attention: DeepSeek-V2, 2024, section 2.1). The dimensions that positions rotate are
  /// not made from it, because W_K could then not be multiplied into W_Q; they are one key for all heads
  /// (section 2.1.3). If it is not set, keys and values are made from the input of attention.
  std::optional<int> kv_latent;
  /// K. If it is not set, it is d_model / n_heads, which must then be a whole number.
  std::optional<int> d_head;
  std::optional<int> d_value;  ///< V. If it is not set, it is d_head.
  Biases bias;
  bool output_projection = true;
  int d_ff = 0;  ///< The width of the feed-forward layer. 0 if there is none.
  Activation activation = Activation::relu;
  /// The factor of the raw scores. 0 stands for 1/√K.
  float score_scale = 0.0F;
  /// Scaled scores are squashed into ±c by c · tanh(score / c), as in Gemma 2. 0 leaves them unchanged.
  float softcap = 0.0F;
  float logit_softcap = 0.0F;  ///< The same for the logits.
  /// Whether attention is linear (Katharopoulos et al. 2020). Scores are then φ(q) · φ(k) with φ(x) = elu(x)
  /// + 1, and each weight is a score's share of its row's sum. There is no softmax, and no scale, because it
  /// would cancel.
  bool linear_attention = false;
  /// Whether each head has a learned score that joins the softmax of every query and contributes no value, as
  /// in gpt-oss.
  bool sinks = false;
  /// Whether queries and keys are divided by their root mean square and multiplied by a gain for each
  /// dimension, which all heads share, before positions rotate them, as in Qwen 3 and Gemma 3.
  bool qk_norm = false;
  /// Whether the concatenated outputs of the heads are multiplied by σ(x W_G) before W_O, as in Qwen3-Next
  /// (Qiu et al. 2025, “Gated Attention for Large Language Models”).
  bool output_gate = false;
  /// Whether the activated numbers are multiplied by those of a second linear layer, W_up, before W_2
  /// (Shazeer 2020): SwiGLU with silu, GEGLU with gelu.
  bool gated = false;
  Block block = Block::sequential;
  Norm norm = Norm::none;
  NormKind norm_kind = NormKind::layer;
  /// What the norms add to the variance or to the mean square. It applies to the norms around sublayers, to
  /// those of queries and keys, as in Qwen 3 and Gemma 3, and to that of a latent. DeepSeek's code uses 1e-6
  /// for the norm of its latent whatever the configuration says; the configurations of all its models say
  /// 1e-6.
  float norm_epsilon = 1e-5F;
  bool residual = false;
  OutputLayer output_layer = OutputLayer::none;
  /// Whether the final linear layer, if there is one, adds a number for each word.
  bool output_bias = false;
  /// Whether a word's row of the table is multiplied by √D before positions are added, as in Vaswani et al.
  /// 2017, section 3.4. Otherwise positions would drown a table that also predicts words.
  bool scales_embedding = false;
  Positions positions = Positions::sinusoidal;
  /// The number of buckets with Positions::relative. Distances in one bucket share a bias, and buckets widen
  /// with the distance (Raffel et al. 2020, section 2.1). If it is not set, each distance up to
  /// max_relative_distance has its own bias.
  std::optional<int> relative_buckets;
  Rotary rotary;  ///< Used with Positions::rotary.
  /// The number of keys that a query sees in self-attention, including its own: those before it and, where
  /// attention is not causal, as many after it. Configurations count this way; the mask's window counts the
  /// distance, which is one less.
  std::optional<int> sliding_window;
  /// Of every `global_every` layers, the last one is global: the sliding window does not apply there. If it
  /// is not set, the window applies in all layers.
  std::optional<int> global_every;
  ForeignParts foreign;
  Init init = Init::xavier;
  std::uint64_t seed = 0;

  int head_width() const { return d_head ? *d_head : d_model / n_heads; }
  int value_width() const { return d_value ? *d_value : head_width(); }
  int concat_width() const { return n_heads * value_width(); }
  int kv_heads() const { return n_kv_heads ? *n_kv_heads : n_heads; }
  /// The number of query heads that share a key and value head. 1 if the numbers of heads are invalid.
  int group_size() const { return kv_heads() > 0 ? std::max(n_heads / kv_heads(), 1) : 1; }
  bool shares_keys() const { return group_size() > 1; }
  /// The first of the query heads that share keys and values with this one. Shared parameters are named after
  /// it.
  int first_of_group(int head) const { return head / group_size() * group_size(); }
  /// The width of the rows from which queries are made.
  int query_input_width() const { return foreign.query_latent.value_or(d_model); }
  /// The width of the rows from which keys and values are made.
  int kv_input_width() const { return kv_latent ? *kv_latent : d_model; }
  /// d_R: the number of leading dimensions of a key that all heads share. The other dimensions of a head's
  /// key are its own.
  int shared_key_width(AttentionKind kind) const {
    const bool turns = kind == AttentionKind::self && rotates();
    return kv_latent && turns ? turned_width(rotary, head_width()) : 0;
  }
  int own_key_width(AttentionKind kind) const { return head_width() - shared_key_width(kind); }
  /// How many numbers decoding keeps per token: all keys and values, or the rows from which they are made.
  int cached_width(AttentionKind kind) const {
    if (kv_latent) return *kv_latent + shared_key_width(kind);
    return kv_heads() * (head_width() + value_width());
  }
  /// Whether the weights of attention are read from a capture, so that no option changes them.
  bool reads_weights() const { return foreign.captured && foreign.captured->weights; }
  /// The width of a layer's output.
  int layer_width() const { return output_projection || foreign.captured ? d_model : concat_width(); }
  bool has(Stack stack) const {
    return has_cross() || (stacks == Stacks::encoder) == (stack == Stack::encoder);
  }
  bool has_cross() const { return stacks == Stacks::encoder_decoder || stacks == Stacks::cross; }
  bool has_self() const { return stacks != Stacks::cross; }
  bool has(Stack stack, AttentionKind kind) const {
    if (kind == AttentionKind::cross) return has_cross() && stack == Stack::decoder;
    return has_self() && has(stack);
  }
  /// Whether the stack has a norm after its last layer.
  bool has_final_norm(Stack stack) const {
    const bool has_norm = norms_inputs() || norm == Norm::output;
    return has_norm && !foreign.omits_final_norm && has(stack) && layers_of(stack) > 0;
  }
  /// The number of layers of a stack that the model has.
  int layers_of(Stack stack) const {
    if (!has_self() && stack == Stack::encoder) return 0;
    const int own = stack == Stack::encoder ? foreign.encoder_layers : foreign.decoder_layers;
    return own > 0 ? own : n_layers;
  }
  /// The stack that reads the (source) sentence, and the stack whose output is the model's.
  Stack first_stack() const { return stacks == Stacks::decoder ? Stack::decoder : Stack::encoder; }
  Stack last_stack() const { return stacks == Stacks::encoder ? Stack::encoder : Stack::decoder; }
  /// The width of the rows of the embedding table, of positions and of segments.
  int embedding_width() const { return foreign.embedding_width.value_or(d_model); }
  bool projects_embedding() const { return foreign.embedding_width.has_value(); }
  /// Whether the sum of embeddings, positions and segments is processed further before it enters layer 0.
  bool prepares_input() const { return foreign.embedding_norm || projects_embedding(); }
  /// Whether a transform comes before the final linear layer.
  bool has_output_transform() const { return output_layer != OutputLayer::none && foreign.output_transform; }
  /// The width of the rows that the final linear layer reads.
  int output_width() const { return has_output_transform() ? embedding_width() : d_model; }
  /// The largest number of tokens that the model can read, given its table of positions and its context. 0 if
  /// there is no limit.
  int most_tokens() const {
    const int rows = positions == Positions::learned ? foreign.position_rows - foreign.first_position : 0;
    if (foreign.context == 0 || rows == 0) return std::max(foreign.context, rows);
    return std::min(foreign.context, rows);
  }
  /// The factor of the rows of the embedding table.
  double embedding_factor() const {
    return scales_embedding ? std::sqrt(static_cast<double>(d_model))
                            : static_cast<double>(foreign.embedding_factor);
  }
  bool has_output_bias() const { return output_layer != OutputLayer::none && output_bias; }
  bool adds_positions() const {
    return positions == Positions::sinusoidal || positions == Positions::split ||
           positions == Positions::learned;
  }
  bool biases_positions() const { return positions == Positions::relative || positions == Positions::alibi; }
  /// Whether positions, of whatever kind, add biases to the scores of self-attention.
  bool biases_scores() const { return biases_positions() || foreign.adds_biases; }
  bool rotates() const { return positions == Positions::rotary; }
  /// Whether encoder and decoder each learn a table of relative positions, as in T5. A model of one stack has
  /// one table. So does a model that adds learned rows: both stacks add the same ones.
  bool has_position_tables_of_stacks() const {
    return positions == Positions::relative && stacks == Stacks::encoder_decoder && !foreign.biases_of_layers;
  }
  /// Whether each stack has a table of biases by distance of its own.
  bool has_bias_tables_of_stacks() const { return has_position_tables_of_stacks() || foreign.adds_biases; }
  /// Whether each stack has a table of learned rows of its own.
  bool has_position_rows_of_stacks() const {
    return positions == Positions::learned && foreign.positions_of_stacks;
  }
  bool has_bias_tables_of_layers() const {
    return positions == Positions::relative && foreign.biases_of_layers;
  }
  bool has_position_table() const {
    if (positions == Positions::learned) return !foreign.positions_of_stacks;
    return positions == Positions::relative && !has_position_tables_of_stacks() && !foreign.biases_of_layers;
  }
  /// How many numbers each head has in the table of relative positions.
  int relative_width() const { return relative_buckets.value_or(2 * max_relative_distance + 1); }
  bool is_gated() const { return gated && d_ff > 0; }
  /// Whether the feed-forward layer of a layer has experts, and how many hidden numbers it has.
  bool has_experts(int layer) const {
    const auto l = static_cast<std::size_t>(layer);
    return foreign.experts && !(l < foreign.dense_layers.size() && foreign.dense_layers[l]);
  }
  int feed_forward_width(int layer) const {
    return foreign.experts && !has_experts(layer) ? foreign.dense_width : d_ff;
  }
  bool is_parallel() const { return block != Block::sequential && d_ff > 0; }
  /// Both sublayers of a parallel block add to one sum, with no norm between them.
  bool norms_allow_parallel() const { return norm == Norm::none || norm == Norm::pre; }
  /// Whether there is a norm before each sublayer and after the last layer, and whether there is one on each
  /// sublayer's output.
  bool norms_inputs() const { return norm == Norm::pre || norm == Norm::both; }
  bool norms_outputs() const { return norm == Norm::output || norm == Norm::both; }
  /// Whether the sublayers have a norm before them, or after their sums.
  bool norms_sublayers() const { return norms_inputs() || norm == Norm::post; }
  /// Whether the self-attention of a layer has such a norm.
  bool has_self_norm(int layer) const {
    return norms_sublayers() && !(foreign.omits_first_norm && norms_inputs() && layer == 0);
  }
  /// How many gains the norm of the queries, or of the keys, of so many heads has.
  int head_gains(int heads) const {
    return foreign.head_norm == HeadNorm::rms_of_head ? head_width() : heads * head_width();
  }
  /// Whether the feed-forward layer has a separate norm.
  bool feed_forward_has_norm() const {
    return d_ff > 0 && norms_sublayers() && block != Block::parallel_shared;
  }
  /// Whether the sliding window applies to the self-attention of a layer.
  bool slides(int layer) const {
    const auto l = static_cast<std::size_t>(layer);
    if (sliding_window && l < foreign.windowed_layers.size()) return foreign.windowed_layers[l];
    if (!sliding_window || !global_every) return sliding_window.has_value();
    return layer % *global_every != *global_every - 1;
  }
  /// How self-attention rotates queries and keys in layers without a sliding window.
  Rotary rotary_of_global_layers() const {
    Rotary own = rotary;
    own.divisors = foreign.rotary_divisors;
    return own;
  }
  /// How a layer's self-attention rotates queries and keys. No dimension is rotated if the fraction is 0.
  Rotary rotary_of(int layer) const {
    Rotary own = rotary_of_global_layers();
    const auto l = static_cast<std::size_t>(layer);
    if (l < foreign.unrotated_layers.size() && foreign.unrotated_layers[l]) own.fraction = 0.0F;
    if (rotary.local_base <= 0.0F || !slides(layer)) return own;
    own.base = rotary.local_base;
    own.scaling = RotaryScaling::none;
    own.divisors.clear();
    return own;
  }
  bool operator==(const Architecture&) const = default;
};

/// The number of rows in the embedding table of the seeds/1 preset.
inline constexpr int seed1_vocabulary = 100;
/// The limits for the command line and for files; a number beyond them is a mistake. A model that does not
/// fit into memory is refused by an estimate before any memory is allocated.
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

/// Checks that the sizes are consistent. The message names the size, its value and the nearest valid value
/// ("d_model 65 is not divisible by 8 heads: 64 or 72").
Result<void> validate(const Architecture& architecture);

/// The largest divisor of n_heads that is at most `wish`, for the number of key and value heads. n_heads is
/// at least 1.
int kv_heads_up_to(int n_heads, int wish);
/// The same for a control that moves from `now` to `wish`: when it moves upwards, it takes the next larger
/// divisor.
int kv_heads_towards(int n_heads, int now, int wish);

/// The number of layers in words: “2 layers”, or “1 + 1 layers” for two stacks.
std::string layers_text(const Architecture& architecture);

/// How many numbers the model's weights have, without the embedding table and the final linear layer, which
/// depend on the words.
double count_parameters(const Architecture& architecture);
/// How many bytes these weights take.
double model_bytes(const Architecture& architecture);

}  // namespace headscope
