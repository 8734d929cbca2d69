#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/mask_options.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/own_attention_option.h"
#include "app/cli/session_options.h"
#include "app/cli/trace_out.h"
#include "core/engine/module_trace.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

constexpr int session_version = 1;
constexpr int max_module_heads = 65536;

/// Fails if an option that cannot be combined with --weights was given, and says why.
Result<void> check_no_other_source(const CommandOptions& o) {
  struct Group {
    const char* why;
    std::vector<GivenOption> options;
  };
  const auto of = [&o](std::initializer_list<std::string_view> options) {
    std::vector<GivenOption> given;
    for (const std::string_view option : options) given.push_back({option, o.has(option)});
    return given;
  };
  const Group groups[] = {
      {"the weights set the sizes", {{"--model", o.has("--model")}, {"--preset", o.preset.has_value()}}},
      {"the weights set the sizes", architecture_options_of(o)},
      {"the module's input is --input X.npy",
       of({"--sentence", "--target", "--batch", "--sequence", "--tokenizer"})},
      {"--mask applies to its attention, whatever the source of the keys",
       of({"--target-mask", "--cross-mask"})},
      {"a module makes its own queries, keys and values",
       {{"--query", o.query.has_value()}, {"--key", o.key.has_value()}, {"--value", o.value.has_value()}}},
      {"a trace of a module counts from the first key; headscope render takes it", of({"--query-offset"})},
      {"modules run in evaluation mode, without dropout", of({"--dropout", "--dropout-seed", "--mode"})},
      {"every stage of the module is always written",
       of({"--stage", "--head", "--layer", "--stack", "--attention"})},
  };
  for (const Group& group : groups) {
    for (const GivenOption& option : group.options) {
      if (option.given)
        return usage_error(std::string(option.name) + " cannot be combined with --weights: " + group.why);
    }
  }
  return {};
}

/// The options that can be checked before any file is read.
struct ModuleOptions {
  int n_heads = 1;
  std::optional<ModuleFormat> format;  ///< empty: recognised by the names in the file
  AttentionOptions attention;          ///< without the mask, whose size depends on the inputs
};

Result<ModuleOptions> checked_options(const CommandOptions& o) {
  if (auto ok = check_no_other_source(o); !ok) return tl::unexpected(ok.error());
  if (!o.input) return usage_error("--weights needs --input X.npy, the module's input, [T, D]");
  const auto heads = o.text(setting("architecture.heads"));
  if (!heads) return usage_error("--weights needs --heads N: the file does not say how many heads there are");
  if (auto ok = check_trace_out(o.out.value_or(""), false); !ok) return tl::unexpected(ok.error());
  const auto n_heads = whole_number("--heads", *heads, 1, max_module_heads);
  if (!n_heads) return tl::unexpected(n_heads.error());
  auto format = module_format_of(o);
  if (!format) return tl::unexpected(format.error());
  const auto session = with_settings(o, "attention.", {});
  if (!session) return tl::unexpected(session.error());
  return ModuleOptions{*n_heads, *format, session->attention};
}

/// The options of the pass as JSON, from which it can be computed again.
std::string session_json(const CommandOptions& o, const ModuleOptions& options, const ModulePass& pass) {
  const AttentionOptions& attention = options.attention;
  nlohmann::json module{
      {"weights", *o.weights},
      {"format", name_of(pass.weights.format)},
      {"prefix", pass.weights.prefix},
      {"heads", options.n_heads},
      {"input", *o.input},
      {"mask", o.texts("--mask")},
      {"mask_value", mask_value_word(attention.mask_value)},
      {"scale", attention.scale},
      {"temperature", parse_double(number_word(attention.temperature)).value_or(1.0)},
      {"softmax", name_of_choice(attention.softmax)},
  };
  if (o.mask_axes) module["mask_axes"] = *o.mask_axes;
  if (o.key_input) module["key_input"] = *o.key_input;
  if (o.value_input) module["value_input"] = *o.value_input;
  const nlohmann::json session{{"version", session_version}, {"module", std::move(module)}};
  return json_text(session, 2) + "\n";
}

/// Warns if the module itself would read the same mask file differently.
void tell_of_mask(const CommandOptions& o, ModuleFormat format, const MaskSpec& mask) {
  std::string note;
  if (format == ModuleFormat::torch) {
    const auto is_boolean = [](const auto& loaded) { return !loaded->additive; };
    if (std::ranges::any_of(mask.loaded, is_boolean)) {
      note =
          "1 in a mask file means “may attend”, but True in a boolean mask of nn.MultiheadAttention hides: for such a mask, save ~mask";
    }
  } else if (format == ModuleFormat::packed && !o.mask_axes) {
    note = doubt_about_axes(mask);
  }
  if (!note.empty()) std::cerr << "headscope: " << note << '\n';
}

}  // namespace

Result<void> run_module_trace(const CommandOptions& o) {
  auto options = checked_options(o);
  if (!options) return tl::unexpected(options.error());
  auto weights = read_module_weights(*o.weights, options->format);
  if (!weights) return tl::unexpected(weights.error());
  if (auto ok = check_heads(*weights, options->n_heads); !ok)
    return wrong_value("--heads", std::to_string(options->n_heads), ok.error().message);
  auto inputs = read_module_inputs(o);
  if (!inputs) return tl::unexpected(inputs.error());
  auto axes = MaskAxes::parse(o.mask_axes);
  if (!axes) return tl::unexpected(axes.error());
  const MaskOption mask_option{
      "--mask", inputs->query.rows.rows, inputs->key_rows().rows.rows, false, &*axes, files().mask};
  auto mask = with_masks({}, o.texts("--mask"), mask_option);
  if (!mask) return tl::unexpected(mask.error());
  if (auto ok = axes->check_used(); !ok) return ok;
  tell_of_mask(o, weights->format, *mask);
  options->attention.mask = std::move(*mask);
  const auto pass =
      module_forward(std::move(*weights), std::move(*inputs), options->n_heads, options->attention);
  if (!pass) return tl::unexpected(pass.error());
  return write_module_trace(*pass, *o.out, session_json(o, *options, *pass));
}

}  // namespace headscope
