#include "app/cli/own_attention_option.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "core/engine/module_trace.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

constexpr int max_module_heads = ArchitectureLimits::max_heads;

bool has_core(const CommandOptions& o) {
  return o.query || o.key || o.value;
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
  std::vector<GivenOption> others = architecture_options_of(o);
  for (const char* option : {"--model", "--task", "--batch", "--sequence"})
    others.push_back({option, o.has(option)});
  others.push_back({"--preset", o.preset.has_value()});
  if (has_core(o)) {
    others.push_back({"--heads", o.has("--heads")});
    others.push_back({"--weights", o.weights.has_value()});
  }
  for (const GivenOption& option : others) {
    if (!option.given || is_free(option.name)) continue;
    return usage_error(std::string(option.name) + " and " + own +
                       " cannot be combined: the files set the sizes and the numbers");
  }
  return {};
}

int count_of_tokens(const Session& session, const std::string& text) {
  return static_cast<int>(tokenize(text, session.tokenizer).size());
}

Result<Session> core_session(const CommandOptions& o, Session session) {
  if (auto ok = check_no_other_model(o, "--query"); !ok) return tl::unexpected(ok.error());
  AttentionCore core;
  const struct {
    const char* option;
    const CommandOptions::Text& file;
    HeadRows& rows;
  } parts[] = {
      {"--query", o.query, core.query}, {"--key", o.key, core.key}, {"--value", o.value, core.value}};
  for (const auto& part : parts) {
    if (!part.file) {
      return usage_error(std::string(part.option) +
                         " is missing: --query, --key and --value are given together, [T, K] or [H, T, K]");
    }
    auto rows = read_head_rows(*part.file);
    if (!rows) return tl::unexpected(rows.error());
    part.rows = std::move(*rows);
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
  const auto weights = read_module_weights(*o.weights, *format);
  if (!weights) return tl::unexpected(weights.error());
  if (auto ok = check_heads(*weights, *n_heads); !ok)
    return invalid_value("--heads", *heads, ok.error().message);
  std::optional<ModuleInputs> inputs;
  if (!o.input && (o.key_input || o.value_input))
    return usage_error("--key-input and --value-input need --input X.npy, from which the queries are made");
  if (o.input) {
    auto read = read_module_inputs(o);
    if (!read) return tl::unexpected(read.error());
    inputs = std::move(*read);
  }
  return with_module(std::move(session), *weights, inputs, *n_heads);
}

}  // namespace

bool has_own_attention(const CommandOptions& o) {
  return has_core(o) || o.weights;
}

Result<void> check_own_attention(const CommandOptions& o) {
  const bool is_of_module = o.input || o.key_input || o.value_input || o.format;
  if (!is_of_module || o.weights) return {};
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
  return parse_choice_index("--format", o.format.value_or("auto"), names)
      .map([](std::size_t index) -> std::optional<ModuleFormat> {
        if (index == 0) return std::nullopt;
        return static_cast<ModuleFormat>(index - 1);
      });
}

Result<ModuleInputs> read_module_inputs(const CommandOptions& o) {
  ModuleInputs inputs;
  auto query = read_module_rows(*o.input);
  if (!query) return tl::unexpected(query.error());
  inputs.query = std::move(*query);
  for (const auto& [file, rows] :
       {std::pair(&o.key_input, &inputs.key), std::pair(&o.value_input, &inputs.value)}) {
    if (!*file) continue;
    auto read = read_module_rows(**file);
    if (!read) return tl::unexpected(read.error());
    *rows = std::move(*read);
  }
  return inputs;
}

}  // namespace headscope
