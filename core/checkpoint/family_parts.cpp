#include "core/checkpoint/family_parts.h"

#include <algorithm>
#include <array>

namespace headscope {

Architecture causal_layers() {
  Architecture a;
  a.stacks = Stacks::decoder;
  a.norm = Norm::pre;
  a.residual = true;
  return a;
}

Architecture encoding_layers() {
  Architecture a;
  a.stacks = Stacks::encoder;
  a.norm = Norm::post;
  a.residual = true;
  a.positions = Positions::learned;
  a.foreign.embedding_norm = true;
  return a;
}

void set_output_layer(ModelConfig& config, const CheckpointFiles& files, std::string_view weight,
                      bool tied_otherwise, Architecture& a) {
  const auto is_there = [&](std::string_view name) { return files.find(name) != nullptr; };
  const nlohmann::json classes = config.json().value("architectures", nlohmann::json::array());
  const bool says_class = classes.is_array() && !classes.empty() && classes[0].is_string();
  const std::string name = says_class ? classes[0].get<std::string>() : "ForCausalLM";
  const bool predicts_words = name.find("LM") != std::string::npos || name.ends_with("ConditionalGeneration");
  if (config.flag("tie_word_embeddings", tied_otherwise)) {
    a.output_layer = OutputLayer::tied;
  } else if (is_there(weight) || predicts_words) {
    a.output_layer = OutputLayer::linear;
  }
  constexpr std::string_view of_weight = "weight";
  std::string bias(weight.substr(0, weight.size() - of_weight.size()));
  bias += "bias";
  a.output_bias = a.output_layer != OutputLayer::none && is_there(bias);
}

void set_rotary(ModelConfig& config, double base_otherwise, int context, Architecture& a) {
  a.positions = Positions::rotary;
  a.rotary.pairing = RotaryPairing::halves;
  a.rotary.base = config.decimal("rope_theta", base_otherwise);
  const std::string_view object = config.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  std::optional<ModelConfig> scaling = config.inside(object);
  if (!scaling) return;
  // Newer files have such an object for each type of layers.
  if (const std::optional<ModelConfig> full = scaling->inside("full_attention")) {
    if (std::optional<ModelConfig> sliding = scaling->inside("sliding_attention")) {
      a.rotary.local_base = sliding->decimal("rope_theta", 10000.0);
      config.refuse_unless(sliding->text("rope_type", "default") == "default", object,
                           "whose sliding_attention is scaled, which is not supported");
    }
    scaling.emplace(*full);
  }
  a.rotary.base = scaling->decimal("rope_theta", static_cast<double>(a.rotary.base));
  const std::string kind = scaling->text("rope_type", scaling->text("type", "default"));
  a.rotary.factor = scaling->decimal("factor", 1.0);
  a.rotary.original_length = scaling->whole("original_max_position_embeddings", context);
  const auto expects = [&](std::string_view key, double value) {
    config.refuse_unless(
        scaling->decimal(key, value) == static_cast<float>(value), object,
        "whose " + std::string(key) + " is not the usual one, the only one that is supported");
  };
  if (kind == "linear") {
    a.rotary.scaling = RotaryScaling::linear;
  } else if (kind == "llama3") {
    a.rotary.scaling = RotaryScaling::llama3;
    expects("low_freq_factor", 1.0);
    expects("high_freq_factor", 4.0);
  } else if (kind == "yarn") {
    a.rotary.scaling = RotaryScaling::yarn;
    expects("beta_fast", 32.0);
    expects("beta_slow", 1.0);
    const bool is_usual = !scaling->has("attention_factor") && !scaling->has("mscale") &&
                          !scaling->has("mscale_all_dim") && scaling->flag("truncate", true);
    config.refuse_unless(is_usual, object, "whose attention_factor is not supported");
  } else {
    // Dynamic scaling begins beyond the context, but texts are cut there.
    const bool is_plain = kind == "default" || kind == "dynamic";
    config.refuse_unless(
        is_plain, object,
        "but only linear, llama3 and yarn are supported: choose the model with the original context");
    a.rotary.factor = 1.0F;
  }
  if (!scaling->error().empty()) config.fail("in its " + std::string(object) + ", " + scaling->error());
}

float rotary_fraction(ModelConfig& config, std::string_view key, double otherwise) {
  constexpr std::string_view newer = "partial_rotary_factor";
  std::optional<ModelConfig> parameters = config.inside("rope_parameters");
  if (parameters && parameters->has(newer)) return parameters->decimal(newer, otherwise);
  return config.decimal(key, static_cast<double>(config.decimal(newer, otherwise)));
}

void set_windows(ModelConfig& config, int window, const std::vector<bool>& slides, Architecture& a) {
  const auto n = static_cast<int>(slides.size());
  if (window == 0 || std::ranges::find(slides, true) == slides.end()) return;
  a.sliding_window = window;
  if (std::ranges::find(slides, false) == slides.end()) return;
  for (int every = 2; every <= n; ++every) {
    for (int first = 0; first < every; ++first) {
      a.global_every = every;
      a.foreign.first_global = first;
      bool fits = true;
      for (int l = 0; l < n && fits; ++l) fits = a.slides(l) == slides[static_cast<std::size_t>(l)];
      if (fits) return;
    }
  }
  config.fail("its layers with a sliding window do not alternate evenly with those without one");
}

std::vector<bool> sliding_layers(ModelConfig& config, int n_layers) {
  std::vector<bool> slides;
  if (!config.has("layer_types")) return slides;
  const nlohmann::json& types = config.json()["layer_types"];
  if (!types.is_array() || types.size() != static_cast<std::size_t>(n_layers)) {
    config.refuse_unless(false, "layer_types", "but must name the type of each layer");
    return slides;
  }
  for (const nlohmann::json& type : types) {
    slides.push_back(type == "sliding_attention");
    const bool is_known = type == "sliding_attention" || type == "full_attention";
    config.refuse_unless(is_known, "layer_types",
                         "but only full_attention and sliding_attention are supported");
  }
  return slides;
}

std::span<const Family> families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> joined;
    for (const auto& some : {causal_families(), llama_families(), encoder_families(), t5_families()})
      joined.insert(joined.end(), some.begin(), some.end());
    return joined;
  }();
  return all;
}

}  // namespace headscope
