#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/rotary.h"
#include "core/result.h"
#include "core/tensor/elementwise.h"

namespace headscope {

/// The stacks of a model. `decoder` alone is a stack of causal self-attention, as in GPT. `cross` has
/// cross-attention only: an encoder without layers, and a decoder without self-attention.
enum class Stacks { encoder, decoder, encoder_decoder, cross };
enum class Stack { encoder, decoder };
/// In cross-attention, the queries come from the decoder, and the keys and values from the encoder's output.
enum class AttentionKind { self, cross };

/// How positions are encoded. `sinusoidal`, `split` and `learned` add a row to each embedding; `rotary`
/// rotates queries and keys (Su et al. 2021); `relative` and `alibi` add to the scores of self-attention a
/// bias that depends only on the distance between query and key (Raffel et al. 2020, with one bias per
/// distance; Press et al. 2022).
enum class Positions { none, sinusoidal, split, learned, rotary, relative, alibi };

/// Norm placement. `pre`: before each sublayer, and a final norm after the last layer. `post`: after each
/// residual sum (Vaswani et al. 2017). `output`: on each sublayer's output before it is added, and a final
/// norm (OLMo 2, 2025, section 3.2). `both`: `pre` and `output` combined (Gemma 2, 2024, section 2).
enum class Norm { none, pre, post, output, both };
/// LayerNorm (Ba et al. 2016) subtracts the mean, divides by the standard deviation, and has a gain and a
/// bias. RMSNorm (Zhang and Sennrich 2019) divides by the root mean square and has a gain.
enum class NormKind { layer, rms };
/// How a layer combines its sublayers. `sequential`: the feed-forward layer reads the output of attention.
/// `parallel`: both read the layer's input, x + attention(norm x) + feed-forward(norm x), with separate norms
/// as in GPT-NeoX, or one norm (`parallel_shared`) as in GPT-J and PaLM.
enum class Block { sequential, parallel, parallel_shared };

/// The unembedding: none, with its own weights, or tied to the embedding table.
enum class OutputLayer { none, linear, tied };

/// What Architecture::qk_norm normalises.
enum class HeadNorm {
  rms_of_head,   ///< RMSNorm of each head, with a gain per dimension shared by all heads
  rms_of_all,    ///< RMSNorm over the concatenated heads, with a gain per number, as in OLMo 2
  layer_of_head  ///< LayerNorm of each head without a bias, with gains per head, as in Command R+
};

/// How random weights are drawn. Biases are uniform in ±1/√fan_in, as in PyTorch's nn.Linear.
enum class Init {
  normal,  ///< N(0, 1)
  /// Uniform in ±√(6 / (fan_in + fan_out)), Glorot and Bengio 2010. Each head's matrix is drawn independently
  /// of the others; PyTorch's xavier_uniform_ uses the fan_out of all heads.
  xavier,
  scaled  ///< N(0, 1/fan_in)
};

/// Which linear layers have a bias: the four projections of attention, and the feed-forward layer.
struct Biases {
  bool query = true;
  bool key = true;
  bool value = true;
  bool output = true;
  bool feed_forward = true;
  bool operator==(const Biases&) const = default;
};

/// Distances beyond max_relative_distance share one bias; with buckets, as in T5, those beyond
/// max_bucket_distance.
inline constexpr int max_relative_distance = 16;
inline constexpr int max_bucket_distance = 128;

/// The default number of rows of the learned position table, which limits the sentence length.
inline constexpr int learned_positions = 1024;

/// The contents of a capture (core/model/model.h), whose attention has no parameters.
struct CapturedParts {
  bool weights = false;      ///< If absent, computed from queries and keys.
  bool projections = false;  ///< Queries and keys as multiplied.
  bool values = false;
  bool hidden = false;  ///< The inputs and outputs of the layers.
  bool operator==(const CapturedParts&) const = default;
};

/// A mixture of experts (Shazeer et al. 2017; Fedus et al. 2022): E gated feed-forward layers of equal width,
/// of which each token uses the k with the largest router logits. Their softmax over all experts gives the
/// shares in the output. The hidden numbers of all experts are concatenated.
struct Experts {
  int count = 2;              ///< E
  int top_k = 1;              ///< k
  int width = 1;              ///< F, the hidden width of each expert
  bool renormalizes = false;  ///< Whether the shares of the active experts are divided by their sum
  /// The hidden width of the shared expert, which every token uses, or 0. Its share is σ(x w) if it is gated
  /// (Qwen 2), otherwise 1 (DeepSeek).
  int shared_width = 0;
  bool has_shared_gate = true;
  /// As in DeepSeek-V3: whether scores are σ(logit) instead of a softmax, and whether a per-expert correction
  /// is added for choosing experts, but not for weighting them.
  bool uses_sigmoid = false;
  bool has_correction = false;
  /// Experts form groups of equal size, and a token uses only its top groups, ranked by their largest logit
  /// or, with a correction, by the sum of their two best scores (DeepSeek-V2, 2024, section 2.2.2, and the
  /// code of V3).
  int groups = 1, top_groups = 1;
  float factor = 1.0F;  ///< Scales all shares except that of the shared expert.
  /// The hidden width of a dense feed-forward layer beside the experts, or 0. It and the experts then have
  /// norms of their own, also one for the router, and shares are multiplied by a factor of each expert (Gemma
  /// 4).
  int dense_width = 0;

  int all() const { return count + (shared_width > 0 ? 1 : 0); }
  int hidden() const { return count * width + shared_width; }
  /// The expert of a hidden number, and the first hidden number and the width of an expert.
  int expert_of(int hidden_number) const { return std::min(hidden_number / width, count); }
  int first_of(int expert) const { return expert * width; }
  int width_of(int expert) const { return expert < count ? width : shared_width; }
  bool operator==(const Experts&) const = default;
};

/// Disentangled attention (He et al. 2021, “DeBERTa”, section 3.1): the row of a learned table for the
/// distance of query and key is projected to a query and a key as well, whose products with the other token's
/// key and query are added to the score. As in DeBERTa-v2, both use the row of query − key.
struct Disentangled {
  bool content_to_position = true, position_to_content = true;
  bool shares_projections = true;  ///< Whether W_Q and W_K project positions as well.
  bool normalizes = true;          ///< Whether a layer norm is applied to the rows of the table.
  /// The distances from −buckets to buckets − 1 of the table, half of which are exact and the others widen
  /// logarithmically up to max_distance. 0 if all are exact, up to max_distance.
  int buckets = 0;
  int max_distance = 512;

  int span() const { return buckets > 0 ? buckets : max_distance; }
  bool operator==(const Disentangled&) const = default;
};

/// In place of a layer: for the sizes of all layers that have none of their own.
inline constexpr int no_layer = -1;

/// What a layer has that others have not, as in Gemma 3n and 4. Numbers of 0 are those of the architecture.
struct LayerOwn {
  int d_head = 0;
  int n_kv_heads = 0;
  int d_ff = 0;
  /// The earlier layer whose keys and values this one uses. −1 if it makes its own.
  int keys_of = -1;
  /// The share of the gate's numbers that lowering by a quantile of their row makes 0. 0 if none are lowered.
  float sparsity = 0.0F;
  /// Whether values are made from keys before their norm (K = V), so that there is no W_V.
  bool values_from_keys = false;
  bool operator==(const LayerOwn&) const = default;
};

/// Embeddings of the tokens that enter the layers, as in Gemma 3n and 4. The rows of their table have a part
/// for each layer.
struct LayerInputs {
  int width = 0;  ///< of the part of a layer
  int rows = 0;   ///< ids that have an embedding; the others have that of id 0

  int row_of(int id) const { return id < rows ? id : 0; }
  /// √(P/2), the factor of the embeddings: √P, and √½ for the sum of which they are a part.
  float factor() const { return std::sqrt(static_cast<float>(width) / 2.0F); }
  bool operator==(const LayerInputs&) const = default;
};

/// Streams of rows, of which each layer computes the first and predicts and corrects all (AltUp), with a
/// low-rank layer beside attention (LAuReL), as in Gemma 3n; see core/model/streams.h.
struct Streams {
  int count = 4;
  float limit = 0.0F;  ///< that of the weights of corrections; 0 for none
  bool scales = true;  ///< Whether a gain multiplies what the layer's embedding is gated by
  int laurel_rank = 64;
  bool operator==(const Streams&) const = default;
};

/// Features that only models from other programs have. They come with the weights: no control sets them, and
/// session JSON does not contain them.
struct ForeignParts {
  /// E: the width of embeddings, positions and segments, whose sum a linear layer projects to d_model, as in
  /// ALBERT and ELECTRA (Clark et al. 2020). If unset, E is d_model and there is no projection.
  std::optional<int> embedding_width;
  /// The number of segments, each with a learned embedding (Devlin et al. 2019, section 3). Tokens of the
  /// second text of a pair are in segment 1, all others in segment 0. 0 if there are no segments.
  int segments = 0;
  /// Whether a layer norm follows the sum of embeddings, positions and segments, as in BERT and BLOOM.
  bool embedding_norm = false;
  int position_rows = learned_positions;  ///< Rows of the learned position table.
  /// The position of the first token; earlier ones are for padding.
  int first_position = 0;
  /// The id of padding tokens, which are not counted and use the row before the first, as in RoBERTa. If
  /// unset, all tokens are counted.
  std::optional<int> padding_id = {};
  /// Whether encoder and decoder have separate learned position tables, as in BART.
  bool per_stack_positions = false;
  /// Whether each layer has its own table of relative position biases, as in UMT5.
  bool per_layer_biases = false;
  /// Whether sinusoidal positions hold all sines first, then all cosines, as in Marian.
  bool sines_first = false;
  /// The number of layers of a stack, as in DistilBART. 0 means n_layers.
  int encoder_layers = 0, decoder_layers = 0;
  /// Whether a pre-norm model has no final norm.
  bool omits_final_norm = false;
  /// Whether a linear layer to the embedding width, the activation and a layer norm precede the unembedding,
  /// as in BERT's masked-LM head.
  bool output_transform = false;
  /// The factor of the embeddings, as in Granite. Ignored with scales_embedding.
  float embedding_factor = 1.0F;
  /// The factor of a tied unembedding (T5: 1/√d_model). Loading applies it to an untied one.
  float output_factor = 1.0F;
  /// The factor of each sublayer's output, as in Granite. Loading applies it to W_O and W_2.
  float sublayer_factor = 1.0F;
  /// Whether self-attention has relative position biases in addition to learned positions, as in MPNet.
  bool adds_distance_biases = false;
  /// Set if products with relative positions are added to the scores. The position table then has
  /// 2 · Disentangled::span() rows.
  std::optional<Disentangled> disentangled = {};
  /// The factor of ALiBi's slopes: 1/√K in Falcon, which adds biases before scaling the scores.
  float slope_factor = 1.0F;
  HeadNorm head_norm = HeadNorm::rms_of_head;
  /// Whether layer 0 has no pre-norm because the embeddings are already normalised, as in ModernBERT.
  bool omits_first_norm = false;
  /// Whether all layers have the weights of the first one, as in ALBERT (Lan et al. 2020).
  bool shares_layers = false;
  /// For each layer, whether it has no rotary positions (NoPE), as in SmolLM3. Empty if all layers have them.
  std::vector<bool> unrotated_layers = {};
  /// For each layer, whether the sliding window applies. Empty if `global_every` decides.
  std::vector<bool> windowed_layers = {};
  /// LongRoPE's divisors; see Rotary::divisors.
  std::vector<float> rotary_divisors = {};
  /// The experts of the feed-forward layers. Architecture::d_ff is then their total width.
  std::optional<Experts> experts = {};
  /// For each layer, whether it has a dense feed-forward layer of width `dense_layers_width` instead of
  /// experts. Empty if all layers have experts.
  std::vector<bool> dense_layers = {};
  int dense_layers_width = 0;
  /// For each layer, what it has of its own. Empty if the architecture says all.
  std::vector<LayerOwn> own = {};
  /// Whether values are divided by the root mean square of their head, without a gain, as in Gemma 4.
  bool value_norm = false;
  /// Whether the output of each layer is multiplied by a number of its own, as in Gemma 4.
  bool layer_scalar = false;
  std::optional<LayerInputs> layer_inputs = {};
  std::optional<Streams> streams = {};
  /// The limit c of gated layers that compute g σ(1.702 g) (u + 1) with g ≤ c and u within ±c, as in gpt-oss.
  /// 0 if the gate uses the activation.
  float gate_limit = 0.0F;
  /// The width of the normalised latent from which all queries are projected (DeepSeek-V2, 2024, section
  /// 2.1.3). If unset, they are projected from the input of attention.
  std::optional<int> query_latent = {};
  /// ε of the norms of latents, if it is not that of the others.
  std::optional<float> latent_norm_epsilon = {};
  /// The number of classes if the model is a classifier. 0 if it predicts words.
  int classes = 0;
  /// The context length, whatever the positions are. 0 if unlimited.
  int context = 0;
  /// Set if attention was computed by another program and is read from a file.
  std::optional<CapturedParts> captured = {};
  bool operator==(const ForeignParts&) const = default;
};

/// The hyperparameters of a model, including its initialisation, but no weights. A plain value. The default
/// is a single attention layer without norms, residual connection or feed-forward layer.
struct Architecture {
  Stacks stacks = Stacks::encoder;
  int n_layers = 1;  ///< The number of layers in each stack, or in the deeper one; see layers_of().
  int d_model = 64;
  int n_heads = 4;
  /// The number of key-value heads, each shared by a group of query heads (Shazeer 2019; Ainslie et al.
  /// 2023). Must divide n_heads. Defaults to n_heads.
  std::optional<int> n_kv_heads;
  /// d_c: the width of the normalised latent, shared by all heads, from which keys and values are projected
  /// (multi-head latent attention: DeepSeek-V2, 2024, section 2.1). The rotated dimensions are not part of
  /// it, because W_K could then not be absorbed into W_Q; they form one key shared by all heads (section
  /// 2.1.3). If unset, keys and values are projected from the input of attention.
  std::optional<int> kv_latent;
  /// K. Defaults to d_model / n_heads, which must then be an integer.
  std::optional<int> d_head;
  std::optional<int> d_value;  ///< V. Defaults to d_head.
  Biases bias;
  bool output_projection = true;
  int d_ff = 0;  ///< The width of the feed-forward layer, or 0.
  Activation activation = Activation::relu;
  /// The factor of the raw scores. 0 means 1/√K.
  float score_scale = 0.0F;
  /// The softcap c · tanh(score / c) of scaled scores, as in Gemma 2. 0 means none.
  float softcap = 0.0F;
  float logit_softcap = 0.0F;  ///< The same for the logits.
  /// Whether attention is linear (Katharopoulos et al. 2020): scores are φ(q) · φ(k) with φ(x) = elu(x) + 1,
  /// divided by their row sum. There is no softmax, and no scale, since it would cancel.
  bool linear_attention = false;
  /// Whether each head has an attention sink: a learned score that joins every softmax but has no value, as
  /// in gpt-oss.
  bool sinks = false;
  /// Whether queries and keys are normalised before rotation, as in Qwen 3 and Gemma 3; see HeadNorm.
  bool qk_norm = false;
  /// Whether σ(x W_G) gates the concatenated head outputs before W_O, as in Qwen3-Next (Qiu et al. 2025,
  /// “Gated Attention for Large Language Models”).
  bool output_gate = false;
  /// Whether the feed-forward layer is gated by a second linear layer, W_up (Shazeer 2020): SwiGLU with silu,
  /// GEGLU with gelu.
  bool gated = false;
  Block block = Block::sequential;
  Norm norm = Norm::none;
  NormKind norm_kind = NormKind::layer;
  /// ε of all norms: around sublayers, of queries and keys, and of latents. (DeepSeek's code hard-codes 1e-6
  /// for the latent, which is also what the configurations of all its models say.)
  float norm_epsilon = 1e-5F;
  bool residual = false;
  OutputLayer output_layer = OutputLayer::none;
  /// Whether the unembedding, if any, has a bias.
  bool output_bias = false;
  /// Whether embeddings are scaled by √D before positions are added (Vaswani et al. 2017, section 3.4), so
  /// that positions do not drown a tied table.
  bool scales_embedding = false;
  Positions positions = Positions::sinusoidal;
  /// The number of buckets of relative positions, which share a bias and widen with the distance (Raffel et
  /// al. 2020, section 2.1). If unset, each distance up to max_relative_distance has its own bias.
  std::optional<int> relative_buckets;
  Rotary rotary;  ///< Used with Positions::rotary.
  /// The number of keys visible to a query in self-attention, including its own position; unless attention is
  /// causal, as many after it. This is how configurations count; the mask's window is a distance, one less.
  std::optional<int> sliding_window;
  /// The last of every `global_every` layers is global: it has no sliding window. If unset, all layers have
  /// the window.
  std::optional<int> global_every;
  ForeignParts foreign;
  Init init = Init::xavier;
  std::uint64_t seed = 0;

  /// What a layer has of its own.
  const LayerOwn& own(int layer) const {
    static const LayerOwn none;
    const auto l = static_cast<std::size_t>(layer);
    return l < foreign.own.size() ? foreign.own[l] : none;
  }
  int head_width(int layer) const {
    if (const int width = own(layer).d_head; width > 0) return width;
    return d_head ? *d_head : d_model / n_heads;
  }
  int value_width(int layer) const { return d_value ? *d_value : head_width(layer); }
  int concat_width(int layer) const { return n_heads * value_width(layer); }
  int kv_heads(int layer) const {
    if (const int heads = own(layer).n_kv_heads; heads > 0) return heads;
    return n_kv_heads ? *n_kv_heads : n_heads;
  }
  /// Query heads per key-value head. 1 if the numbers of heads are invalid.
  int group_size(int layer) const { return kv_heads(layer) > 0 ? std::max(n_heads / kv_heads(layer), 1) : 1; }
  bool shares_keys(int layer) const { return group_size(layer) > 1; }
  /// The first query head of the group, after which shared parameters are named.
  int first_of_group(int head, int layer) const { return head / group_size(layer) * group_size(layer); }
  /// The input width of the query projection.
  int query_input_width() const { return foreign.query_latent.value_or(d_model); }
  /// The input width of the key and value projections.
  int kv_input_width() const { return kv_latent ? *kv_latent : d_model; }
  /// d_R: the number of leading key dimensions shared by all heads; the others are per head.
  int shared_key_width(AttentionKind kind) const {
    const bool turns = kind == AttentionKind::self && uses_rotary();
    return kv_latent && turns ? rotated_width(rotary, head_width(no_layer)) : 0;
  }
  int per_head_key_width(AttentionKind kind, int layer) const {
    return head_width(layer) - shared_key_width(kind);
  }
  /// The cached numbers per token: keys and values, or the latents from which they are projected.
  int cached_width(AttentionKind kind, int layer) const {
    if (kv_latent) return *kv_latent + shared_key_width(kind);
    if (own(layer).keys_of >= 0) return 0;
    return kv_heads(layer) * (head_width(layer) + value_width(layer));
  }
  /// Whether a later layer uses the keys and values of a layer.
  bool lends_keys(int layer) const {
    return std::ranges::find(foreign.own, layer, &LayerOwn::keys_of) != foreign.own.end();
  }
  /// The width of what enters a layer besides its input, and that of all layers.
  int layer_input_width() const { return foreign.layer_inputs ? foreign.layer_inputs->width : 0; }
  int n_streams() const { return foreign.streams ? foreign.streams->count : 1; }
  int all_layer_inputs_width() const { return n_layers * layer_input_width(); }
  /// Whether attention weights are read from a capture, so that options do not affect them.
  bool has_captured_weights() const { return foreign.captured && foreign.captured->weights; }
  /// The width of a layer's output.
  int layer_width() const { return output_projection || foreign.captured ? d_model : concat_width(no_layer); }
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
    const bool has_norm = has_pre_norm() || norm == Norm::output;
    return has_norm && !foreign.omits_final_norm && has(stack) && layers_of(stack) > 0;
  }
  /// The number of layers of a stack of the model.
  int layers_of(Stack stack) const {
    if (!has_self() && stack == Stack::encoder) return 0;
    const int own = stack == Stack::encoder ? foreign.encoder_layers : foreign.decoder_layers;
    return own > 0 ? own : n_layers;
  }
  /// The stack that reads the (source) sentence, and the one that produces the output.
  Stack first_stack() const { return stacks == Stacks::decoder ? Stack::decoder : Stack::encoder; }
  Stack last_stack() const { return stacks == Stacks::encoder ? Stack::encoder : Stack::decoder; }
  /// The width of embeddings, positions and segments.
  int embedding_width() const { return foreign.embedding_width.value_or(d_model); }
  bool has_embedding_projection() const { return foreign.embedding_width.has_value(); }
  /// Whether the sum of embeddings, positions and segments is normalised or projected before layer 0.
  bool transforms_embeddings() const { return foreign.embedding_norm || has_embedding_projection(); }
  /// Whether an output transform precedes the unembedding.
  bool has_output_transform() const { return output_layer != OutputLayer::none && foreign.output_transform; }
  /// The input width of the unembedding.
  int output_width() const { return has_output_transform() ? embedding_width() : d_model; }
  /// The maximum number of tokens, given the position table and the context length. 0 if unlimited.
  int max_tokens() const {
    const int rows = positions == Positions::learned ? foreign.position_rows - foreign.first_position : 0;
    if (foreign.context == 0 || rows == 0) return std::max(foreign.context, rows);
    return std::min(foreign.context, rows);
  }
  /// The factor of the embeddings.
  double embedding_factor() const {
    return scales_embedding ? std::sqrt(static_cast<double>(d_model))
                            : static_cast<double>(foreign.embedding_factor);
  }
  bool has_output_bias() const { return output_layer != OutputLayer::none && output_bias; }
  bool adds_positions() const {
    return positions == Positions::sinusoidal || positions == Positions::split ||
           positions == Positions::learned;
  }
  bool has_position_biases() const {
    return positions == Positions::relative || positions == Positions::alibi;
  }
  /// Whether the scores of self-attention have position biases, from whatever source.
  bool has_score_biases() const {
    return has_position_biases() || foreign.adds_distance_biases || foreign.disentangled;
  }
  bool uses_rotary() const { return positions == Positions::rotary; }
  /// Whether encoder and decoder have separate relative position tables, as in T5.
  bool has_per_stack_position_tables() const {
    return positions == Positions::relative && stacks == Stacks::encoder_decoder && !foreign.per_layer_biases;
  }
  /// Whether each stack has its own table of relative position biases.
  bool has_per_stack_bias_tables() const {
    return has_per_stack_position_tables() || foreign.adds_distance_biases;
  }
  /// Whether each stack has its own learned position table.
  bool has_per_stack_position_rows() const {
    return positions == Positions::learned && foreign.per_stack_positions;
  }
  bool has_per_layer_bias_tables() const {
    return positions == Positions::relative && foreign.per_layer_biases;
  }
  bool has_position_table() const {
    if (foreign.disentangled) return true;
    if (positions == Positions::learned) return !foreign.per_stack_positions;
    return positions == Positions::relative && !has_per_stack_position_tables() && !foreign.per_layer_biases;
  }
  /// The number of biases that each head has for relative positions.
  int relative_width() const { return relative_buckets.value_or(2 * max_relative_distance + 1); }
  bool is_gated() const { return gated && d_ff > 0; }
  /// Whether a layer has experts, and the hidden width of its feed-forward layer.
  bool has_experts(int layer) const {
    const auto l = static_cast<std::size_t>(layer);
    return foreign.experts && !(l < foreign.dense_layers.size() && foreign.dense_layers[l]);
  }
  /// The hidden width of a dense feed-forward layer beside experts.
  int dense_width() const { return foreign.experts ? foreign.experts->dense_width : 0; }
  int feed_forward_width(int layer) const {
    if (const int width = own(layer).d_ff; width > 0) return width;
    return foreign.experts && !has_experts(layer) ? foreign.dense_layers_width : d_ff;
  }
  bool is_parallel() const { return block != Block::sequential && d_ff > 0; }
  /// A parallel block adds both sublayers to one sum, so no norm may come between them.
  bool norms_allow_parallel() const { return norm == Norm::none || norm == Norm::pre; }
  /// Whether there are pre-norms (and a final norm), and norms on sublayer outputs.
  bool has_pre_norm() const { return norm == Norm::pre || norm == Norm::both; }
  bool has_output_norm() const { return norm == Norm::output || norm == Norm::both; }
  /// Whether sublayers have a pre-norm or a post-norm.
  bool has_sublayer_norm() const { return has_pre_norm() || norm == Norm::post; }
  /// Whether the self-attention of a layer has such a norm. The first layer may lack it.
  bool has_self_norm(int layer) const {
    return has_sublayer_norm() && !(foreign.omits_first_norm && has_pre_norm() && layer == 0);
  }
  /// The number of gains of the query or key norm of `heads` heads.
  int n_head_gains(int heads, int layer) const {
    return foreign.head_norm == HeadNorm::rms_of_head ? head_width(layer) : heads * head_width(layer);
  }
  /// Whether the feed-forward layer has its own norm.
  bool feed_forward_has_norm() const {
    return d_ff > 0 && has_sublayer_norm() && block != Block::parallel_shared;
  }
  /// Whether a layer has a sliding window.
  bool has_sliding_window(int layer) const {
    const auto l = static_cast<std::size_t>(layer);
    if (sliding_window && l < foreign.windowed_layers.size()) return foreign.windowed_layers[l];
    if (!sliding_window || !global_every) return sliding_window.has_value();
    return layer % *global_every != *global_every - 1;
  }
  /// Rotary positions of a layer. With a fraction of 0, nothing is rotated.
  Rotary rotary_of(int layer) const {
    Rotary own = rotary;
    own.divisors = foreign.rotary_divisors;
    const auto l = static_cast<std::size_t>(layer);
    if (l < foreign.unrotated_layers.size() && foreign.unrotated_layers[l]) own.fraction = 0.0F;
    if (rotary.local_base <= 0.0F || !has_sliding_window(layer)) return own;
    own.base = rotary.local_base;
    own.scaling = RotaryScaling::none;
    own.divisors.clear();
    if (own.is_proportional) own.fraction = 1.0F;
    own.is_proportional = false;
    return own;
  }
  bool operator==(const Architecture&) const = default;
};

/// Rows of the embedding table of the seeds/1 preset.
inline constexpr int seed1_vocabulary = 100;
/// Limits for the command line and files. Models too large for memory are rejected separately, by an
/// estimate.
struct ArchitectureLimits {
  static constexpr int min_d_model = 1, max_d_model = 65536;
  static constexpr int min_heads = 1, max_heads = 1024;
  static constexpr int min_head_width = 1, max_head_width = 65536;
  static constexpr int min_layers = 1, max_layers = 1000;
  static constexpr int max_d_ff = 1 << 20;
  static constexpr int max_rows = 1 << 24;  ///< Of tables
  static constexpr int max_experts = 4096;
  static constexpr int max_streams = 64;
  static constexpr float max_score_scale = 100.0F;
  static constexpr float max_softcap = 1000.0F;
  static constexpr float min_norm_epsilon = 1e-12F, max_norm_epsilon = 1.0F;
  static constexpr int min_relative_buckets = 4, max_relative_buckets = 128;
  static constexpr int min_sliding_window = 1, max_sliding_window = 1'000'000;
};

/// Checks that the sizes are consistent. The message names the size, its value and the nearest valid value
/// ("d_model 65 is not divisible by 8 heads: 64 or 72").
Result<void> validate(const Architecture& architecture);

/// The largest divisor of n_heads ≥ 1 up to `requested`: a valid number of key-value heads.
int largest_kv_heads(int n_heads, int requested);
/// The same for a control that moves from `now` to `requested`; when moving up, rounds up to the next
/// divisor.
int nearest_kv_heads(int n_heads, int now, int requested);

/// The number of layers in words: “2 layers”, or “1 + 1 layers” for two stacks.
std::string layers_text(const Architecture& architecture);

/// The number of parameters for memory and time, excluding the embedding table and the unembedding, which
/// depend on the vocabulary.
double count_parameters(const Architecture& architecture);
/// Those that differ in memory: layers may share theirs.
double count_distinct_parameters(const Architecture& architecture);
/// The size of the distinct parameters in bytes.
double model_bytes(const Architecture& architecture);

}  // namespace headscope
