#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/checkpoint/family.h"
#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/tensor_loader.h"
#include "core/io/file_kind.h"
#include "core/io/json_text.h"
#include "core/io/torch_file.h"
#include "core/system/mapped_file.h"
#include "core/system/read_file.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "core/text/visible.h"
#include "core/tokenizers/open_tokenizer.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Result<Json> json_of(const fs::path& file) {
  if (file.extension() == ".pt")
    return MappedFile::open(file)
        .and_then([](const MappedFile& mapped) { return read_torch_file(mapped.bytes()); })
        .map([](const TorchFile& read) { return read.settings; });
  return read_file(file).and_then([](const std::string& text) { return parse_python_json(text); });
}

Result<Json> read_foreign_config(const fs::path& file) {
  auto json = json_of(file);
  if (!json) return failure("'" + file.string() + "' cannot be read: " + json.error().message);
  if (!json->is_object())
    return failure("'" + file.string() +
                   (file.extension() == ".pt" ? "' does not describe its model" : "' is not a JSON object"));
  // minGPT writes the settings of the whole training, and names no family.
  const Json inside = json->value("model", Json());
  if (!json->contains("model_type") && inside.is_object() && inside.contains("n_embd")) {
    json = inside;
    json->erase("model_type");
  }
  return json;
}

/// The folder of an adapter's model, if that is inside the adapter's folder or beside it, because untrusted
/// files must not lead elsewhere. For a path elsewhere, a folder of that name beside it. Otherwise the folder
/// itself.
fs::path base_of(const fs::path& folder) {
  const fs::path named = base_of_adapter(folder);
  if (named.empty()) return folder;
  std::error_code unknown;
  const fs::path own = fs::weakly_canonical(folder, unknown);
  for (const fs::path& place : {own / named, own.parent_path() / named.filename()}) {
    const fs::path found = fs::weakly_canonical(place, unknown);
    const bool is_near = found.parent_path() == own || found.parent_path() == own.parent_path();
    if (is_near && found != own && fs::is_directory(found, unknown)) return found;
  }
  return folder;
}

/// Returns the first of these files that the model has to which a folder's adapter belongs, or the folder. If
/// there is none, returns the first name.
fs::path foreign_config_of(const fs::path& folder) {
  std::error_code error;
  for (const fs::path& place : {base_of(folder), folder}) {
    for (const char* name : model_config_names) {
      if (fs::exists(place / name, error)) return place / name;
    }
  }
  return folder / model_config_names.front();
}

/// The model's type. Empty if the configuration does not give one. Those of other programs have no type but
/// are recognised by their keys.
std::string model_type_of(const Json& config) {
  const auto found = config.find("model_type");
  if (found != config.end() && found->is_string()) return found->get<std::string>();
  const auto has = [&](const char* one, const char* other) {
    return config.contains(one) && config.contains(other);
  };
  if (has("d_vocab", "n_ctx")) return "transformer_lens";
  if (has("n_embd", "block_size")) return "nanogpt";
  return has("dim", "norm_eps") ? "llama_original" : std::string();
}

/// The configuration of the part that reads text, of a model that reads pictures too and computes texts
/// without pictures as that part alone. Null for other models.
Json text_part_of(const Json& config) {
  constexpr std::array with_pictures{"llava",    "llava_next", "llava_onevision", "vipllava",
                                     "mistral3", "idefics3",   "smolvlm",         "aya_vision"};
  Json text = config.value("text_config", Json());
  const bool reads_pictures = std::ranges::find(with_pictures, model_type_of(config)) != with_pictures.end();
  if (!reads_pictures || !text.is_object()) return nullptr;
  if (config.contains("architectures")) text["architectures"] = config["architectures"];
  constexpr const char* tie = "tie_word_embeddings";
  if (config.contains(tie) && !text.contains(tie)) text[tie] = config[tie];
  return text;
}

/// What a model reads besides text: "pictures and sound". Empty if nothing.
std::string other_inputs_of(const Json& config, bool has_pictures) {
  const auto has = [&](const char* part) { return config.contains(part) && config[part].is_object(); };
  const bool sees = has_pictures || has("vision_config");
  return !has("audio_config") ? (sees ? "pictures" : "") : sees ? "pictures and sound" : "sound";
}

/// The files of a model with what the folder's adapter changes, if it has one, and a description of it.
std::pair<CheckpointFiles, std::string> files_of(const fs::path& folder, const fs::path& base) {
  CheckpointFiles files = CheckpointFiles::open(base).value();
  std::error_code unknown;
  std::string adapter;
  if (fs::exists(folder / adapter_config_name, unknown)) {
    if (!fs::equivalent(base, folder, unknown) && fs::exists(base / adapter_config_name, unknown))
      refuse(failure("the adapter '" + folder.string() + "' belongs to '" + base.string() +
                     "', which has an adapter as well: merge that one first"));
    adapter = files.add_adapter(folder).value();
  }
  return {std::move(files), std::move(adapter)};
}

/// The tokenizer in a folder, or that of the model to which its adapter belongs.
Result<std::shared_ptr<const ModelTokenizer>> tokenizer_of(const fs::path& folder, const fs::path& base) {
  if (has_marian_tokenizer(base)) return open_marian_tokenizer(base, "source.spm");
  auto own = open_tokenizer(folder);
  return own || base == folder ? own : open_tokenizer(base);
}

/// The tokenizer of a decoder's texts, if it is another than that of the source.
std::function<Result<std::shared_ptr<const ModelTokenizer>>()> target_tokenizer_of(const fs::path& base) {
  if (!has_marian_tokenizer(base)) return {};
  return [base] { return open_marian_tokenizer(base, "target.spm"); };
}

/// What models of a type compute that no family here does, as the rest of a sentence. Empty if that is not
/// known.
std::string reason_against_type(std::string_view type) {
  using Types = std::vector<std::string_view>;
  static const std::vector<std::pair<std::string_view, Types>> refused{
      {"whose queries, keys and values are one product, with biases added to only some of it", {"deberta"}},
      {"some of whose layers are recurrences or convolutions in place of attention",
       {"jamba", "bamba", "zamba", "zamba2", "nemotron_h", "granitemoehybrid", "falcon_h1", "lfm2",
        "lfm2_moe", "qwen3_next", "recurrent_gemma"}},
      {"which has no attention", {"mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"}},
      {"whose attention leaves out most pairs of tokens",
       {"longformer", "led", "reformer", "bigbird_pegasus"}},
      {"whose layers attend within chunks, with a temperature that depends on the position",
       {"llama4", "llama4_text"}},
      {"which attends to permutations of a text in two streams", {"xlnet"}},
      {"which reads sound", {"whisper", "wav2vec2", "hubert"}},
      {"which reads pictures",
       {"vit", "clip", "siglip", "dinov2", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "mllama", "paligemma"}}};
  for (const auto& [what, types] : refused)
    if (std::ranges::find(types, type) != types.end()) return std::string(what);
  return {};
}

/// Why the weights in these files cannot be read in any family. Empty if they can. A configuration may still
/// say how weights were quantised that are no longer.
std::string reason_against(const ModelConfig& config, const CheckpointFiles& files) {
  const auto is_quantised = [](const TensorRef& tensor) {
    return !tensor.is_weight() && tensor.type != NumberType::f64 &&
           (tensor.name.find("weight") != std::string::npos || tensor.name.ends_with(".W_q"));
  };
  const auto quantised = std::ranges::find_if(files.tensors(), is_quantised);
  if (quantised != files.tensors().end()) {
    std::string how = quantised->name + " is " + std::string(name_of(quantised->type));
    for (const char* key : {"quantization_config", "quantization"}) {
      const Json& found = config.value(key);
      if (!found.is_object()) continue;
      const Json method = found.value("quant_method", Json()), bits = found.value("bits", Json());
      how = key + (method.is_string() ? ": " + method.get<std::string>() : "") +
            (bits.is_number() ? ", " + json_text(bits) + " bits" : "");
    }
    return "its weights are quantised (" + how +
           "), but only F32, F16 and BF16 weights can be opened: choose the model without quantisation";
  }
  const auto is_wrapped = [](const TensorRef& tensor) {
    return tensor.name.find(".base_layer.") != std::string::npos;
  };
  const auto wrapped = std::ranges::find_if(files.tensors(), is_wrapped);
  if (wrapped != files.tensors().end())
    return "its tensors are those of a model with an adapter that is not merged (" + wrapped->name +
           "): merge it with merge_and_unload() of PEFT, and save the model again";
  const Json& pruned = config.value("pruned_heads");
  if (pruned.is_object() && !pruned.empty())
    return "some of its heads were pruned, but only models with all heads can be opened";
  return {};
}

/// The same of experts in families whose tokens all go through the same layers.
std::string reason_against_experts(const ModelConfig& config, const Architecture& architecture) {
  if (architecture.foreign.experts || config.value("enable_moe_block") == false) return {};
  for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"}) {
    if (config.was_read(key)) continue;  // All layers of this model are dense, or the value is wrong.
    const Json& found = config.value(key);
    if (found.is_number() && found > 1)
      return "it has experts (" + std::string(key) + " " + json_text(found) +
             "), but in its family, only models whose tokens all go through the same layers can be opened";
  }
  return {};
}

/// A text from an untrusted file, short and without control characters.
std::string one_line(const std::string& text) {
  constexpr std::size_t most = 300;
  std::string line = truncated(escaped_controls(text), most);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return line;
}

const Family* family_of(const std::string& model_type) {
  if (model_type.empty()) return nullptr;
  for (const Family& family : families()) {
    if (std::ranges::find(family.model_types, model_type) != family.model_types.end()) return &family;
  }
  return nullptr;
}

/// The family of an early folder whose config.json names no type: the only family whose embedding table is in
/// the files under one of its prefixes. Null if no family fits, or more than one with tables of their own.
const Family* family_of(const CheckpointFiles& files) {
  const Family* found = nullptr;
  for (const Family& family : families()) {
    const auto has_table = [&](std::string_view prefix) {
      return !prefix.empty() && files.find(std::string(prefix).append(family.rules[0].tensor)) != nullptr;
    };
    if (std::ranges::none_of(family.prefixes, has_table)) continue;
    if (found != nullptr && found->rules.data() != family.rules.data()) return nullptr;
    if (found == nullptr) found = &family;
  }
  return found;
}

/// The id that starts a decoder's text. Empty if the model has none.
std::optional<int> decoder_start(ModelConfig& config, const Architecture& a) {
  if (!a.has_cross()) return std::nullopt;
  return config.whole("decoder_start_token_id", config.whole("pad_token_id", 0));
}

/// The embedding table under any of its names. Null if the files do not contain it.
const TensorRef* embedding_table(const Family& family, const CheckpointFiles& files) {
  const std::string prefix(prefix_of(family, files));
  for (const TensorRule& rule : family.rules) {
    if (rule.path != family.rules.front().path) continue;
    const bool has_prefix = !rule.tensor.starts_with('^');
    const TensorRef* const found =
        files.find(has_prefix ? prefix + std::string(rule.tensor) : std::string(rule.tensor.substr(1)));
    if (found != nullptr) return found;
  }
  return nullptr;
}

/// The number of rows of the embedding table, from config.json or else from the tensor itself.
int vocabulary_size(ModelConfig& config, const Family& family, const CheckpointFiles& files) {
  constexpr int most = ArchitectureLimits::max_rows;
  std::optional<ModelConfig> text = config.inside("text_config");
  ModelConfig& says = text && text->has("vocab_size") ? *text : config;
  const std::string_view key = says.has("d_vocab") ? "d_vocab" : "vocab_size";
  const TensorRef* const table = embedding_table(family, files);
  int size = 0;
  const bool is_of_meta = family.model_types.front() == "llama_original";
  if (says.has(key) && !(is_of_meta && says.value(key) == -1)) {  // as in Meta's first models
    size = says.whole(key);
  } else if (table != nullptr && !table->shape.empty() && table->shape[0] <= most) {
    size = static_cast<int>(table->shape[0]);
  }
  says.require(size > 0 && size <= most, key, "but must be from 1 to 16,777,216");
  return size;
}

}  // namespace

bool has_model_config(const fs::path& folder) {
  std::error_code unknown;
  return fs::is_regular_file(foreign_config_of(folder), unknown);
}

bool is_foreign_folder(const fs::path& folder) {
  const auto config = read_foreign_config(foreign_config_of(folder));
  return config && model_type_of(*config) != "headscope";
}

std::string known_families() {
  std::string text;
  for (const Family& family : families()) {
    text.append(text.empty() ? "" : ", ").append(family.name).append(" (");
    for (const std::string_view type : family.model_types)
      text.append(type.empty() || type == family.model_types.front() ? "" : ", ").append(type);
    text += ")";
  }
  return text;
}

namespace {

ForeignModel foreign_headers(const fs::path& folder) {
  const fs::path config_file = foreign_config_of(folder);
  const std::string file_name = config_file.filename().string();
  const Json whole = read_foreign_config(config_file).value();
  const Json text_part = text_part_of(whole);
  const Json& json = text_part.is_null() ? whole : text_part;
  const std::string type = model_type_of(json);
  ModelConfig config(json, text_part.is_null() ? "" : "text_config.");
  const Family* family = family_of(type);
  if (family == nullptr && !type.empty()) {
    const std::string reason = reason_against_type(type);
    refuse(cannot_open_model(folder,
                             "its model_type is \"" + type + "\", " +
                                 (reason.empty() ? "but only these families are supported: "
                                                 : reason + " and is not supported. Supported families: ") +
                                 known_families()));
  }
  const fs::path base = config_file.parent_path();
  auto [files, adapter] = files_of(folder, base);
  if (const std::string reason = reason_against(config, files); !reason.empty())
    refuse(cannot_open_model(folder, reason));
  if (family == nullptr) family = family_of(files);
  if (family == nullptr) {
    refuse(cannot_open_model(
        folder, file_name +
                    " does not name a model_type, and its tensors match none of the supported families: " +
                    known_families()));
  }
  files.remove_prefix(wrapper_of(*family, files));
  split_experts(*family, files);
  const Architecture architecture = family->architecture(config, files);
  const Json& classes = config.value("architectures");
  const std::string made_as = classes.is_array() && !classes.empty() && classes[0].is_string()
                                  ? classes[0].get<std::string>()
                                  : std::string();
  const bool predicts_words =
      made_as.find("LM") != std::string::npos || made_as.ends_with("ConditionalGeneration");
  std::vector<std::string> warnings;
  if (const std::string others = other_inputs_of(whole, !text_part.is_null()); !others.empty())
    warnings.push_back("This model also reads " + others + ": only the part that reads text is opened");
  if (predicts_words && architecture.output_layer == OutputLayer::none)
    warnings.emplace_back(
        "The configuration of this model predicts words, but its files lack the final linear layer: it opens "
        "without predictions");
  int steps = 0;
  std::string trained_on, example, text;
  if (auto own = config.inside("headscope")) {
    steps = own->whole("steps", 0);
    trained_on = one_line(own->text("trained_on", ""));
    example = one_line(own->text("example", ""));
    text = one_line(own->text("text", ""));
  }
  if (const std::string reason = reason_against_experts(config, architecture); !reason.empty())
    refuse(cannot_open_model(folder, reason));
  const int vocabulary = vocabulary_size(config, *family, files);
  const std::optional<int> start = decoder_start(config, architecture);
  config.require(start.value_or(0) < vocabulary,
                 config.has("decoder_start_token_id") ? "decoder_start_token_id" : "pad_token_id",
                 "but the model has only " + grouped(vocabulary) + " words");
  if (const auto ok = validate(architecture); !ok) config.fail(config.in_keys(ok.error().message));
  if (!config.error().empty()) refuse(cannot_open_model(folder, "in " + file_name + ", " + config.error()));
  return ForeignModel{folder,
                      family,
                      std::make_shared<const CheckpointFiles>(std::move(files)),
                      architecture,
                      vocabulary,
                      start,
                      [folder, base] { return tokenizer_of(folder, base); },
                      {},
                      config.unknown(),
                      std::move(warnings),
                      steps,
                      std::move(trained_on),
                      std::move(example),
                      std::move(text),
                      target_tokenizer_of(base),
                      std::move(adapter),
                      config.missing_sizes()};
}

}  // namespace

Result<ForeignModel> read_foreign_headers(const fs::path& folder) {
  return result_of([&] { return foreign_headers(folder); });
}

Result<std::string> describe_folder(const fs::path& folder) {
  return read_foreign_headers(folder).map([](const ForeignModel& model) { return description_of(model); });
}

Result<std::shared_ptr<const TrainedModel>> open_foreign_folder(const fs::path& folder,
                                                                const std::string& name) {
  const auto model = read_foreign_headers(folder);
  if (!model) return tl::unexpected(model.error());
  return load_foreign_model(*model, name).finish();
}

}  // namespace headscope
