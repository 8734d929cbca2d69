#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/checkpoint/family.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using enum StoredAs;
using enum StoredPart;
using Names = std::string_view;

/// Sets the head for masked words if the folder has one. The head applies a transform and then a linear layer
/// with a bias, which is tied to the embedding table unless config.json says otherwise.
void set_masked_words(ModelConfig& config, const CheckpointFiles& files, std::string_view transform,
                      Architecture& a) {
  const bool is_tied = config.flag("tie_word_embeddings", true);
  if (files.find(transform) == nullptr) return;
  a.output_layer = is_tied ? OutputLayer::tied : OutputLayer::linear;
  a.output_bias = true;
  a.foreign.output_transform = true;
}

/// The heads of RoBERTa and ELECTRA always use GELU, whatever the layers use.
void refuse_other_head(ModelConfig& config, const Architecture& a) {
  config.require(!a.foreign.output_transform || a.activation == Activation::gelu, "hidden_act",
                 "but with a head for masked words, only gelu is supported");
}

/// The defaults of a family's configuration.
struct BertDefaults {
  int d_model = 768, d_ff = 3072, n_heads = 12;
  std::string_view activation = "gelu";
};

Architecture bert_like(ModelConfig& config, const BertDefaults& of) {
  Architecture a = encoding_layers(config);
  a.n_layers = config.whole("num_hidden_layers", 12);
  a.d_model = config.whole("hidden_size", of.d_model);
  a.n_heads = config.whole("num_attention_heads", of.n_heads);
  a.d_ff = config.whole("intermediate_size", of.d_ff);
  a.activation = config.activation("hidden_act", of.activation);
  a.norm_epsilon = config.decimal("layer_norm_eps", 1e-12);
  a.foreign.position_rows = config.whole("max_position_embeddings", 512);
  a.foreign.segments = config.whole("type_vocab_size", 2);
  config.require(config.text("position_embedding_type", "absolute") == "absolute", "position_embedding_type",
                 "but only absolute is supported");
  config.require(!config.flag("is_decoder", false), "is_decoder", "but only encoders are supported");
  return a;
}

Architecture bert(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = bert_like(config, {});
  set_masked_words(config, files, "cls.predictions.transform.dense.weight", a);
  return a;
}

/// BERT, whose attention is that of all tokens in texts that are too short for blocks.
Architecture big_bird(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = bert_like(config, {.activation = "gelu_new"});
  const bool has_bias = config.flag("use_bias", true);
  a.bias.query = a.bias.key = a.bias.value = has_bias;
  a.foreign.position_rows = config.whole("max_position_embeddings", 4096);
  a.scales_embedding = config.flag("rescale_embeddings", false);
  const std::string attention = config.text("attention_type", "block_sparse");
  config.require(attention == "block_sparse" || attention == "original_full", "attention_type",
                 "but only block_sparse and original_full are supported");
  const int block = config.whole("block_size", 64), n_random = config.whole("num_random_blocks", 3);
  constexpr int most = 4096, n_others = 5;
  for (const auto& [key, number] : {std::pair("block_size", block), std::pair("num_random_blocks", n_random)})
    config.require(number > 0 && number <= most, key, "but must be from 1 to 4,096");
  if (attention == "block_sparse" && config.error().empty())
    a.foreign.context = (n_others + 2 * n_random) * block;
  set_masked_words(config, files, "cls.predictions.transform.dense.weight", a);
  return a;
}

/// Positions begin at the row after that of the padding token.
Architecture roberta(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = bert_like(config, {});
  a.foreign.padding_id = config.whole("pad_token_id", 1);
  a.foreign.first_position = *a.foreign.padding_id + 1;
  set_masked_words(config, files, "lm_head.dense.weight", a);
  refuse_other_head(config, a);
  return a;
}

/// RoBERTa without segments, and with biases by distance that all layers share.
Architecture mpnet(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = roberta(config, files);
  a.foreign.segments = 0;
  a.foreign.adds_distance_biases = true;
  a.relative_buckets = config.whole("relative_attention_num_buckets", 32);
  return a;
}

/// A whole number of the configuration. 0 if it is missing or negative, which means none.
int whole_or_none(ModelConfig& config, std::string_view key) {
  const nlohmann::json& value = config.value(key);
  return value.is_number() && value < 0 ? 0 : config.whole(key, 0);
}

/// Sets the table of relative positions, and a scale that counts the products with them.
void set_disentangled(ModelConfig& config, Architecture& a) {
  Disentangled positions;
  // "p2c|c2p", or a list of such names.
  const std::string products = json_text(config.value("pos_att_type"));
  positions.content_to_position = products.find("c2p") != std::string::npos;
  positions.position_to_content = products.find("p2c") != std::string::npos;
  config.require(products.find("p2p") == std::string::npos, "pos_att_type",
                 "but only c2p and p2c are supported");
  positions.shares_projections = config.flag("share_att_key", false);
  const std::string norm = config.text("norm_rel_ebd", "none");
  positions.normalizes = norm == "layer_norm";
  config.require(positions.normalizes || norm == "none", "norm_rel_ebd",
                 "but only none and layer_norm are supported");
  positions.buckets = whole_or_none(config, "position_buckets");
  const int context = config.whole("max_position_embeddings", 512);
  const int most = whole_or_none(config, "max_relative_positions");
  positions.max_distance = most > 0 ? most : context;
  const int n_products =
      1 + (positions.content_to_position ? 1 : 0) + (positions.position_to_content ? 1 : 0);
  if (n_products == 1) config.fail("its pos_att_type names no products with positions");
  a.score_scale = 1.0F / std::sqrt(static_cast<float>(a.head_width(no_layer) * n_products));
  a.positions = Positions::none;
  a.foreign.position_rows = 2 * positions.span();
  a.foreign.disentangled = positions;
}

/// BERT, but with products with relative positions in the scores instead of positions in the embeddings.
Architecture deberta_v2(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = bert_like(config, {.d_model = 1536, .d_ff = 6144, .n_heads = 24});
  a.n_layers = config.whole("num_hidden_layers", 24);
  a.norm_epsilon = config.decimal("layer_norm_eps", 1e-7);
  a.foreign.segments = config.whole("type_vocab_size", 0);
  if (config.has("attention_head_size")) a.d_head = config.whole("attention_head_size");
  config.require(config.flag("relative_attention", false), "relative_attention",
                 "but only true is supported");
  config.require(!config.flag("position_biased_input", true), "position_biased_input",
                 "but only false is supported");
  config.require(config.whole("embedding_size", a.d_model) == a.d_model, "embedding_size",
                 "but only the width of the layers is supported");
  config.require(whole_or_none(config, "conv_kernel_size") == 0, "conv_kernel_size",
                 "but a convolution beside the first layer is not supported");
  for (const char* key : {"conv_act", "conv_groups"}) config.has(key);  // Of that convolution.
  if (config.error().empty() && a.n_heads > 0) set_disentangled(config, a);
  if (config.flag("legacy", true)) {
    set_masked_words(config, files, "cls.predictions.transform.dense.weight", a);
  } else {
    set_masked_words(config, files, "lm_predictions.lm_head.dense.weight", a);
    if (a.output_layer == OutputLayer::linear) a.output_layer = OutputLayer::tied;
  }
  return a;
}

Architecture electra(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = bert_like(config, {.d_model = 256, .d_ff = 1024, .n_heads = 4});
  const int width = config.whole("embedding_size", 128);
  if (width != a.d_model) a.foreign.embedding_width = width;
  set_masked_words(config, files, "generator_predictions.dense.weight", a);
  refuse_other_head(config, a);
  return a;
}

/// All layers share their weights, and the table is narrower than they are.
Architecture albert(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a =
      bert_like(config, {.d_model = 4096, .d_ff = 16384, .n_heads = 64, .activation = "gelu_new"});
  a.foreign.embedding_width = config.whole("embedding_size", 128);
  a.foreign.shares_layers = true;
  for (const char* key : {"num_hidden_groups", "inner_group_num"})
    config.require(config.whole(key, 1) == 1, key, "but only layers that are all the same are supported");
  // Early files have these, which nothing reads.
  for (const char* key : {"gap_size", "net_structure_type", "num_memory_blocks", "down_scale_factor"})
    config.has(key);
  set_masked_words(config, files, "predictions.dense.weight", a);
  return a;
}

/// Sets rotary positions with a base for layers with a window and another for the others.
void set_modernbert_positions(ModelConfig& config, Architecture& a) {
  constexpr int every = 3;
  a.foreign.context = config.whole("max_position_embeddings", 8192);
  set_rotary(config, static_cast<double>(config.decimal("global_rope_theta", 160000.0)), a.foreign.context,
             a);
  const float local = config.decimal("local_rope_theta", 10000.0);
  if (a.rotary.local_base <= 0.0F) a.rotary.local_base = local;
  const int global_every = config.whole("global_attn_every_n_layers", every);
  config.require(global_every > 0, "global_attn_every_n_layers", "but must be above 0");
  // Half of the window is before the query and half after it.
  const int window = config.whole("local_attention", 128) / 2 + 1;
  std::vector<bool> slides_by_layer = sliding_layers(config, a.n_layers);
  for (int l = static_cast<int>(slides_by_layer.size()); l < a.n_layers; ++l)
    slides_by_layer.push_back(global_every > 0 && l % global_every != 0);
  set_windows(config, window, slides_by_layer, a);
}

/// Norms before the sublayers but not before the first attention, windows in two of three layers, and a gated
/// feed-forward layer.
Architecture modernbert(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = encoding_layers(config);
  a.norm = Norm::pre;
  a.foreign.omits_first_norm = true;
  a.gated = true;
  a.n_layers = config.whole("num_hidden_layers", 22);
  a.d_model = config.whole("hidden_size", 768);
  a.n_heads = config.whole("num_attention_heads", 12);
  a.d_ff = config.whole("intermediate_size", 1152);
  a.activation = config.activation("hidden_activation", "gelu");
  a.norm_epsilon = config.decimal("norm_eps", 1e-5);
  const bool has_bias = config.flag("attention_bias", false);
  a.bias = {.query = has_bias,
            .key = has_bias,
            .value = has_bias,
            .output = has_bias,
            .feed_forward = config.flag("mlp_bias", false)};
  set_modernbert_positions(config, a);
  const bool adds_bias = config.flag("decoder_bias", true);
  if (files.find(adds_bias ? "decoder.bias" : "decoder.weight") != nullptr) {
    set_masked_words(config, files, "head.dense.weight", a);
    a.output_bias = adds_bias;
    config.require(config.activation("classifier_activation", "gelu") == a.activation,
                   "classifier_activation", "but only the activation of the layers is supported");
  }
  // What the norms and the head have is in the files; the others say how the model was trained or is run.
  for (const char* key :
       {"norm_bias", "classifier_bias", "classifier_activation", "classifier_pooling", "layer_norm_eps",
        "position_embedding_type", "deterministic_flash_attn", "reference_compile", "repad_logits_with_grad",
        "tie_word_embeddings", "sparse_prediction", "sparse_pred_ignore_index", "initializer_cutoff_factor"})
    config.has(key);
  return a;
}

Architecture distilbert(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = encoding_layers(config);
  a.n_layers = config.whole("n_layers", config.whole("num_hidden_layers", 6));
  a.d_model = config.whole("dim", config.whole("hidden_size", 768));
  a.n_heads = config.whole("n_heads", config.whole("num_attention_heads", 12));
  a.d_ff = config.whole("hidden_dim", 3072);
  a.activation = config.activation("activation", "gelu");
  a.norm_epsilon = 1e-12F;
  a.foreign.position_rows = config.whole("max_position_embeddings", 512);
  set_masked_words(config, files, "vocab_transform.weight", a);
  return a;
}

constexpr TensorRule embeddings_norm_gain{"embedding.norm.gain", "embeddings.LayerNorm.weight"};

/// The rules that BERT, RoBERTa, ELECTRA and DeBERTa have in common.
constexpr auto bert_parts = rules({
    {"embedding.table", "embeddings.word_embeddings.weight"},
    {"segments.table", "embeddings.token_type_embeddings.weight"},
    embeddings_norm_gain,
    {"embedding.W", "embeddings_project.weight"},
    {"layers.{l}.self.W_Q", "encoder.layer.{l}.attention.self.query.weight"},
    {"layers.{l}.self.W_K", "encoder.layer.{l}.attention.self.key.weight"},
    {"layers.{l}.self.W_V", "encoder.layer.{l}.attention.self.value.weight"},
    {"layers.{l}.self.W_O", "encoder.layer.{l}.attention.output.dense.weight"},
    {"layers.{l}.self.norm.gain", "encoder.layer.{l}.attention.output.LayerNorm.weight"},
    {"layers.{l}.feed_forward.W_1", "encoder.layer.{l}.intermediate.dense.weight"},
    {"layers.{l}.feed_forward.W_2", "encoder.layer.{l}.output.dense.weight"},
    {"layers.{l}.feed_forward.norm.gain", "encoder.layer.{l}.output.LayerNorm.weight"},
});

constexpr auto bert_head = rules({
    {"transform.W", "^cls.predictions.transform.dense.weight"},
    {"transform.norm.gain", "^cls.predictions.transform.LayerNorm.weight"},
    {"logits.b", "^cls.predictions.bias"},
    {"logits.W", "^cls.predictions.decoder.weight"},
    {.path = "embedding.table", .tensor = "^cls.predictions.decoder.weight", .if_tied = true},
});
constexpr auto bert_body =
    joined(bert_parts, rules({{"positions.table", "embeddings.position_embeddings.weight"}}));
constexpr auto bert_rules = joined(bert_body, bert_head);
constexpr auto deberta_v2_rules =
    joined(bert_parts, bert_head,
           rules({
               {"positions.table", "encoder.rel_embeddings.weight"},
               {"positions.norm.gain", "encoder.LayerNorm.weight"},
               {"layers.{l}.self.W_Q", "encoder.layer.{l}.attention.self.query_proj.weight"},
               {"layers.{l}.self.W_K", "encoder.layer.{l}.attention.self.key_proj.weight"},
               {"layers.{l}.self.W_V", "encoder.layer.{l}.attention.self.value_proj.weight"},
               {"layers.{l}.self.W_QP", "encoder.layer.{l}.attention.self.pos_query_proj.weight"},
               {"layers.{l}.self.W_KP", "encoder.layer.{l}.attention.self.pos_key_proj.weight"},
               {"transform.W", "^lm_predictions.lm_head.dense.weight"},
               {"transform.norm.gain", "^lm_predictions.lm_head.LayerNorm.weight"},
               {"logits.b", "^lm_predictions.lm_head.bias"},
           }));
constexpr auto roberta_rules =
    joined(bert_body, rules({
                          {"transform.W", "^lm_head.dense.weight"},
                          {"transform.norm.gain", "^lm_head.layer_norm.weight"},
                          {"logits.b", "^lm_head.bias"},
                          {"logits.W", "^lm_head.decoder.weight"},
                          {.path = "embedding.table", .tensor = "^lm_head.decoder.weight", .if_tied = true},
                      }));
constexpr auto mpnet_rules = joined(
    roberta_rules,
    rules({
        {"encoder.positions.biases", "encoder.relative_attention_bias.weight", whole, row_of_each_head},
        {"layers.{l}.self.W_Q", "encoder.layer.{l}.attention.attn.q.weight"},
        {"layers.{l}.self.W_K", "encoder.layer.{l}.attention.attn.k.weight"},
        {"layers.{l}.self.W_V", "encoder.layer.{l}.attention.attn.v.weight"},
        {"layers.{l}.self.W_O", "encoder.layer.{l}.attention.attn.o.weight"},
        {"layers.{l}.self.norm.gain", "encoder.layer.{l}.attention.LayerNorm.weight"},
    }));
constexpr auto electra_rules =
    joined(bert_body, rules({
                          {"transform.W", "^generator_predictions.dense.weight"},
                          {"transform.norm.gain", "^generator_predictions.LayerNorm.weight"},
                          {"logits.W", "^generator_lm_head.weight"},
                          {.path = "embedding.table", .tensor = "^generator_lm_head.weight", .if_tied = true},
                      }));
constexpr auto albert_rules = rules({
    {"embedding.table", "embeddings.word_embeddings.weight"},
    {"positions.table", "embeddings.position_embeddings.weight"},
    {"segments.table", "embeddings.token_type_embeddings.weight"},
    embeddings_norm_gain,
    {"embedding.W", "encoder.embedding_hidden_mapping_in.weight"},
    {"layers.{l}.self.W_Q", "encoder.albert_layer_groups.0.albert_layers.0.attention.query.weight"},
    {"layers.{l}.self.W_K", "encoder.albert_layer_groups.0.albert_layers.0.attention.key.weight"},
    {"layers.{l}.self.W_V", "encoder.albert_layer_groups.0.albert_layers.0.attention.value.weight"},
    {"layers.{l}.self.W_O", "encoder.albert_layer_groups.0.albert_layers.0.attention.dense.weight"},
    {"layers.{l}.self.norm.gain", "encoder.albert_layer_groups.0.albert_layers.0.attention.LayerNorm.weight"},
    {"layers.{l}.feed_forward.W_1", "encoder.albert_layer_groups.0.albert_layers.0.ffn.weight"},
    {"layers.{l}.feed_forward.W_2", "encoder.albert_layer_groups.0.albert_layers.0.ffn_output.weight"},
    {"layers.{l}.feed_forward.norm.gain",
     "encoder.albert_layer_groups.0.albert_layers.0.full_layer_layer_norm.weight"},
    {"transform.W", "^predictions.dense.weight"},
    {"transform.norm.gain", "^predictions.LayerNorm.weight"},
    {"logits.b", "^predictions.bias"},
    {"logits.W", "^predictions.decoder.weight"},
    {.path = "embedding.table", .tensor = "^predictions.decoder.weight", .if_tied = true},
});
constexpr auto modernbert_rules = rules({
    {"embedding.table", "embeddings.tok_embeddings.weight"},
    {"embedding.norm.gain", "embeddings.norm.weight"},
    optional_bias("embedding.norm.bias", "embeddings.norm.bias"),
    {"layers.{l}.self.norm.gain", "layers.{l}.attn_norm.weight"},
    optional_bias("layers.{l}.self.norm.bias", "layers.{l}.attn_norm.bias"),
    {"layers.{l}.self.W_Q", "layers.{l}.attn.Wqkv.weight", query},
    {"layers.{l}.self.W_K", "layers.{l}.attn.Wqkv.weight", key},
    {"layers.{l}.self.W_V", "layers.{l}.attn.Wqkv.weight", value},
    {"layers.{l}.self.W_O", "layers.{l}.attn.Wo.weight"},
    {"layers.{l}.feed_forward.norm.gain", "layers.{l}.mlp_norm.weight"},
    optional_bias("layers.{l}.feed_forward.norm.bias", "layers.{l}.mlp_norm.bias"),
    {"layers.{l}.feed_forward.W_1", "layers.{l}.mlp.Wi.weight", first_half},
    {"layers.{l}.feed_forward.W_up", "layers.{l}.mlp.Wi.weight", second_half},
    {"layers.{l}.feed_forward.W_2", "layers.{l}.mlp.Wo.weight"},
    {"norm.gain", "final_norm.weight"},
    optional_bias("norm.bias", "final_norm.bias"),
    {"transform.W", "^head.dense.weight"},
    optional_bias("transform.b", "^head.dense.bias"),
    {"transform.norm.gain", "^head.norm.weight"},
    optional_bias("transform.norm.bias", "^head.norm.bias"),
    {"logits.W", "^decoder.weight"},
    {.path = "embedding.table", .tensor = "^decoder.weight", .if_tied = true},
});
constexpr auto distilbert_rules = rules({
    {"embedding.table", "embeddings.word_embeddings.weight"},
    {"positions.table", "embeddings.position_embeddings.weight"},
    embeddings_norm_gain,
    {"layers.{l}.self.W_Q", "transformer.layer.{l}.attention.q_lin.weight"},
    {"layers.{l}.self.W_K", "transformer.layer.{l}.attention.k_lin.weight"},
    {"layers.{l}.self.W_V", "transformer.layer.{l}.attention.v_lin.weight"},
    {"layers.{l}.self.W_O", "transformer.layer.{l}.attention.out_lin.weight"},
    {"layers.{l}.self.norm.gain", "transformer.layer.{l}.sa_layer_norm.weight"},
    {"layers.{l}.feed_forward.W_1", "transformer.layer.{l}.ffn.lin1.weight"},
    {"layers.{l}.feed_forward.W_2", "transformer.layer.{l}.ffn.lin2.weight"},
    {"layers.{l}.feed_forward.norm.gain", "transformer.layer.{l}.output_layer_norm.weight"},
    {"transform.W", "^vocab_transform.weight"},
    {"transform.norm.gain", "^vocab_layer_norm.weight"},
    {"logits.W", "^vocab_projector.weight"},
    {.path = "embedding.table", .tensor = "^vocab_projector.weight", .if_tied = true},
});

constexpr std::array bert_prefixes{Names("bert."), Names("")};
constexpr std::array roberta_prefixes{Names("roberta."), Names("")};
constexpr std::array mpnet_prefixes{Names("mpnet."), Names("")};
constexpr std::array deberta_prefixes{Names("deberta."), Names("")};
constexpr std::array electra_prefixes{Names("electra."), Names("")};
constexpr std::array distilbert_prefixes{Names("distilbert."), Names("")};
constexpr std::array albert_prefixes{Names("albert."), Names("")};
constexpr std::array modernbert_prefixes{Names("model."), Names("")};
/// Copies of tied weights, and heads for other tasks.
constexpr std::array bert_unused{Names("cls.predictions.decoder.*")};
constexpr std::array roberta_unused{Names("lm_head.decoder.*")};
/// Also absolute positions, which only Microsoft's own head for masked words reads.
constexpr std::array deberta_unused{Names("cls.predictions.*"), Names("lm_predictions.*"),
                                    Names("*embeddings.position_embeddings.weight")};
constexpr std::array electra_unused{Names("generator_lm_head.weight")};
constexpr std::array distilbert_unused{Names("vocab_projector.weight")};
constexpr std::array albert_unused{Names("predictions.decoder.*"), Names("predictions.bias")};
constexpr std::array modernbert_unused{Names("decoder.*"), Names("head.*")};

}  // namespace

std::span<const Family> encoder_families() {
  static constexpr std::array all{
      Family{"BERT", {"bert"}, bert_prefixes, bert, bert_rules, bert_unused, true},
      Family{"BigBird", {"big_bird"}, bert_prefixes, big_bird, bert_rules, bert_unused, true},
      Family{"RoBERTa",
             {"roberta", "xlm-roberta", "camembert", "data2vec-text"},
             roberta_prefixes,
             roberta,
             roberta_rules,
             roberta_unused},
      Family{"MPNet", {"mpnet"}, mpnet_prefixes, mpnet, mpnet_rules, roberta_unused},
      Family{
          "DeBERTa v2", {"deberta-v2"}, deberta_prefixes, deberta_v2, deberta_v2_rules, deberta_unused, true},
      Family{"ELECTRA", {"electra"}, electra_prefixes, electra, electra_rules, electra_unused, true},
      Family{
          "DistilBERT", {"distilbert"}, distilbert_prefixes, distilbert, distilbert_rules, distilbert_unused},
      Family{"ALBERT", {"albert"}, albert_prefixes, albert, albert_rules, albert_unused, true},
      Family{"ModernBERT",
             {"modernbert"},
             modernbert_prefixes,
             modernbert,
             modernbert_rules,
             modernbert_unused}};
  return all;
}

}  // namespace headscope
