#include "app/cli/model_option.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

#include "app/cli/option_values.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/opening.h"

namespace headscope {
namespace {

/// The options that a trained model does not accept.
std::vector<GivenOption> options_without_model(const CommandOptions& o) {
  std::vector<GivenOption> options = architecture_options_of(o);
  for (const Setting& each : {setting("architecture.heads"), setting("tokenizer"), setting("task")}) {
    options.push_back({each.option, o.has(each)});
  }
  options.push_back({"--preset", o.preset.has_value()});
  return options;
}

Result<void> check_no_architecture(const CommandOptions& o) {
  for (const GivenOption& option : options_without_model(o)) {
    // A model from elsewhere also reads ids.
    const bool is_of_ids = option.name == "--tokenizer" && o.text(setting("tokenizer")) == "ids";
    if (!option.given || is_of_ids) continue;
    return usage_error(std::string(option.name) + " and --model " + *o.text(setting("model")) +
                       " cannot be combined: trained weights have a fixed shape and vocabulary");
  }
  return {};
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

std::vector<GivenOption> architecture_options_of(const CommandOptions& o) {
  std::vector<GivenOption> options;
  for (const Setting& each : architecture_settings) {
    if (each.key != "architecture.heads") options.push_back({each.option, o.has(each)});
  }
  const Setting& words = setting("output_words");
  options.push_back({words.option, o.has(words)});
  return options;
}

CommandOptions::Text trained_model_name(const CommandOptions& o) {
  const auto named = o.text(setting("model"));
  if (named) return *named == "untrained" ? std::nullopt : named;
  const std::vector<GivenOption> options = options_without_model(o);
  const bool requests_random = std::ranges::any_of(options, &GivenOption::given);
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
  options.settings[model.option] = {first};
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

}  // namespace headscope
