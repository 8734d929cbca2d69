#include <algorithm>
#include <array>

#include "core/checkpoint/family_parts.h"

namespace headscope {
namespace {

using enum StoredAs;
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
  config.refuse_unless(!a.foreign.output_transform || a.activation == Activation::gelu, "hidden_act",
                       "but with a head for masked words, only gelu is supported");
}

/// The defaults of a family's configuration.
struct BertDefaults {
  int d_model = 768, d_ff = 3072, n_heads = 12;
};

Architecture bert_like(ModelConfig& config, const BertDefaults& of) {
  Architecture a = encoding_layers(config);
  a.n_layers = config.whole("num_hidden_layers", 12);
  a.d_model = config.whole("hidden_size", of.d_model);
  a.n_heads = config.whole("num_attention_heads", of.n_heads);
  a.d_ff = config.whole("intermediate_size", of.d_ff);
  a.activation = config.activation("hidden_act", "gelu");
  a.norm_epsilon = config.decimal("layer_norm_eps", 1e-12);
  a.foreign.position_rows = config.whole("max_position_embeddings", 512);
  a.foreign.segments = config.whole("type_vocab_size", 2);
  config.refuse_unless(config.text("position_embedding_type", "absolute") == "absolute",
                       "position_embedding_type", "but only absolute is supported");
  config.refuse_unless(!config.flag("is_decoder", false), "is_decoder", "but only encoders are supported");
  return a;
}

Architecture bert(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = bert_like(config, {});
  set_masked_words(config, files, "cls.predictions.transform.dense.weight", a);
  return a;
}

/// Positions begin at the row after that of the padding token.
Architecture roberta(ModelConfig& config, const CheckpointFiles& files) {
  Architecture a = bert_like(config, {});
  a.foreign.first_position = config.whole("pad_token_id", 1) + 1;
  set_masked_words(config, files, "lm_head.dense.weight", a);
  refuse_other_head(config, a);
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

/// The rules that BERT, RoBERTa and ELECTRA have in common.
constexpr std::array bert_body{
    TensorRule{"embedding.table", "embeddings.word_embeddings.weight"},
    TensorRule{"positions.table", "embeddings.position_embeddings.weight"},
    TensorRule{"segments.table", "embeddings.token_type_embeddings.weight"},
    embeddings_norm_gain,
    TensorRule{"embedding.norm.bias", "embeddings.LayerNorm.bias"},
    TensorRule{"embedding.W", "embeddings_project.weight", out_in},
    TensorRule{"embedding.b", "embeddings_project.bias"},
    TensorRule{"layers.{l}.self.W_Q", "encoder.layer.{l}.attention.self.query.weight", out_in},
    TensorRule{"layers.{l}.self.W_K", "encoder.layer.{l}.attention.self.key.weight", out_in},
    TensorRule{"layers.{l}.self.W_V", "encoder.layer.{l}.attention.self.value.weight", out_in},
    TensorRule{"layers.{l}.self.b_Q", "encoder.layer.{l}.attention.self.query.bias"},
    TensorRule{"layers.{l}.self.b_K", "encoder.layer.{l}.attention.self.key.bias"},
    TensorRule{"layers.{l}.self.b_V", "encoder.layer.{l}.attention.self.value.bias"},
    TensorRule{"layers.{l}.self.W_O", "encoder.layer.{l}.attention.output.dense.weight", out_in},
    TensorRule{"layers.{l}.self.b_O", "encoder.layer.{l}.attention.output.dense.bias"},
    TensorRule{"layers.{l}.self.norm.gain", "encoder.layer.{l}.attention.output.LayerNorm.weight"},
    TensorRule{"layers.{l}.self.norm.bias", "encoder.layer.{l}.attention.output.LayerNorm.bias"},
    TensorRule{"layers.{l}.feed_forward.W_1", "encoder.layer.{l}.intermediate.dense.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.b_1", "encoder.layer.{l}.intermediate.dense.bias"},
    TensorRule{"layers.{l}.feed_forward.W_2", "encoder.layer.{l}.output.dense.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.b_2", "encoder.layer.{l}.output.dense.bias"},
    TensorRule{"layers.{l}.feed_forward.norm.gain", "encoder.layer.{l}.output.LayerNorm.weight"},
    TensorRule{"layers.{l}.feed_forward.norm.bias", "encoder.layer.{l}.output.LayerNorm.bias"},
};

/// The common rules followed by those of a head.
template <std::size_t n>
constexpr auto with_head(const std::array<TensorRule, n>& head) {
  std::array<TensorRule, bert_body.size() + n> rules{};
  std::ranges::copy(bert_body, rules.begin());
  std::ranges::copy(head, rules.begin() + bert_body.size());
  return rules;
}

constexpr auto bert_rules = with_head(std::array{
    TensorRule{"transform.W", "^cls.predictions.transform.dense.weight", out_in},
    TensorRule{"transform.b", "^cls.predictions.transform.dense.bias"},
    TensorRule{"transform.norm.gain", "^cls.predictions.transform.LayerNorm.weight"},
    TensorRule{"transform.norm.bias", "^cls.predictions.transform.LayerNorm.bias"},
    TensorRule{"logits.b", "^cls.predictions.bias"},
    TensorRule{"logits.b", "^cls.predictions.decoder.bias"},
    TensorRule{"logits.W", "^cls.predictions.decoder.weight", out_in},
    TensorRule{.path = "embedding.table", .tensor = "^cls.predictions.decoder.weight", .if_tied = true},
});
constexpr auto roberta_rules = with_head(std::array{
    TensorRule{"transform.W", "^lm_head.dense.weight", out_in},
    TensorRule{"transform.b", "^lm_head.dense.bias"},
    TensorRule{"transform.norm.gain", "^lm_head.layer_norm.weight"},
    TensorRule{"transform.norm.bias", "^lm_head.layer_norm.bias"},
    TensorRule{"logits.b", "^lm_head.bias"},
    TensorRule{"logits.b", "^lm_head.decoder.bias"},
    TensorRule{"logits.W", "^lm_head.decoder.weight", out_in},
    TensorRule{.path = "embedding.table", .tensor = "^lm_head.decoder.weight", .if_tied = true},
});
constexpr auto electra_rules = with_head(std::array{
    TensorRule{"transform.W", "^generator_predictions.dense.weight", out_in},
    TensorRule{"transform.b", "^generator_predictions.dense.bias"},
    TensorRule{"transform.norm.gain", "^generator_predictions.LayerNorm.weight"},
    TensorRule{"transform.norm.bias", "^generator_predictions.LayerNorm.bias"},
    TensorRule{"logits.b", "^generator_lm_head.bias"},
    TensorRule{"logits.W", "^generator_lm_head.weight", out_in},
    TensorRule{.path = "embedding.table", .tensor = "^generator_lm_head.weight", .if_tied = true},
});
constexpr std::array distilbert_rules{
    TensorRule{"embedding.table", "embeddings.word_embeddings.weight"},
    TensorRule{"positions.table", "embeddings.position_embeddings.weight"},
    embeddings_norm_gain,
    TensorRule{"embedding.norm.bias", "embeddings.LayerNorm.bias"},
    TensorRule{"layers.{l}.self.W_Q", "transformer.layer.{l}.attention.q_lin.weight", out_in},
    TensorRule{"layers.{l}.self.W_K", "transformer.layer.{l}.attention.k_lin.weight", out_in},
    TensorRule{"layers.{l}.self.W_V", "transformer.layer.{l}.attention.v_lin.weight", out_in},
    TensorRule{"layers.{l}.self.b_Q", "transformer.layer.{l}.attention.q_lin.bias"},
    TensorRule{"layers.{l}.self.b_K", "transformer.layer.{l}.attention.k_lin.bias"},
    TensorRule{"layers.{l}.self.b_V", "transformer.layer.{l}.attention.v_lin.bias"},
    TensorRule{"layers.{l}.self.W_O", "transformer.layer.{l}.attention.out_lin.weight", out_in},
    TensorRule{"layers.{l}.self.b_O", "transformer.layer.{l}.attention.out_lin.bias"},
    TensorRule{"layers.{l}.self.norm.gain", "transformer.layer.{l}.sa_layer_norm.weight"},
    TensorRule{"layers.{l}.self.norm.bias", "transformer.layer.{l}.sa_layer_norm.bias"},
    TensorRule{"layers.{l}.feed_forward.W_1", "transformer.layer.{l}.ffn.lin1.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.b_1", "transformer.layer.{l}.ffn.lin1.bias"},
    TensorRule{"layers.{l}.feed_forward.W_2", "transformer.layer.{l}.ffn.lin2.weight", out_in},
    TensorRule{"layers.{l}.feed_forward.b_2", "transformer.layer.{l}.ffn.lin2.bias"},
    TensorRule{"layers.{l}.feed_forward.norm.gain", "transformer.layer.{l}.output_layer_norm.weight"},
    TensorRule{"layers.{l}.feed_forward.norm.bias", "transformer.layer.{l}.output_layer_norm.bias"},
    TensorRule{"transform.W", "^vocab_transform.weight", out_in},
    TensorRule{"transform.b", "^vocab_transform.bias"},
    TensorRule{"transform.norm.gain", "^vocab_layer_norm.weight"},
    TensorRule{"transform.norm.bias", "^vocab_layer_norm.bias"},
    TensorRule{"logits.b", "^vocab_projector.bias"},
    TensorRule{"logits.W", "^vocab_projector.weight", out_in},
    TensorRule{.path = "embedding.table", .tensor = "^vocab_projector.weight", .if_tied = true},
};

constexpr std::array bert_types{Names("bert")};
constexpr std::array roberta_types{Names("roberta"), Names("xlm-roberta"), Names("camembert"),
                                   Names("data2vec-text")};
constexpr std::array electra_types{Names("electra")};
constexpr std::array distilbert_types{Names("distilbert")};
constexpr std::array bert_prefixes{Names("bert."), Names("")};
constexpr std::array roberta_prefixes{Names("roberta."), Names("")};
constexpr std::array electra_prefixes{Names("electra."), Names("")};
constexpr std::array distilbert_prefixes{Names("distilbert."), Names("")};
/// Copies of tied weights, and heads for other tasks.
constexpr std::array bert_unused{Names("cls.predictions.decoder.*")};
constexpr std::array roberta_unused{Names("lm_head.decoder.*")};
constexpr std::array electra_unused{Names("generator_lm_head.weight")};
constexpr std::array distilbert_unused{Names("vocab_projector.weight")};

}  // namespace

std::span<const Family> encoder_families() {
  static constexpr std::array all{
      Family{"BERT", bert_types, bert_prefixes, bert, bert_rules, bert_unused, true},
      Family{"RoBERTa", roberta_types, roberta_prefixes, roberta, roberta_rules, roberta_unused},
      Family{"ELECTRA", electra_types, electra_prefixes, electra, electra_rules, electra_unused, true},
      Family{"DistilBERT", distilbert_types, distilbert_prefixes, distilbert, distilbert_rules,
             distilbert_unused}};
  return all;
}

}  // namespace headscope
