#include "app/cli/model_option.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/module_trace.h"
#include "core/engine/opening.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

/// The options that a trained model does not accept.
std::vector<std::string_view> options_without_model() {
  std::vector<std::string_view> options = options_fixed_by_weights();
  for (const Setting& each : {setting("architecture.heads"), setting("tokenizer"), setting("task")})
    options.push_back(each.option);
  options.emplace_back("--preset");
  return options;
}

Result<void> check_no_architecture(const CommandOptions& o) {
  std::vector<std::string_view> refused = options_without_model();
  const Setting& tokenizer = setting("tokenizer");
  // A model from elsewhere also reads ids.
  if (o.text(tokenizer) == "ids") std::erase(refused, tokenizer.option);
  const std::string option(o.first_of(refused));
  if (option.empty()) return {};
  return usage_error(option + " and --model " + *o.text(setting("model")) +
                     " cannot be combined: trained weights have a fixed shape and vocabulary");
}

/// Whether a word looks like a path, although there is no such file.
bool looks_like_path(const std::string& word) {
  const std::string end = std::filesystem::path(word).extension().string();
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0; };
  const bool is_ending = end.size() > 2 && std::isalpha(static_cast<unsigned char>(end[1])) != 0 &&
                         std::all_of(end.begin() + 1, end.end(), is_letter);
  return is_ending || word.find('/') != std::string::npos;
}

}  // namespace

std::vector<std::string_view> options_fixed_by_weights() {
  std::vector<std::string_view> options;
  for (const Setting& each : architecture_settings) {
    if (each.key != "architecture.heads") options.push_back(each.option);
  }
  options.push_back(setting("output_words").option);
  return options;
}

CommandOptions::Text trained_model_name(const CommandOptions& o) {
  const auto named = o.text(setting("model"));
  if (named) return *named == "untrained" ? std::nullopt : named;
  const bool requests_random = !o.first_of(options_without_model()).empty();
  return requests_random ? std::nullopt : CommandOptions::Text(bundled_models.front().name);
}

std::string describe_vocabulary(const Vocabulary& vocabulary) {
  if (vocabulary.has_pieces()) return std::to_string(vocabulary.size()) + " pieces";
  const int ordinary = vocabulary.n_ordinary();
  std::string words = std::to_string(ordinary) + (ordinary == 1 ? " word" : " words");
  const int special = vocabulary.size() - ordinary;
  if (special == 0) return words;
  const auto first = std::ranges::find_if(vocabulary.words(), is_special);
  return words + " and " + std::to_string(special) + " special " +
         (special == 1 ? "one, " : "ones such as ") + *first;
}

void consume_model(CommandOptions& options, std::vector<std::string>& arguments) {
  const Setting& model = setting("model");
  if (arguments.empty() || options.has(model)) return;
  std::error_code ignored;
  const std::string& first = arguments.front();
  const bool is_model = first == "untrained" || is_bundled(first) ||
                        (std::filesystem::path(first).extension() != ".md" &&
                         (std::filesystem::exists(first, ignored) || looks_like_path(first)));
  if (!is_model) return;
  options.values[model.option] = {first};
  arguments.erase(arguments.begin());
}

Result<OpenModel> model_to_open(const CommandOptions& o, const std::string& name,
                                const ResourceLoader& loader) {
  const bool is_named = o.has(setting("model"));
  if (auto ok = check_no_architecture(o); !ok) return tl::unexpected(ok.error());
  const auto model = loader.model(name);
  if (!model && !is_named)
    return failure(model.error().message + "; use --model untrained for random weights");
  std::error_code ignored;
  // No other name is suggested if the name is right but its model cannot be read.
  const bool is_known = is_bundled(name) || std::filesystem::exists(name, ignored) || looks_like_path(name);
  if (!model && is_known) return tl::unexpected(model.error());
  if (!model) {
    std::vector<std::string> names{"untrained"};
    for (const BundledModel& each : bundled_models) names.emplace_back(each.name);
    return invalid_value(
        "--model", name,
        expected_text(name, names) + "untrained (random weights), " + bundled_names() +
            ", a GGUF file, captured attention, or a model folder: one written by “headscope train”, or one in Hugging Face's layout: " +
            model.error().message);
  }
  if (o.text(setting("tokenizer")) == "ids" && !(*model)->accepts(TokenizerKind::ids))
    return usage_error("--tokenizer ids and --model " + name +
                       " cannot be combined: its sentences are words");
  return opening_action(*model);
}

namespace {

constexpr int max_module_heads = ArchitectureLimits::max_heads;

bool has_core(const CommandOptions& o) {
  return o.has("--query") || o.has("--key") || o.has("--value");
}

/// The settings of the architecture that are not sizes: how scores are made, and how weights that no file
/// holds are drawn.
constexpr std::array free_settings{&setting("architecture.score_scale"), &setting("architecture.softcap"),
                                   &setting("architecture.linear_attention"), &setting("architecture.seed"),
                                   &setting("architecture.init")};
bool is_free(std::string_view option) {
  return std::ranges::any_of(free_settings,
                             [option](const Setting* setting) { return setting->option == option; });
}

/// Fails if an option names another model. The files set the sizes, and they cannot be combined with trained
/// weights.
Result<void> check_no_other_model(const CommandOptions& o, const std::string& own) {
  std::vector<std::string_view> others = options_fixed_by_weights();
  others.insert(others.end(), {"--model", "--task", "--batch", "--sequence", "--preset"});
  if (has_core(o)) others.insert(others.end(), {"--heads", "--weights"});
  std::erase_if(others, is_free);
  const std::string option(o.first_of(others));
  if (option.empty()) return {};
  return usage_error(option + " and " + own + " cannot be combined: the files set the sizes and the numbers");
}

int count_of_tokens(const Session& session, const std::string& text) {
  return static_cast<int>(tokenize(text, session.tokenizer).size());
}

Result<Session> core_session(const CommandOptions& o, Session session) {
  if (auto ok = check_no_other_model(o, "--query"); !ok) return tl::unexpected(ok.error());
  AttentionCore core;
  for (const auto& [option, rows] : {std::pair("--query", &core.query), std::pair("--key", &core.key),
                                     std::pair("--value", &core.value)}) {
    const auto file = o.text(option);
    if (!file) {
      return usage_error(std::string(option) +
                         " is missing: --query, --key and --value are given together, [T, K] or [H, T, K]");
    }
    auto read = read_head_rows(*file);
    if (!read) return tl::unexpected(read.error());
    *rows = std::move(*read);
  }
  return with_core(std::move(session), core);
}

Result<Session> module_session(const CommandOptions& o, Session session) {
  if (auto ok = check_no_other_model(o, "--weights"); !ok) return tl::unexpected(ok.error());
  const auto heads = o.text(setting("architecture.heads"));
  if (!heads) return usage_error("--weights needs --heads N: the file does not say how many heads there are");
  const auto n_heads = parse_whole_number("--heads", *heads, 1, max_module_heads);
  if (!n_heads) return tl::unexpected(n_heads.error());
  const auto format = module_format_of(o);
  if (!format) return tl::unexpected(format.error());
  const auto weights = read_module_weights(*o.text("--weights"), *format);
  if (!weights) return tl::unexpected(weights.error());
  if (auto ok = check_heads(*weights, *n_heads); !ok)
    return invalid_value("--heads", *heads, ok.error().message);
  std::optional<ModuleInputs> inputs;
  if (!o.has("--input") && (o.has("--key-input") || o.has("--value-input")))
    return usage_error("--key-input and --value-input need --input X.npy, from which the queries are made");
  if (o.has("--input")) {
    auto read = read_module_inputs(o);
    if (!read) return tl::unexpected(read.error());
    inputs = std::move(*read);
  }
  return with_module(std::move(session), *weights, inputs, *n_heads);
}

}  // namespace

bool has_own_attention(const CommandOptions& o) {
  return has_core(o) || o.has("--weights");
}

Result<void> check_own_attention(const CommandOptions& o) {
  const bool is_of_module =
      o.has("--input") || o.has("--key-input") || o.has("--value-input") || o.has("--format");
  if (!is_of_module || o.has("--weights")) return {};
  return usage_error(
      "--input, --key-input, --value-input and --format need --weights F.safetensors, the module they belong to");
}

Result<Session> with_own_attention(const CommandOptions& o, Session session) {
  // The position of the first query decides between self-attention and cross-attention.
  auto placed = with_settings(o, "attention.query_offset", std::move(session));
  for (const Setting* setting : free_settings) {
    if (placed) placed = with_settings(o, setting->key, std::move(*placed));
  }
  if (!placed) return placed;
  const Session given = *placed;
  auto own = has_core(o) ? core_session(o, std::move(*placed)) : module_session(o, std::move(*placed));
  if (!own) return own;
  for (const auto& [text, before, after] : {std::tuple(&setting("sentence"), &given.sentence, &own->sentence),
                                            std::tuple(&setting("target"), &given.target, &own->target)}) {
    if (!o.has(*text) || *before == *after) continue;
    return invalid_value(text->option, *before,
                         "the files need a text of " + count_text(count_of_tokens(*own, *after), "token") +
                             "; without it, rows are named by their numbers");
  }
  return own;
}

Result<std::optional<ModuleFormat>> module_format_of(const CommandOptions& o) {
  std::vector<std::string_view> names{"auto"};
  names.insert(names.end(), module_format_names.begin(), module_format_names.end());
  return parse_choice_index("--format", o.text("--format").value_or("auto"), names)
      .map([](std::size_t index) -> std::optional<ModuleFormat> {
        if (index == 0) return std::nullopt;
        return static_cast<ModuleFormat>(index - 1);
      });
}

Result<ModuleInputs> read_module_inputs(const CommandOptions& o) {
  ModuleInputs inputs;
  auto query = read_module_rows(*o.text("--input"));
  if (!query) return tl::unexpected(query.error());
  inputs.query = std::move(*query);
  for (const auto& [option, rows] :
       {std::pair("--key-input", &inputs.key), std::pair("--value-input", &inputs.value)}) {
    const auto file = o.text(option);
    if (!file) continue;
    auto read = read_module_rows(*file);
    if (!read) return tl::unexpected(read.error());
    *rows = std::move(*read);
  }
  return inputs;
}

}  // namespace headscope
