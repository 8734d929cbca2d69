#include "app/cli/commands.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <optional>
#include <ostream>
#include <utility>

#include "app/cli/cell_options.h"
#include "app/cli/model_places.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"
#include "core/checkpoint/capture.h"
#include "core/engine/engine.h"
#include "core/engine/memory_estimate.h"
#include "core/engine/row_parts.h"
#include "core/figure/pages.h"
#include "core/io/atomic_file.h"
#include "core/model/trained_model.h"
#include "core/trace/explain.h"
#include "core/trace/guess.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr int always_computed = 8192;
/// The most multiplications of attention in a pass of a longer text, which take about a second.
constexpr double most_multiplications = 2e10;

/// The number of multiplications in attention for each pair of a query and a key. Linear attention has no
/// pairs.
double multiplications_of_pair(const Architecture& a) {
  if (a.linear_attention) return 0.0;
  const double attentions = a.has_cross() && a.has_self() ? 3.0 : 1.0;
  return attentions * a.n_layers * a.n_heads * (a.head_width() + a.value_width());
}

Result<std::shared_ptr<const Trace>> computed_by(Engine& engine, const Session& session) {
  if (texts_of(session).sentence().empty()) {
    return wrong_value("--sentence", session.sentence, "it has no words: give at least one");
  }
  const Request request = request_of(session);
  const int context = request.architecture.most_tokens();
  const bool is_cut = session.model && session.model->is_foreign() && context == max_tokens(request);
  if (!is_cut) {
    if (auto ok = check_length(request); !ok) return tl::unexpected(ok.error());
  }
  auto trace = engine.compute(request, is_cut ? TooLong::cut : TooLong::refuse);
  if (trace && (*trace)->tokens_in_sentence() > context && is_cut) {
    std::cerr << "headscope: the text has " << grouped((*trace)->tokens_in_sentence())
              << " tokens, and the model reads the first " << grouped(context) << '\n';
  }
  return trace;
}

/// The parts of a raw score.
Result<ScoreParts> parts_of_score(const Trace& trace, const StageId& id, int row, int column) {
  if (id.kind != StageKind::raw)
    return usage_error("--parts splits a product of a query and a key: add --stage raw");
  ScoreParts split = score_parts(trace, id, row, column);
  if (!split.absent.empty()) return failure("the score cannot be split: " + split.absent);
  return split;
}

/// Writes what each part of the model wrote into the query and the key of a raw score, greatest products
/// first.
void write_parts(const Architecture& a, const ScoreParts& split, std::ostream& out) {
  constexpr int digits = 6;
  constexpr std::size_t most = 20;
  const auto write_sums = [&](const char* title, const std::vector<RowPart>& parts,
                              double (ScoreParts::*sum)(std::size_t) const) {
    out << '\n' << title << '\n';
    for (std::size_t i = 0; i < parts.size(); ++i)
      out << "  " << part_name(a, parts[i]) << " = " << number_text((split.*sum)(i), digits) << '\n';
  };
  write_sums("what wrote the query, each part with the whole key:", split.query, &ScoreParts::sum_of_query);
  write_sums("what wrote the key, each part with the whole query:", split.key, &ScoreParts::sum_of_key);
  out << "\nthe largest products of a part of the query and a part of the key:\n";
  for (const auto& [query, key] : split.greatest(most)) {
    out << "  " << part_name(a, split.query[query]) << " × " << part_name(a, split.key[key]) << " = "
        << number_text(split.term(query, key), digits) << '\n';
  }
  out << "\nΣ of all " << split.terms.size() << " products = " << number_text(split.total, digits)
      << ", which differs from the stored score by " << number_text(split.total - split.score, 2) << '\n';
}

}  // namespace

void take_name(CommandOptions& options, std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return;
  options.named = arguments.front();
  arguments.erase(arguments.begin());
}

bool opens_in_window(const CommandOptions& options) {
  const bool has_display = !environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty();
  return options.named && !options.checks && !options.prints && !options.out && has_display;
}

Result<std::shared_ptr<const Trace>> computed_trace(const Session& session) {
  Engine engine;
  return computed_by(engine, session);
}

Result<std::vector<std::shared_ptr<const Trace>>> computed_passes(const Session& session) {
  Engine engine;
  std::vector<std::shared_ptr<const Trace>> passes;
  std::vector<Request> requests;
  for (const Session& subject : subjects_of(session)) {
    const Request request = request_of(subject);
    if (const auto known = std::ranges::find(requests, request); known != requests.end()) {
      passes.push_back(passes[static_cast<std::size_t>(known - requests.begin())]);
      requests.push_back(request);
      continue;
    }
    requests.push_back(request);
    auto pass = computed_by(engine, subject);
    if (!pass && !passes.empty())
      return tl::unexpected(Error{pass.error().kind, "after --against: " + pass.error().message});
    if (!pass) return tl::unexpected(pass.error());
    passes.push_back(std::move(*pass));
  }
  return passes;
}

int most_tokens_on_command_line(const Request& request) {
  const int fitting = max_tokens(request);
  const double of_pair = multiplications_of_pair(request.architecture);
  if (of_pair <= 0.0) return fitting;
  const double in_time = std::floor(std::sqrt(most_multiplications / of_pair));
  return std::min(fitting, static_cast<int>(std::max(in_time, static_cast<double>(always_computed))));
}

Result<void> check_length(const Request& request) {
  const int n = longest_text(texts_of(request), request.batch.size());
  const int most = most_tokens_on_command_line(request);
  if (n <= most || most == max_tokens(request)) return {};  // the engine reports what does not fit
  return failure("the sentence has " + grouped(n) +
                 " tokens: on the command line, this model computes at most " + grouped(most) +
                 ", as each looks at all others: shorten it, or use fewer heads or layers");
}

Result<void> run_explain(const CommandOptions& o, std::ostream& out) {
  const auto session = session_of(o);
  if (!session) return tl::unexpected(session.error());
  const auto id = stage_id_of(o, *session);
  if (!id) return tl::unexpected(id.error());
  const auto row = row_of(o, *session, *id);
  if (!row) return tl::unexpected(row.error());
  const auto column = column_of(o, *session, *id);
  if (!column) return tl::unexpected(column.error());
  const auto trace = computed_trace(*session);
  if (!trace) return tl::unexpected(trace.error());
  const auto explanation = explain(**trace, *id, *row, *column);
  if (!explanation) return tl::unexpected(explanation.error());
  std::optional<ScoreParts> split;
  if (o.splits_score) {
    auto parts = parts_of_score(**trace, *id, *row, *column);
    if (!parts) return tl::unexpected(parts.error());
    split = std::move(*parts);
  }
  const std::string notes = notes_on_row(**trace, explanation->stage, *row);
  if (auto ok = (*trace)->check_files(); !ok) return ok;
  tell_of_masks(o, *session);
  out << to_text(*explanation);
  if (is_random(**trace, id->kind)) out << "\nuntrained: random weights\n";
  if (!notes.empty()) out << "\n" << notes;
  if (split) write_parts((*trace)->architecture(), *split, out);
  return {};
}

Result<void> run_capture(const CommandOptions& o, std::ostream& out) {
  const auto scripts = capture_scripts();
  if (!o.named) {
    out << "Attention of any model, computed on any machine, opens as a file of its numbers. These programs write\n"
           "such a file; “headscope capture NAME” prints one:\n\n"
           "  transformers  a model from Hugging Face: its attention weights and hidden states\n"
           "  pytorch       hooks for your own modules: their queries, keys and values\n";
    return {};
  }
  const auto found = std::ranges::find(scripts, *o.named, &CaptureScript::name);
  if (found == scripts.end()) {
    std::vector<std::string> names;
    for (const CaptureScript& script : scripts) names.emplace_back(script.name);
    return usage_error("there is no program “" + *o.named + "” to print: " + it_takes(*o.named, names) +
                       "transformers or pytorch");
  }
  if (o.out) return write_atomically(*o.out, std::string(found->text));
  out << found->text;
  return {};
}

}  // namespace headscope
