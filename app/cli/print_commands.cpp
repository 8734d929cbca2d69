#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/set_option.h"
#include "app/cli/stage_options.h"
#include "core/checkpoint/capture.h"
#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "core/engine/request.h"
#include "core/engine/row_parts.h"
#include "core/figure/pages.h"
#include "core/model/trained_model.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "core/trace/explain.h"
#include "core/trace/guess.h"
#include "core/trace/summary.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

ScoreParts parts_of_score(const Trace& trace, const StageId& id, int row, int column) {
  if (id.kind != StageKind::raw)
    refuse(usage_error("--parts splits a product of a query and a key: add --stage raw"));
  ScoreParts split = score_parts(trace, id, row, column);
  if (!split.absent.empty()) refuse(failure("the score cannot be split: " + split.absent));
  return split;
}

/// Writes the contribution of each part of the model to the query and the key of a raw score, largest
/// products first.
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

void run_explain(const CommandOptions& o, std::ostream& out) {
  const Session session = session_of(o);
  const StageId id = stage_id_of(o, session);
  const int row = row_of(o, session, id);
  const int column = column_of(o, session, id);
  const auto trace = compute_trace(session).value();
  const auto explanation = explain(*trace, id, row, column).value();
  std::optional<ScoreParts> split;
  if (o.is_on("--parts")) split = parts_of_score(*trace, id, row, column);
  const std::string notes = notes_on_row(*trace, explanation.stage, row);
  ensure(trace->check_files());
  warn_about_masks(o, session);
  out << to_text(explanation);
  if (is_random(*trace, id.kind)) out << "\nuntrained: random weights\n";
  if (!notes.empty()) out << "\n" << notes;
  if (split) write_parts(trace->architecture(), *split, out);
}

void run_capture(const CommandOptions& o, std::ostream& out) {
  const auto scripts = capture_scripts();
  if (!o.named) {
    out << "Attention of any model, computed on any machine, opens as a file of its numbers. These programs write\n"
           "such a file; “headscope capture NAME” prints one:\n\n"
           "  transformers  a model from Hugging Face: its attention weights and hidden states\n"
           "  pytorch       hooks for your own modules: their queries, keys and values\n";
    return;
  }
  const auto found = std::ranges::find(scripts, *o.named, &EmbeddedFile::name);
  if (found == scripts.end()) {
    std::vector<std::string> names;
    for (const EmbeddedFile& script : scripts) names.emplace_back(script.name);
    refuse(usage_error("there is no program “" + *o.named + "” to print: " + expected_text(*o.named, names) +
                       "transformers or pytorch"));
  }
  if (o.has("--out")) return ensure(write_atomically(*o.text("--out"), found->text));
  out << found->text;
}

namespace {

/// Pads a text to the width of its column plus two spaces.
std::string padded(const std::string& text, std::size_t width) {
  const std::size_t own = code_points(text).size();
  return text + std::string(width > own ? width - own : 0, ' ') + "  ";
}

/// A path, a shape and a title.
using Row = std::array<std::string, 3>;

void print_rows(const std::vector<Row>& rows, std::ostream& out) {
  std::size_t path_width = 0;
  std::size_t shape_width = 0;
  for (const auto& [path, shape, title] : rows) {
    path_width = std::max(path_width, code_points(path).size());
    shape_width = std::max(shape_width, code_points(shape).size());
  }
  for (const auto& [path, shape, title] : rows)
    out << "  " << padded(path, path_width) << padded(shape, shape_width) << title << '\n';
}

/// Replaces the index after a component of a path by a letter.
void replace_index(std::string& name, const std::string& part, const std::string& letter) {
  const auto found = name.find(part);
  if (found == std::string::npos) return;
  const std::size_t begin = found + part.size();
  name.replace(begin, name.find('.', begin) - begin, letter);
}

/// The rows of the list of parameters or of other stages, one per kind, because all layers and heads have the
/// same shapes. The shapes of a whole batch have its axis, and that of the heads beside it.
std::vector<Row> rows_of(const Trace& trace, bool parameters, bool whole_batch) {
  std::vector<Row> rows;
  auto next = rows.begin();  // Behind the row of the stage before, also for what only later layers have.
  for (const StageId& id : trace.stages()) {
    const StageInfo& stage = info(id.kind);
    if (stage.is_parameter() != parameters) continue;
    std::string name = path(id);
    replace_index(name, "layers.", trace.architecture().n_layers > 1 ? "{l}" : "0");
    replace_index(name, "heads.", "{h}");
    const std::string shape = whole_batch ? full_shape_text(trace, id) : shape_text(trace.extent(id));
    const auto known = std::ranges::find(rows, name, [](const Row& row) { return row[0]; });
    next = known == rows.end() ? rows.insert(next, {name, shape, std::string(stage.title)}) : known;
    if (std::string& shapes = (*next++)[1]; shapes.find(shape) == std::string::npos) {
      shapes += " or " + shape;  // Layers may differ.
    }
  }
  return rows;
}

std::string bytes_text(std::size_t bytes) {
  constexpr std::size_t kib = std::size_t{1} << 10U;
  constexpr std::size_t mib = std::size_t{1} << 20U;
  if (bytes < 10 * kib) return std::to_string(bytes) + " bytes";
  return bytes < 10 * mib ? std::to_string(bytes / kib) + " KiB" : std::to_string(bytes / mib) + " MiB";
}

/// The sizes of all layers: "256 or 512".
std::string widths_text(const Architecture& a, int (Architecture::*width)(int) const) {
  std::vector<std::string> widths;
  for (int layer = 0; layer < a.n_layers; ++layer) {
    std::string own = std::to_string((a.*width)(layer));
    if (std::ranges::find(widths, own) == widths.end()) widths.push_back(std::move(own));
  }
  return join_texts(widths, " or ");
}

std::string describe_architecture(const Architecture& a) {
  const bool alone =
      a.n_layers == 1 && a.d_ff == 0 && a.norm == Norm::none && !a.residual && a.stacks == Stacks::encoder;
  if (alone) return "one layer of self-attention";
  std::string words = std::string(enum_name(a.stacks)) + " of " + layers_text(a);
  if (a.norm != Norm::none) words += ", " + std::string(enum_name(a.norm)) + "-norm";
  if (a.norm != Norm::none && a.norm_kind == NormKind::rms) words += " (RMS)";
  if (a.is_parallel()) words += ", " + std::string(enum_name(a.block)) + " block";
  if (a.sliding_window) words += ", sliding window of " + std::to_string(*a.sliding_window);
  if (a.sliding_window && !a.foreign.windowed_layers.empty()) {
    words += " (in " + count_text(std::ranges::count(a.foreign.windowed_layers, true), "layer") + ")";
  } else if (a.sliding_window && a.global_every) {
    words += " (1 layer in " + std::to_string(*a.global_every) + " is global)";
  }
  if (!a.residual) words += ", no residual connections";
  words += a.d_ff == 0 ? ", no feed-forward layer"
                       : ", d_ff " +
                             (a.foreign.experts ? std::to_string(a.foreign.experts->width)
                                                : widths_text(a, &Architecture::feed_forward_width)) +
                             " (" + std::string(enum_name(a.activation)) + (a.gated ? ", gated)" : ")");
  if (const auto& experts = a.foreign.experts) {
    words += " in each of " + count_text(experts->count, "expert") + ", " + std::to_string(experts->top_k) +
             " for each token";
    if (experts->shared_width > 0)
      words += " beside one of " + std::to_string(experts->shared_width) + " for all";
    if (experts->dense_width > 0) words += " beside a dense layer of " + std::to_string(experts->dense_width);
  }
  const auto borrows = [](const LayerOwn& own) { return own.keys_of >= 0; };
  if (const auto n = std::ranges::count_if(a.foreign.own, borrows); n > 0)
    words += ", " + count_text(n, "layer") + " with the keys and values of an earlier one";
  if (a.foreign.layer_inputs)
    words += ", embeddings of " + std::to_string(a.layer_input_width()) + " for each layer";
  if (a.foreign.streams) words += ", " + std::to_string(a.n_streams()) + " streams of rows";
  return words + ",";
}

std::string describe_weights(const Session& session, bool is_given) {
  const Architecture& a = session.architecture;
  if (!session.model) {
    if (is_given) return "Given by hand: " + describe_architecture(a) + " with numbers of your own.";
    const std::string others = session.given.empty() ? "" : "what is not given by hand has ";
    return "Untrained: " + describe_architecture(a) + " " + (others.empty() ? "with " : "where " + others) +
           "random weights (" + std::string(enum_name(a.init)) + ", seed " + std::to_string(a.seed) + ").";
  }
  const TrainedModel& model = *session.model;
  if (model.is_capture()) {
    return model.family + " of " + model.title() + ": " + layers_text(a) + " of " +
           count_text(a.n_heads, "head") + ", computed by another program; from " + model.name + ".";
  }
  if (model.is_foreign()) {
    return model.family + ": " + describe_architecture(a) + " " + describe_vocabulary(model.vocabulary) +
           (model.tokenizer ? "" : ", no tokenizer (sentences are ids)") + "; from " + model.name + ".";
  }
  return "Trained" + (model.task.empty() ? "" : " for " + model.task) + ": " + describe_architecture(a) +
         " " + std::to_string(model.steps) + " steps, " + describe_vocabulary(model.vocabulary) +
         (model.name == model.task ? "" : "; from " + model.name) + ".";
}

/// The names of tensors; of those that differ only in numbers, the first and how many there are.
std::string names_text(const std::vector<std::string>& names) {
  struct Alike {
    std::string first, letters;
    int n = 1;
  };
  std::vector<Alike> all;
  for (const std::string& name : names) {
    std::string letters = name;
    std::erase_if(letters, [](char c) { return c >= '0' && c <= '9'; });
    const auto same = std::ranges::find(all, letters, &Alike::letters);
    if (same == all.end()) {
      all.push_back({name, letters});
    } else {
      ++same->n;
    }
  }
  return join_texts(all, ", ", [](const Alike& each) {
    return each.first + (each.n == 1 ? "" : " and " + std::to_string(each.n - 1) + " more of other layers");
  });
}

/// Describes noteworthy contents of a model's file. Empty if there are none.
std::string describe_file(const Session& session) {
  if (!session.model) return {};
  std::string words;
  if (!session.model->trained_on.empty()) words += session.model->trained_on + "\n";
  if (!session.model->stored_types.empty()) words += "Stored as " + session.model->stored_types + ".\n";
  if (!session.model->tokenizer_error.empty())
    words += "No tokenizer: " + session.model->tokenizer_error + ".\n";
  if (!session.model->unused.empty())
    words += "In the file, but not used: " + names_text(session.model->unused) + ".\n";
  if (const std::string unknown = unsupported_parts_text(*session.model, session.model->unknown_keys.size());
      !unknown.empty())
    words += unknown + ".\n";
  const auto non_finite_tensors =
      session.model->files ? session.model->files->non_finite_tensors() : std::vector<std::string>();
  if (!non_finite_tensors.empty())
    words += "Tensors with NaN or infinite numbers: " + names_text(non_finite_tensors) + ".\n";
  return words;
}

/// Describes the input: "Sentence: 11 tokens", "Batch: 8 sentences, padded to 10 tokens".
std::string describe_input(const Trace& trace, bool whole_batch) {
  const BatchPosition& batch = trace.batch();
  std::string words = "Sentence: ";
  if (whole_batch) {
    words = "Batch: " + count_text(batch.n_sequences, "sentence") + ", padded to ";
  } else if (batch.n_sequences > 1) {
    words = "Sentence " + std::to_string(batch.sequence + 1) + " of " + std::to_string(batch.n_sequences) +
            " (index " + std::to_string(batch.sequence) + "), padded to ";
  }
  words += count_text(trace.n_tokens(), "token");
  if (!trace.architecture().has_cross()) return words;
  return words + ", target: " + std::to_string(trace.tokens(Stack::decoder).size());
}

/// Describes shared keys: ", key and value heads 2 (heads 0–3 share one)", ", keys and values from a latent
/// of 16".
std::string describe_sharing(const Architecture& a) {
  std::string words;
  const std::string kv_heads = widths_text(a, &Architecture::kv_heads);
  const bool are_equal = kv_heads == std::to_string(a.kv_heads(0));
  if (kv_heads != std::to_string(a.n_heads))
    words +=
        ", key and value heads " + kv_heads + (are_equal ? " (" + group_text(a, 0, 0) + " share one)" : "");
  if (!a.kv_latent) return words;
  words += ", keys and values from a latent of " + std::to_string(*a.kv_latent);
  if (const int shared = a.shared_key_width(AttentionKind::self); shared > 0 && a.has_self())
    words += " and a key of " + std::to_string(shared) + " that all heads share";
  return words;
}

/// The limit of a sentence's length, and whether the model's positions set it or the memory of a pass.
std::string longest_text(const Session& session) {
  const Request request = request_of(session);
  const int n = max_tokens(request);
  if (n == session.architecture.max_tokens())
    return std::to_string(n) + " tokens, for which the model has positions";
  return std::to_string(n) + " tokens, computed in " + bytes_text(default_trace_bytes) +
         "; on the command line " + std::to_string(max_command_line_tokens(request));
}

std::string describe_axes(const Trace& trace, bool whole_batch) {
  if (!whole_batch) return "[rows × columns]";
  return trace.architecture().n_heads > 1 ? "[batch, heads if several, rows, columns]"
                                          : "[batch, rows, columns]";
}

}  // namespace

void run_info(const CommandOptions& o, std::ostream& out) {
  if (sets_selection(o.texts("--set")))
    refuse(usage_error("--set selects nothing here: “headscope info” lists all stages and heads"));
  const Session session = session_of(o);
  const auto computed = compute_trace(session).value();
  const Trace& trace = *computed;
  const Architecture& a = trace.architecture();
  const bool whole_batch = o.has(setting("batch")) && !o.has(setting("sequence"));
  const std::string of_file = describe_file(session);
  ensure(trace.check_files());
  out << describe_weights(session, !trace.is_untrained()) << "\n";
  // A capture lists below what it has.
  if (!session.model || !session.model->is_capture())
    out << "d_model " << a.d_model << ", heads " << a.n_heads << " (h = 0 to " << a.n_heads - 1 << ")"
        << describe_sharing(a) << ", d_head " << widths_text(a, &Architecture::head_width) << ", d_value "
        << widths_text(a, &Architecture::value_width) << ", positions "
        << (a.foreign.disentangled ? "disentangled" : enum_name(a.positions))
        << (a.linear_attention ? ", linear attention (no softmax)" : "") << "\n";
  out << of_file << "\n"
      << describe_input(trace, whole_batch) << "\nParameters: " << parameter_count(trace) << "\nMemory of "
      << (whole_batch ? "a sentence's" : "this") << " pass: " << bytes_text(trace.bytes())
      << "\nLongest sentence: " << longest_text(session) << "\n\nStages, "
      << describe_axes(trace, whole_batch) << ":\n";
  print_rows(rows_of(trace, false, whole_batch), out);
  out << "\nParameters, [in × out]:\n";
  print_rows(rows_of(trace, true, false), out);
}

}  // namespace headscope
