#include <algorithm>
#include <array>
#include <cmath>

#include "core/checkpoint/family.h"
#include "core/text/number_text.h"

namespace headscope {

Architecture causal_layers(ModelConfig& config) {
  config.has("is_decoder");  // Its value changes nothing in these families.
  Architecture a;
  a.stacks = config.flag("is_causal", true) ? Stacks::decoder : Stacks::encoder;
  a.norm = Norm::pre;
  a.residual = true;
  return a;
}

Architecture encoding_layers(ModelConfig& config) {
  config.require(!config.flag("is_causal", false), "is_causal",
                 "but only encoders whose tokens see the whole text are supported");
  Architecture a;
  a.stacks = Stacks::encoder;
  a.norm = Norm::post;
  a.residual = true;
  a.positions = Positions::learned;
  a.foreign.embedding_norm = true;
  return a;
}

void set_output_layer(ModelConfig& config, const CheckpointFiles& files, std::string_view weight,
                      bool tied_by_default, Architecture& a) {
  const auto is_there = [&](std::string_view name) { return files.find(name) != nullptr; };
  if (config.flag("tie_word_embeddings", tied_by_default)) {
    a.output_layer = OutputLayer::tied;
  } else if (is_there(weight)) {
    a.output_layer = OutputLayer::linear;
  }
  constexpr std::string_view of_weight = "weight";
  std::string bias(weight.substr(0, weight.size() - of_weight.size()));
  bias += "bias";
  a.output_bias = a.output_layer != OutputLayer::none && is_there(bias);
}

namespace {

/// Reads the scaling of rotary positions from a configuration. It is in rope_scaling or, in newer files, with
/// the base in rope_parameters.
class RotaryReader {
 public:
  RotaryReader(ModelConfig& config, int context, Architecture& a)
      : config_(config), context_(context), a_(a), rotary_(a.rotary) {}

  void read(std::string_view object) {
    object_ = object;
    std::optional<ModelConfig> scaling = config_.inside(object);
    if (!scaling) return;
    // Newer files have one such object for each type of layer.
    if (const std::optional<ModelConfig> full = scaling->inside("full_attention")) {
      if (const std::optional<ModelConfig> sliding = scaling->inside("sliding_attention"))
        read_sliding(*sliding);
      scaling.emplace(*full);
    }
    read_scaling(*scaling);
  }

 private:
  void read_sliding(ModelConfig sliding) {
    rotary_.local_base = sliding.decimal("rope_theta", 10000.0);
    config_.require(sliding.text("rope_type", "default") == "default", object_,
                    "whose sliding_attention is scaled, which is not supported");
  }
  /// Refuses any other than the default value of a number that the formula here does not contain.
  void expect(ModelConfig& scaling, std::string_view key, double usual) {
    constexpr double rounding = 1e-3;
    const auto value = static_cast<double>(scaling.decimal(key, usual));
    config_.require(std::abs(value - usual) <= rounding, object_,
                    "whose " + std::string(key) + " must be " + number_text(usual));
  }
  void read_scaling(ModelConfig& scaling) {
    rotary_.base = scaling.decimal("rope_theta", static_cast<double>(rotary_.base));
    const int length = config_.whole("original_max_position_embeddings", context_);
    rotary_.original_length = scaling.whole("original_max_position_embeddings", length);
    const double longer = rotary_.original_length > 0 ? double{1} * context_ / rotary_.original_length : 1.0;
    const std::string kind = scaling.text("rope_type", scaling.text("type", "default"));
    const bool has_factor = kind != "proportional";
    rotary_.factor = scaling.decimal("factor", has_factor ? std::max(longer, 1.0) : 1.0);
    // Early files of Phi-3 call LongRoPE "su" or "yarn".
    const bool is_early = kind == "su" || kind == "yarn" || kind == "default";
    if (kind == "longrope" || (is_early && scaling.has("short_factor"))) {
      read_longrope(scaling, static_cast<float>(longer));
    } else if (kind == "linear") {
      rotary_.scaling = RotaryScaling::linear;
    } else if (kind == "llama3") {
      rotary_.scaling = RotaryScaling::llama3;
      expect(scaling, "low_freq_factor", 1.0);
      expect(scaling, "high_freq_factor", 4.0);
    } else if (kind == "yarn") {
      read_yarn(scaling);
    } else if (kind == "proportional") {
      rotary_.is_proportional = true;
      rotary_.fraction = scaling.decimal("partial_rotary_factor", 1.0);
      rotary_.scaling = rotary_.factor > 1.0F ? RotaryScaling::linear : RotaryScaling::none;
    } else {
      // Dynamic scaling starts beyond the context, where texts are truncated.
      const bool is_plain = kind == "default" || kind == "dynamic";
      config_.require(
          is_plain, object_,
          "but only default, dynamic, linear, llama3, longrope, proportional and yarn are supported: choose the model with the original context");
      rotary_.factor = 1.0F;
    }
  }
  void read_yarn(ModelConfig& scaling) {
    rotary_.scaling = RotaryScaling::yarn;
    expect(scaling, "beta_fast", 32.0);
    expect(scaling, "beta_slow", 1.0);
    rotary_.rounds = scaling.flag("truncate", true);
    const double log_of_factor = std::log(static_cast<double>(rotary_.factor));
    const auto m = static_cast<double>(scaling.decimal("mscale", 0.0));
    const auto of_all = static_cast<double>(scaling.decimal("mscale_all_dim", 0.0));
    const double usual = 0.1 * log_of_factor + 1.0;
    if (!a_.kv_latent) expect(scaling, "attention_factor", usual);
    config_.require(m == of_all && (m > 0.0) == a_.kv_latent.has_value(), object_,
                    "whose mscale is not supported");
    // With a latent, scores are multiplied by the square of YaRN's factor, whose 0.1 DeepSeek-V2 changes.
    const double own = (0.1 * m * log_of_factor + 1.0) / usual;
    if (m > 0.0)
      a_.score_scale =
          static_cast<float>(own * own / std::sqrt(static_cast<double>(a_.head_width(no_layer))));
  }
  /// Uses the divisors for texts up to the original length and limits the context to that length. The
  /// divisors for longer texts would change every score as soon as a text exceeds it.
  void read_longrope(ModelConfig& scaling, float longer) {
    if (longer > 1.0F) rotary_.factor = longer;
    const auto length = static_cast<double>(rotary_.original_length);
    const auto s = static_cast<double>(rotary_.factor);
    scaling.has("long_factor");  // known, but only for longer texts
    expect(scaling, "attention_factor", s > 1.0 ? std::sqrt(1.0 + std::log(s) / std::log(length)) : 1.0);
    a_.foreign.rotary_divisors = scaling.decimals("short_factor");
    a_.foreign.context = std::min(context_, rotary_.original_length);
  }

  ModelConfig& config_;
  int context_;
  Architecture& a_;
  Rotary& rotary_;
  std::string_view object_;
};

}  // namespace

void set_rotary(ModelConfig& config, double default_base_value, int context, Architecture& a) {
  a.positions = Positions::rotary;
  a.rotary.pairing = RotaryPairing::halves;
  a.rotary.base = config.decimal("rope_theta", default_base_value);
  for (const char* key : {"rope_scaling", "original_max_position_embeddings"}) config.has(key);
  RotaryReader(config, context, a).read(config.has("rope_parameters") ? "rope_parameters" : "rope_scaling");
}

float rotary_fraction(ModelConfig& config, std::string_view key, double fallback) {
  constexpr std::string_view newer = "partial_rotary_factor";
  const float fraction = config.decimal(key, static_cast<double>(config.decimal(newer, fallback)));
  std::optional<ModelConfig> parameters = config.inside("rope_parameters");
  return parameters ? parameters->decimal(newer, static_cast<double>(fraction)) : fraction;
}

void set_windows(ModelConfig& config, int window, const std::vector<bool>& slides_by_layer, Architecture& a) {
  const auto n = static_cast<int>(slides_by_layer.size());
  // Some files specify windows larger than any text, which therefore hide nothing.
  const bool hides = window > 0 && window <= ArchitectureLimits::max_sliding_window;
  if (!hides || std::ranges::find(slides_by_layer, true) == slides_by_layer.end()) return;
  config.require(a.stacks == Stacks::decoder || !config.has("is_causal"), "is_causal",
                 "but with a sliding window, only causal layers are supported");
  a.sliding_window = window;
  // If layers without a window occur at regular intervals, the first of them gives the interval.
  const auto global = std::ranges::find(slides_by_layer, false);
  if (global == slides_by_layer.end()) return;
  a.global_every = static_cast<int>(global - slides_by_layer.begin()) + 1;
  for (int l = 0; l < n; ++l) {
    if (a.has_sliding_window(l) == slides_by_layer[static_cast<std::size_t>(l)]) continue;
    a.global_every.reset();
    a.foreign.windowed_layers = slides_by_layer;
    return;
  }
}

std::vector<bool> sliding_layers(ModelConfig& config, int n_layers) {
  std::vector<bool> has_sliding_window;
  if (!config.has("layer_types")) return has_sliding_window;
  const nlohmann::json& types = config.value("layer_types");
  if (!types.is_array() || types.size() != static_cast<std::size_t>(n_layers)) {
    config.require(false, "layer_types", "but must name the type of each layer");
    return has_sliding_window;
  }
  for (const nlohmann::json& type : types) {
    has_sliding_window.push_back(type == "sliding_attention");
    const bool is_known = type == "sliding_attention" || type == "full_attention";
    config.require(is_known, "layer_types", "but only full_attention and sliding_attention are supported");
  }
  return has_sliding_window;
}

std::vector<bool> sliding_layers_or(ModelConfig& config, int n_layers, int every) {
  std::vector<bool> has_sliding_window = sliding_layers(config, n_layers);
  for (int l = static_cast<int>(has_sliding_window.size()); l < n_layers; ++l)
    has_sliding_window.push_back(every == 0 || (l + 1) % every != 0);
  return has_sliding_window;
}

std::span<const Family> families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> joined;
    for (const auto& some : {causal_families(), llama_families(), gemma_families(), encoder_families(),
                             encoder_decoder_families(), transformer_lens_families(), original_families()})
      joined.insert(joined.end(), some.begin(), some.end());
    return joined;
  }();
  return all;
}

void split_experts(const Family& family, CheckpointFiles& files) {
  constexpr std::string_view of_expert = ".{e}", of_layer = "{l}.";
  for (const TensorRule& rule : family.rules) {
    if (!rule.tensor.ends_with(of_expert)) continue;
    const std::size_t first = rule.tensor.find(of_layer) + of_layer.size();
    files.split_experts(rule.tensor.substr(first, rule.tensor.size() - first - of_expert.size()),
                        family.has_in_out_experts);
  }
}

}  // namespace headscope
