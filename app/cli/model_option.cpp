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

void check_no_architecture(const CommandOptions& o) {
  std::vector<std::string_view> refused = options_without_model();
  const Setting& tokenizer = setting("tokenizer");
  // A model from elsewhere also reads ids.
  if (o.text(tokenizer) == "ids") std::erase(refused, tokenizer.option);
  const std::string option(o.first_of(refused));
  if (option.empty()) return;
  refuse(usage_error(option + " and --model " + *o.text(setting("model")) +
                     " cannot be combined: trained weights have a fixed shape and vocabulary"));
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

OpenModel model_to_open(const CommandOptions& o, const std::string& name, const ResourceLoader& loader) {
  const bool is_named = o.has(setting("model"));
  check_no_architecture(o);
  const auto model = loader.model(name);
  if (!model && !is_named)
    refuse(failure(model.error().message + "; use --model untrained for random weights"));
  std::error_code ignored;
  // No other name is suggested if the name is right but its model cannot be read.
  const bool is_known = is_bundled(name) || std::filesystem::exists(name, ignored) || looks_like_path(name);
  if (!model && is_known) refuse(tl::unexpected(model.error()));
  if (!model) {
    std::vector<std::string> names{"untrained"};
    for (const BundledModel& each : bundled_models) names.emplace_back(each.name);
    refuse(invalid_value(
        "--model", name,
        expected_text(name, names) + "untrained (random weights), " + bundled_names() +
            ", a GGUF file, captured attention, or a model folder: one written by “headscope train”, or one in Hugging Face's layout: " +
            model.error().message));
  }
  if (o.text(setting("tokenizer")) == "ids" && !(*model)->accepts(TokenizerKind::ids))
    refuse(
        usage_error("--tokenizer ids and --model " + name + " cannot be combined: its sentences are words"));
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
void check_no_other_model(const CommandOptions& o, const std::string& own) {
  std::vector<std::string_view> others = options_fixed_by_weights();
  others.insert(others.end(), {"--model", "--task", "--batch", "--sequence", "--preset"});
  if (has_core(o)) others.insert(others.end(), {"--heads", "--weights"});
  std::erase_if(others, is_free);
  const std::string option(o.first_of(others));
  if (option.empty()) return;
  refuse(
      usage_error(option + " and " + own + " cannot be combined: the files set the sizes and the numbers"));
}

int count_of_tokens(const Session& session, const std::string& text) {
  return static_cast<int>(tokenize(text, session.tokenizer).size());
}

Session core_session(const CommandOptions& o, Session session) {
  check_no_other_model(o, "--query");
  const auto rows_of = [&](const char* option) {
    const auto file = o.text(option);
    if (!file)
      refuse(usage_error(std::string(option) +
                         " is missing: --query, --key and --value are given together, [T, K] or [H, T, K]"));
    return read_head_rows(*file).value();
  };
  const ModuleInputs core{rows_of("--query"), rows_of("--key"), rows_of("--value")};
  return with_core(std::move(session), core).value();
}

Session module_session(const CommandOptions& o, Session session) {
  check_no_other_model(o, "--weights");
  const auto heads = o.text(setting("architecture.heads"));
  if (!heads)
    refuse(usage_error("--weights needs --heads N: the file does not say how many heads there are"));
  const auto n_heads = parse_whole_number("--heads", *heads, 1, max_module_heads).value();
  const auto format = module_format_of(o);
  const auto weights = read_module_weights(*o.text("--weights"), format).value();
  if (auto ok = check_heads(weights, n_heads); !ok)
    refuse(invalid_value("--heads", *heads, ok.error().message));
  std::optional<ModuleInputs> inputs;
  if (!o.has("--input") && (o.has("--key-input") || o.has("--value-input")))
    refuse(usage_error("--key-input and --value-input need --input X.npy, from which the queries are made"));
  if (o.has("--input")) inputs = read_module_inputs(o);
  return with_module(std::move(session), weights, inputs, n_heads).value();
}

}  // namespace

bool has_own_attention(const CommandOptions& o) {
  return has_core(o) || o.has("--weights");
}

void check_own_attention(const CommandOptions& o) {
  const bool is_of_module =
      o.has("--input") || o.has("--key-input") || o.has("--value-input") || o.has("--format");
  if (!is_of_module || o.has("--weights")) return;
  refuse(usage_error(
      "--input, --key-input, --value-input and --format need --weights F.safetensors, the module they belong to"));
}

Session with_own_attention(const CommandOptions& o, Session session) {
  // The position of the first query decides between self-attention and cross-attention.
  read_settings(o, "attention.query_offset", session);
  for (const Setting* setting : free_settings) read_settings(o, setting->key, session);
  Session own = has_core(o) ? core_session(o, session) : module_session(o, session);
  for (const auto& [text, before, needed] :
       {std::tuple(&setting("sentence"), &session.sentence, &own.sentence),
        std::tuple(&setting("target"), &session.target, &own.target)}) {
    if (!o.has(*text) || *before == *needed) continue;
    refuse(invalid_value(text->option, *before,
                         "the files need a text of " + count_text(count_of_tokens(own, *needed), "token") +
                             "; without it, rows are named by their numbers"));
  }
  return own;
}

std::optional<ModuleFormat> module_format_of(const CommandOptions& o) {
  std::vector<std::string_view> names{"auto"};
  names.insert(names.end(), module_format_names.begin(), module_format_names.end());
  const std::size_t index =
      parse_choice_index("--format", o.text("--format").value_or("auto"), names).value();
  return index == 0 ? std::nullopt : std::optional(static_cast<ModuleFormat>(index - 1));
}

ModuleInputs read_module_inputs(const CommandOptions& o) {
  ModuleInputs inputs;
  inputs.query = read_module_rows(*o.text("--input")).value();
  for (const auto& [option, rows] :
       {std::pair("--key-input", &inputs.key), std::pair("--value-input", &inputs.value)}) {
    if (const auto file = o.text(option)) *rows = read_module_rows(*file).value();
  }
  return inputs;
}

}  // namespace headscope
