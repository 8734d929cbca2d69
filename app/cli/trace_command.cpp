#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/figure_session.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"
#include "app/cli/text_limit.h"
#include "app/cli/trace_out.h"
#include "core/engine/batch_export.h"
#include "core/engine/engine.h"
#include "core/engine/export.h"
#include "core/engine/memory_estimate.h"
#include "core/page/figure_file.h"
#include "core/page/page_numbers.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

TracedParameters traced_parameters(const CommandOptions& o, const Session& session) {
  // With TransformerLens's names, parameters are written only on request, because its cache has none.
  if (o.names == "transformer-lens" && !o.traces_parameters) return TracedParameters::left_out;
  return o.traces_parameters ? TracedParameters::written : usual_parameters(session.model);
}

/// The naming scheme of the tensors. TransformerLens has names only for those of a whole trace.
Result<TensorNames> tensor_names(const CommandOptions& o) {
  if (!o.names) return TensorNames::headscope;
  const auto names = choice_index("--names", *o.names, {"headscope", "transformer-lens"});
  if (!names) return tl::unexpected(names.error());
  if (*names == 0) return TensorNames::headscope;
  if (o.weights)
    return usage_error(
        "--names transformer-lens and --weights cannot be combined: a module has no such names");
  if (o.has(setting("selection.stage")))
    return usage_error("--names and --stage cannot be combined: the file of a single stage has no names");
  if (o.has(setting("batch")) && !o.has(setting("sequence")))
    return usage_error(
        "--names transformer-lens and --batch need --sequence: a cache of one sentence is written");
  return TensorNames::transformer_lens;
}

/// Writes a stage of every sentence of a batch, one after the other.
Result<void> write_batch(const Session& session, const CommandOptions& o, const StageId& id,
                         const std::string& out) {
  Engine engine;
  std::vector<std::shared_ptr<const Trace>> traces;
  const int n = static_cast<int>(session.batch.size());
  Request request = request_of(session);
  const Texts texts = texts_of(request);
  const double bytes =
      n * pass_bytes(request, vocabulary_of(request, texts), longest_text(texts, session.batch.size()));
  if (auto ok = check_kept(bytes, request.max_bytes, "the passes of " + counted(n, "sentence"),
                           "trace fewer sentences at once, or one with --sequence");
      n > 1 && !ok)
    return ok;
  if (auto ok = check_length(request); !ok) return ok;
  request.max_bytes /= static_cast<std::size_t>(n);  // all traces are kept until they are written
  for (int sequence = 0; sequence < n; ++sequence) {
    request.sequence = sequence;
    request.sentence = session.batch[static_cast<std::size_t>(sequence)];
    auto trace = engine.compute(request, TooLong::refuse);
    if (!trace) return tl::unexpected(trace.error());
    if (o.has(setting("selection.stage"))) {
      if (auto ok = check_stage(**trace, id); !ok) return ok;
    }
    traces.push_back(std::move(*trace));
  }
  return o.has(setting("selection.stage"))
             ? write_batch_stage(traces, id, out)
             : write_batch_trace(traces, out, to_json(session), traced_parameters(o, session));
}

/// Refuses options for the numbers of a page that are combined with others, or given without a page.
Result<void> check_page_options(const CommandOptions& o) {
  const Setting& view = setting("selection.view");
  const auto page = o.text(view);
  if (!page) {
    for (const Setting& each : all_settings) {
      const bool is_of_stage =
          std::ranges::find(stage_settings, each.key, &Setting::key) != stage_settings.end();
      if (each.group == place_group && o.has(each) && !is_of_stage)
        return usage_error(std::string(each.option) + " needs --page: it changes what a page shows");
    }
    if (o.row || o.column)
      return usage_error((o.row ? "--row " + *o.row : "--column " + *o.column) +
                         " needs --page: a stage is written with all its rows and columns");
    return {};
  }
  for (const auto& [is_given, option] :
       {std::pair(o.has(setting("selection.stage")), "--stage"), std::pair(o.names.has_value(), "--names"),
        std::pair(o.traces_parameters, "--parameters"), std::pair(o.weights.has_value(), "--weights")}) {
    if (is_given)
      return usage_error("--page " + *page + " and " + option +
                         " cannot be combined: the file has the numbers of the page alone");
  }
  return {};
}

/// Writes the numbers of the page that --page names.
Result<void> write_page(const CommandOptions& o, const std::string& out) {
  const auto name = choice<PageName>("--page", *o.text(setting("selection.view")));
  if (!name) return tl::unexpected(name.error());
  if (auto ok = check_page_numbers(*name, out); !ok) return ok;
  if (!o.against.empty() && *name != PageName::compare)
    return usage_error("--against needs --page compare: other pages show one subject");
  const auto session = session_of_figure_options(o, files());
  if (!session) return tl::unexpected(session.error());
  tell_of_masks(o, *session);
  const auto passes = computed_passes(*session);
  if (!passes) return tl::unexpected(passes.error());
  return write_page_numbers(inputs_of(*session, *passes), *name, out);
}

}  // namespace

Result<void> run_trace(const CommandOptions& o, std::ostream&) {
  const std::string out = o.out.value_or("");
  const bool one_stage = o.has(setting("selection.stage"));
  if (auto ok = check_page_options(o); !ok) return ok;
  if (o.has(setting("selection.view"))) return write_page(o, out);
  const auto names = tensor_names(o);
  if (!names) return tl::unexpected(names.error());
  if (o.weights) return run_module_trace(o);
  if (auto ok = check_trace_out(out, one_stage); !ok) return ok;
  if (const auto head = o.text(setting("selection.head")); head && !one_stage) {
    return usage_error("--head " + *head + " needs --stage: which stage of this head?");
  }
  const auto session = session_of(o);
  if (!session) return tl::unexpected(session.error());
  const auto id = stage_id_of(o, *session);
  if (!id) return tl::unexpected(id.error());
  tell_of_masks(o, *session);
  if (o.has(setting("batch")) && !o.has(setting("sequence"))) return write_batch(*session, o, *id, out);
  const auto trace = computed_trace(*session);
  if (!trace) return tl::unexpected(trace.error());
  if (one_stage) {
    if (auto ok = check_stage(**trace, *id); !ok) return ok;
  }
  return one_stage ? write_stage(**trace, *id, out)
                   : write_trace(**trace, out, to_json(*session), traced_parameters(o, *session), *names);
}

}  // namespace headscope
