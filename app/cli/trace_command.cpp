#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/figure_session.h"
#include "app/cli/mask_options.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"
#include "core/engine/engine.h"
#include "core/engine/export.h"
#include "core/engine/module_trace.h"
#include "core/engine/request.h"
#include "core/exact_text.h"
#include "core/io/json_text.h"
#include "core/page/figure_file.h"
#include "core/page/page_numbers.h"
#include "core/session/setting_value.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* what_fits =
    "write the whole trace to F.safetensors or a folder, or a single --stage to F.npy or F.csv";

/// A usage error if a trace, or one stage of it, cannot be written to the path that --out names.
void check_trace_out(const std::string& out, bool one_stage) {
  std::error_code unknown;
  const fs::file_status status = fs::status(out, unknown);
  const std::string extension = fs::path(out).extension();
  if (out.empty()) refuse(invalid_value("--out", out, what_fits));
  const std::string name = fs::path(out).filename();
  if (name == ".safetensors" || name == ".npy" || name == ".csv") {
    refuse(invalid_value("--out", out, "the file name has nothing before " + name));
  }
  if (one_stage) {
    if (extension == ".npy" || extension == ".csv") return;
    refuse(invalid_value("--out", out, "with --stage, the file name must end in .npy or .csv"));
  }
  const bool exists = fs::exists(status) && !fs::is_regular_file(status);
  const bool is_new_folder = !fs::exists(status) && extension.empty();
  if (exists || is_new_folder || extension == ".safetensors") return;
  refuse(invalid_value("--out", out, what_fits));
}

TracedParameters traced_parameters(const CommandOptions& o, const Session& session) {
  // Under TransformerLens's names, parameters are written only on request: its cache has none.
  if (o.text("--names") == "transformer-lens" && !o.is_on("--parameters")) return TracedParameters::left_out;
  return o.is_on("--parameters") ? TracedParameters::written : default_parameters(session.model);
}

/// The naming scheme of the tensors. TransformerLens has names only for those of a whole trace.
TensorNames tensor_names(const CommandOptions& o) {
  if (!o.has("--names")) return TensorNames::headscope;
  if (parse_choice_index("--names", *o.text("--names"), {"headscope", "transformer-lens"}).value() == 0)
    return TensorNames::headscope;
  if (o.has("--weights"))
    refuse(
        usage_error("--names transformer-lens and --weights cannot be combined: a module has no such names"));
  if (o.has(setting("selection.stage")))
    refuse(usage_error("--names and --stage cannot be combined: the file of a single stage has no names"));
  if (o.has(setting("batch")) && !o.has(setting("sequence")))
    refuse(usage_error(
        "--names transformer-lens and --batch need --sequence: a cache of one sentence is written"));
  return TensorNames::transformer_lens;
}

/// Writes a stage of every sentence of a batch, one after the other.
void write_batch(const Session& session, const CommandOptions& o, const StageId& id, const std::string& out) {
  Engine engine;
  std::vector<std::shared_ptr<const Trace>> traces;
  const int n = static_cast<int>(session.batch.size());
  Request request = request_of(session);
  const Texts texts = texts_of(request);
  const double bytes =
      n * pass_bytes(request, vocabulary_of(request, texts), longest_text(texts, session.batch.size()));
  if (n > 1)
    ensure(check_kept(bytes, request.max_bytes, "the passes of " + count_text(n, "sentence"),
                      "trace fewer sentences at once, or one with --sequence"));
  ensure(check_length(request));
  request.max_bytes /= static_cast<std::size_t>(n);  // all traces are kept until they are written
  for (int sequence = 0; sequence < n; ++sequence) {
    request.sequence = sequence;
    request.sentence = session.batch[static_cast<std::size_t>(sequence)];
    auto trace = engine.compute(request, TooLong::refuse).value();
    if (o.has(setting("selection.stage"))) ensure(check_stage(*trace, id));
    traces.push_back(std::move(trace));
  }
  ensure(o.has(setting("selection.stage"))
             ? write_batch_stage(traces, id, out)
             : write_batch_trace(traces, out, to_json(session), traced_parameters(o, session)));
}

/// Refuses options for the numbers of a page that are combined with others, or given without a page.
void check_page_options(const CommandOptions& o) {
  const Setting& view = setting("selection.view");
  const auto page = o.text(view);
  if (!page) {
    for (const Setting& each : all_settings) {
      const bool is_of_stage =
          std::ranges::find(stage_settings, each.key, &Setting::key) != stage_settings.end();
      if (each.group == place_group && o.has(each) && !is_of_stage)
        refuse(usage_error(std::string(each.option) + " needs --page: it changes what a page shows"));
    }
    const std::string cell(o.first_of({"--row", "--column"}));
    if (cell.empty()) return;
    refuse(usage_error(cell + " " + *o.text(cell) +
                       " needs --page: a stage is written with all its rows and columns"));
  }
  const std::string option(o.first_of({"--stage", "--names", "--parameters", "--weights"}));
  if (option.empty()) return;
  refuse(usage_error("--page " + *page + " and " + option +
                     " cannot be combined: the file has the numbers of the page alone"));
}

/// Writes the numbers of the page that --page names.
void write_page(const CommandOptions& o, const std::string& out) {
  const PageName name = choice<PageName>("--page", *o.text(setting("selection.view"))).value();
  ensure(check_page_numbers(name, out));
  if (!o.against.empty() && name != PageName::compare)
    refuse(usage_error("--against needs --page compare: other pages show one subject"));
  const Session session = figure_session(o, files()).value();
  warn_about_masks(o, session);
  ensure(write_page_numbers(inputs_of(session, compute_passes(session).value()), name, out));
}

constexpr int session_version = 1;
constexpr int max_converted_heads = 65536;

/// Fails if an option that cannot be combined with --weights was given, and says why.
void check_no_other_source(const CommandOptions& o) {
  const std::pair<const char*, std::vector<std::string_view>> groups[] = {
      {"the weights set the sizes", {"--model", "--preset"}},
      {"the weights set the sizes", options_fixed_by_weights()},
      {"the module's input is --input X.npy",
       {"--sentence", "--target", "--batch", "--sequence", "--tokenizer"}},
      {"--mask applies to its attention, whatever the source of the keys", {"--target-mask", "--cross-mask"}},
      {"a module makes its own queries, keys and values", {"--query", "--key", "--value"}},
      {"a trace of a module counts from the first key; headscope render takes it", {"--query-offset"}},
      {"modules run in evaluation mode, without dropout", {"--dropout", "--dropout-seed", "--mode"}},
      {"a module has no settings with keys", {"--set"}},
      {"every stage of the module is always written",
       {"--stage", "--head", "--layer", "--stack", "--attention"}},
  };
  for (const auto& [why, options] : groups) {
    const std::string option(o.first_of(options));
    if (!option.empty()) refuse(usage_error(option + " cannot be combined with --weights: " + why));
  }
}

/// The options of the pass as JSON, from which it can be computed again.
std::string session_json(const CommandOptions& o, int n_heads, const Session& session,
                         const ModulePass& pass) {
  const AttentionOptions& attention = session.attention;
  nlohmann::json module{
      {"weights", *o.text("--weights")},
      {"format", name_of(pass.weights.format)},
      {"prefix", pass.weights.prefix},
      {"heads", n_heads},
      {"input", *o.text("--input")},
      {"mask", o.texts("--mask")},
      {"mask_value", value_text(setting("attention.mask_value"), session)},
      {"scale", attention.scale},
      {"temperature", parse_double(exact_text(attention.temperature)).value_or(1.0)},
      {"softmax", enum_name(attention.softmax)},
  };
  if (o.has("--mask-axes")) module["mask_axes"] = *o.text("--mask-axes");
  if (o.has("--key-input")) module["key_input"] = *o.text("--key-input");
  if (o.has("--value-input")) module["value_input"] = *o.text("--value-input");
  const nlohmann::json json{{"version", session_version}, {"module", std::move(module)}};
  return json_text(json, 2) + "\n";
}

/// Warns if the module itself would interpret the mask file differently.
void warn_about_mask(const CommandOptions& o, ModuleFormat format, const MaskSpec& mask) {
  std::string note;
  if (format == ModuleFormat::torch) {
    const auto is_boolean = [](const auto& loaded) { return !loaded->additive; };
    if (std::ranges::any_of(mask.loaded, is_boolean)) {
      note =
          "1 in a mask file means “may attend”, but True in a boolean mask of nn.MultiheadAttention hides: for such a mask, save ~mask";
    }
  } else if (format == ModuleFormat::packed && !o.has("--mask-axes")) {
    note = axes_warning(mask);
  }
  if (!note.empty()) std::cerr << "headscope: " << note << '\n';
}

/// Runs `trace` with the weights of the user's own attention module.
void run_module_trace(const CommandOptions& o) {
  // Everything that needs no file is checked first.
  check_no_other_source(o);
  if (!o.has("--input")) refuse(usage_error("--weights needs --input X.npy, the module's input, [T, D]"));
  const auto heads = o.text(setting("architecture.heads"));
  if (!heads)
    refuse(usage_error("--weights needs --heads N: the file does not say how many heads there are"));
  check_trace_out(o.text("--out").value_or(""), false);
  const int n_heads = parse_whole_number("--heads", *heads, 1, max_converted_heads).value();
  const auto format = module_format_of(o);
  Session session;
  read_settings(o, "attention.", session);
  ModuleWeights weights = read_module_weights(*o.text("--weights"), format).value();
  if (auto ok = check_heads(weights, n_heads); !ok)
    refuse(invalid_value("--heads", *heads, ok.error().message));
  ModuleInputs inputs = read_module_inputs(o);
  MaskAxes axes(o.text("--mask-axes"));
  const MaskOption mask_option{"--mask",    inputs.query.rows.rows, inputs.key_rows().rows.rows, false, &axes,
                               files().mask};
  session.attention.mask = with_masks({}, o.texts("--mask"), mask_option);
  axes.check_used();
  warn_about_mask(o, weights.format, session.attention.mask);
  const ModulePass pass =
      module_forward(std::move(weights), std::move(inputs), n_heads, session.attention).value();
  ensure(write_module_trace(pass, *o.text("--out"), session_json(o, n_heads, session, pass)));
}

}  // namespace

void run_trace(const CommandOptions& o, std::ostream&) {
  const std::string out = o.text("--out").value_or("");
  const bool one_stage = o.has(setting("selection.stage"));
  check_page_options(o);
  if (o.has(setting("selection.view"))) return write_page(o, out);
  const TensorNames names = tensor_names(o);
  if (o.has("--weights")) return run_module_trace(o);
  check_trace_out(out, one_stage);
  if (const auto head = o.text(setting("selection.head")); head && !one_stage) {
    refuse(usage_error("--head " + *head + " needs --stage: which stage of this head?"));
  }
  const Session session = session_of(o);
  const StageId id = stage_id_of(o, session);
  warn_about_masks(o, session);
  if (o.has(setting("batch")) && !o.has(setting("sequence"))) return write_batch(session, o, id, out);
  const auto trace = compute_trace(session).value();
  if (one_stage) ensure(check_stage(*trace, id));
  ensure(one_stage ? write_stage(*trace, id, out)
                   : write_trace(*trace, out, to_json(session), traced_parameters(o, session), names));
}

}  // namespace headscope
