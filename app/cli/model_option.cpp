#include "app/cli/model_option.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/cli/model_places.h"
#include "app/cli/option_values.h"
#include "core/checkpoint/bundled_models.h"
#include "core/engine/opening.h"

namespace headscope {
namespace {

/// Options that a trained model cannot take.
std::vector<GivenOption> options_without_model(const CommandOptions& o) {
  std::vector<GivenOption> options = architecture_options(o);
  options.insert(options.end(), {{"--heads", o.heads.has_value()},
                                 {"--preset", o.preset.has_value()},
                                 {"--tokenizer", o.tokenizer.has_value()}});
  return options;
}

Result<void> check_no_architecture(const CommandOptions& o) {
  for (const GivenOption& option : options_without_model(o)) {
    if (!option.given) continue;
    return usage_error(std::string(option.name) + " and --model " + *o.model +
                       " cannot be combined: trained weights have a fixed shape and vocabulary");
  }
  return {};
}

}  // namespace

std::vector<GivenOption> architecture_options(const CommandOptions& o) {
  return {{"--d-model", o.d_model.has_value()},
          {"--d-head", o.d_head.has_value()},
          {"--d-value", o.d_value.has_value()},
          {"--stacks", o.stacks.has_value()},
          {"--layers", o.layers.has_value()},
          {"--d-ff", o.d_ff.has_value()},
          {"--norm", o.norm.has_value()},
          {"--no-residual", o.no_residual},
          {"--scale-embedding", o.scale_embedding},
          {"--activation", o.activation.has_value()},
          {"--output-layer", o.output_layer.has_value()},
          {"--output-bias", o.output_bias},
          {"--output-words", o.output_words.has_value()},
          {"--positions", o.positions.has_value()},
          {"--no-bias", o.no_bias.has_value()},
          {"--no-output-projection", o.no_output_projection},
          {"--init", o.init.has_value()},
          {"--seed", o.seed.has_value()}};
}

CommandOptions::Text trained_model_of(const CommandOptions& o) {
  if (o.model) return *o.model == "untrained" ? std::nullopt : o.model;
  const std::vector<GivenOption> options = options_without_model(o);
  const bool asks_for_random = std::ranges::any_of(options, &GivenOption::given);
  return asks_for_random ? std::nullopt : CommandOptions::Text(bundled_models.front());
}

std::string vocabulary_words(const Vocabulary& vocabulary) {
  const int ordinary = vocabulary.n_ordinary();
  std::string words = std::to_string(ordinary) + (ordinary == 1 ? " word" : " words");
  const int special = vocabulary.size() - ordinary;
  if (special == 0) return words;
  const auto first = std::ranges::find_if(vocabulary.words(), is_special);
  return words + " and " + std::to_string(special) + " special " +
         (special == 1 ? "one, " : "ones such as ") + *first;
}

void take_model(CommandOptions& options, std::vector<std::string>& arguments) {
  if (arguments.empty() || options.model) return;
  std::error_code ignored;
  const std::string& first = arguments.front();
  const bool is_model =
      first == "untrained" || is_bundled(first) || std::filesystem::is_directory(first, ignored);
  if (!is_model) return;
  options.model = first;
  arguments.erase(arguments.begin());
}

Result<Session> with_model(const CommandOptions& o, const std::string& name, const Session& session) {
  if (auto ok = check_no_architecture(o); !ok) return tl::unexpected(ok.error());
  const auto model = open_model(name, model_places());
  if (!model && !o.model)
    return failure(model.error().message + "; use --model untrained for random weights");
  std::error_code ignored;
  if (!model && std::filesystem::exists(name, ignored)) return tl::unexpected(model.error());
  if (!model) {
    return wrong_value("--model", name,
                       "it takes untrained (random weights), pronouns, copying, reversing, or a model folder "
                       "written by “headscope train”: " +
                           model.error().message);
  }
  return reduce(session, opening(*model));
}

}  // namespace headscope
