#include "core/engine/part_effects.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/engine/row_parts.h"
#include "core/model/interventions.h"
#include "core/model/pass.h"
#include "core/model/streams.h"
#include "core/tensor/matrix.h"
#include "core/tensor/norm.h"
#include "core/tensor/parallel.h"
#include "core/text/number_text.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// Recomputes a pass with one more change, from the layer of the change on. Everything before that layer is
/// taken from the pass, which must be complete, predict words and outlive this object.
class PartialPass {
 public:
  /// Once `stop` is set, nothing more is computed.
  PartialPass(const Trace& trace, const std::atomic<bool>* stop)
      : trace_(trace),
        kept_(trace.kept()),
        buffers_(buffers_like(kept_)),
        inputs_(trace.pass_inputs()),
        edits_(trace.edits() == nullptr ? PassEdits() : *trace.edits()),
        stop_(stop) {
    inputs_.edits = &edits_;
    if (inputs_.unembedding.exists()) unembedding_ = inputs_.unembedding.packed(pool_);
  }
  PartialPass(const PartialPass&) = delete;
  PartialPass& operator=(const PartialPass&) = delete;

  /// The logits of a row of the last stack in the unchanged pass.
  std::vector<float> logits_of_pass(int row) { return logits_in(kept_, row); }

  /// The same with these rows replaced, before the pass's own edits of their stages. All must be in one
  /// layer, or in the input of a stack. Empty if stopped.
  std::optional<std::vector<float>> logits_with(std::vector<RowEdit> replaced, int row) {
    const StageId place = replaced.front().stage;
    std::vector<RowEdit> own = edits_.rows;
    std::erase_if(edits_.rows, [&](const RowEdit& edit) {
      return std::ranges::any_of(replaced, [&](const RowEdit& other) {
        return other.stage == edit.stage && (other.row == edit.row || other.row == every_row);
      });
    });
    std::ranges::move(replaced, std::back_inserter(edits_.rows));
    auto logits = logits_of({.stack = place.stack, .layer = place.layer, .switched_off = {}, .row = row});
    edits_.rows = std::move(own);
    return logits;
  }

  /// The same with a part of the model switched off, as part_effects() defines it.
  std::optional<std::vector<float>> logits_without(const ModelPart& part, int row) {
    const auto [stack, attention, layer, head] = part.place;
    if (part.kind == ModelPart::Kind::head) {
      const float own = std::exchange(edits_.at(part.place).scale, 0.0F);
      auto logits = logits_of({.stack = stack, .layer = layer, .switched_off = part.place, .row = row});
      edits_.at(part.place).scale = own;
      return logits;
    }
    if (part.kind == ModelPart::Kind::feed_forward) {
      const StageId output = written_by(trace_.graph(), part).front();
      const auto width = static_cast<std::size_t>(trace_.extent(output).cols);
      return logits_with({{output, every_row, PatchSource::zero, std::vector<float>(width, 0.0F)}}, row);
    }
    std::vector<RowEdit> skipping;
    for (const StageKind kind : {StageKind::layer_input, StageKind::streams_input}) {
      const StageId entering{kind, stack, layer};
      for (int token = 0; token < trace_.extent(entering).rows; ++token)
        skipping.push_back(row_taken(trace_, entering, token, {before(kind), stack, layer}));
    }
    return logits_with(std::move(skipping), row);
  }

  /// The replacement of a row of the stage `to` by the same row of a stage of a pass.
  static RowEdit row_taken(const Trace& trace, const StageId& from, int row, const StageId& to) {
    const StageNumbers numbers = trace.read_row(from, row);
    const auto line = numbers.view.row(0);
    return {to, row, PatchSource::compared, {line.begin(), line.end()}};
  }

 private:
  /// Buffers like those of a pass, without room for logits: they are computed one row at a time.
  static PassBuffers buffers_like(const PassBuffers& kept) {
    PassShape shape = kept.shape;
    shape.vocabulary = 0;
    shape.edits_rows = true;
    return {shape, AlignedBuffer(shape.floats())};
  }

  std::vector<float> logits_in(const PassBuffers& buffers, int row) {
    const StageId read{StageKind::stack_output, buffers.shape.architecture().last_stack()};
    const Matrix logits =
        logits_of_rows(inputs_, buffers.shape, buffers.rows(read, {row, row + 1}), row, pool_);
    return {logits.data(), logits.data() + logits.size()};
  }

  std::optional<std::vector<float>> logits_of(const PassTail& part) {
    if (!forward_from(inputs_, kept_, part, buffers_, pool_, stop_)) return std::nullopt;
    return logits_in(buffers_, *part.row);
  }

  const Trace& trace_;
  const PassBuffers& kept_;
  PassBuffers buffers_;
  PassInputs inputs_;
  PassEdits edits_;
  const std::atomic<bool>* stop_;
  ThreadPool pool_;
  std::shared_ptr<const PackedMatrix>
      unembedding_;  ///< Held, so that even a temporary copy is packed only once.
};

/// The logit and the probability of a word.
PartEffect chance_of(std::span<const float> logits, int word) {
  const double top = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - top);
  const auto own = static_cast<double>(logits[static_cast<std::size_t>(word)]);
  return {{}, own, std::exp(own - top) / sum};
}

double difference_in(std::span<const float> logits, const LogitDifference& asked) {
  return static_cast<double>(logits[static_cast<std::size_t>(asked.word)]) -
         static_cast<double>(logits[static_cast<std::size_t>(asked.other)]);
}

double difference_of(const Trace& trace, const LogitDifference& asked) {
  return difference_in(trace.read_row({.kind = StageKind::logits}, asked.row).view.row(0), asked);
}

/// The stages whose rows enter a layer, one for the first stream and one for the others: the input of the
/// stack, or what leaves the layer before.
std::vector<StageId> entering(const Architecture& a, const ModelPart& layer) {
  using enum StageKind;
  const auto [stack, attention, index, head] = layer.place;
  std::vector<StageId> stages{index == 0 ? StageId{input, stack} : StageId{layer_output, stack, index - 1}};
  if (a.foreign.streams)
    stages.push_back(index == 0 ? StageId{streams_start, stack} : StageId{streams_output, stack, index - 1});
  return stages;
}

/// A row of a layer's output as the end of the model reads it: of several streams, their mean.
Matrix row_at_end(const Trace& trace, int layer, int row) {
  using enum StageKind;
  const Stack stack = trace.architecture().last_stack();
  const StageNumbers first = trace.read_row({layer_output, stack, layer}, row);
  Matrix out = eigen(first.view);
  if (!trace.architecture().foreign.streams) return out;
  const StageNumbers others = trace.read_row({streams_output, stack, layer}, row);
  Matrix turned(1, others.view.cols), as_first(1, others.view.cols);
  multiply_streams(others.view, linear_of(trace.model(), {w_streams_end, stack}), turned.data(),
                   shared_pool());
  as_large(view_of(turned), first.view, as_first.data());
  mean_of_streams(first.view, view_of(as_first), out.data());
  return out;
}

/// A part that is taken as a whole, or the row of one token after another.
struct PatchTask {
  std::vector<PatchedPart> PatchMap::*list;
  ModelPart part;
  std::vector<StageId> stages;
  bool by_token = false;
};

std::vector<PatchTask> patch_tasks_of(const Trace& b, TokenPatches of_heads) {
  using Kind = ModelPart::Kind;
  const Stack last = b.architecture().last_stack();
  std::vector<PatchTask> tasks;
  const auto add = [&](std::vector<PatchedPart> PatchMap::*list, const ModelPart& part,
                       const std::vector<StageId>& stages, bool by_token) {
    const bool is_free = std::ranges::all_of(stages, [&](const StageId& stage) {
      return b.has(stage) && b.given(stage) == nullptr && can_be_patched(stage.kind);
    });
    if (is_free) tasks.push_back({list, part, stages, by_token});
  };
  for (const ModelPart& part : parts_of(b.architecture())) {
    if (part.place.stack != last) continue;
    const std::vector<StageId> written = written_by(b.graph(), part);
    add(&PatchMap::parts, part, written, false);
    if (part.kind == Kind::head && of_heads == TokenPatches::taken)
      add(&PatchMap::head_rows, part, written, true);
    if (part.kind == Kind::feed_forward) add(&PatchMap::feed_forward_rows, part, written, true);
    if (part.kind == Kind::layer) add(&PatchMap::layer_rows, part, entering(b.architecture(), part), true);
  }
  return tasks;
}

}  // namespace

std::vector<StageId> written_by(const Graph& graph, const ModelPart& part) {
  using enum StageKind;
  const auto [stack, attention, layer, head] = part.place;
  if (part.kind == ModelPart::Kind::head) return {stage_in(part.place, output)};
  if (!graph.architecture().residual && part.kind == ModelPart::Kind::layer)
    return {{layer_output, stack, layer}};
  std::vector<StageId> written;
  const auto add = [&](const StageId& normed, const StageId& plain) {
    if (graph.has(plain)) written.push_back(graph.has(normed) ? normed : plain);
  };
  for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
    if (part.kind == ModelPart::Kind::layer)
      add({output_norm, stack, layer, kind}, {projected, stack, layer, kind});
  }
  const StageId of_both{feed_forward_sum_norm, stack, layer};
  add(graph.has(of_both) ? of_both : StageId{feed_forward_output_norm, stack, layer},
      {feed_forward_output, stack, layer});
  if (part.kind == ModelPart::Kind::layer)
    add({layer_entry_normed, stack, layer}, {layer_entry, stack, layer});
  return written;
}

double estimated_seconds(const Trace& trace, std::int64_t n_partial_passes) {
  constexpr double milliseconds_in_second = 1000.0;
  return static_cast<double>(n_partial_passes) * trace.milliseconds() / 2.0 / milliseconds_in_second;
}

int likeliest_word(const Trace& trace, int row) {
  const StageNumbers numbers = trace.read_row({.kind = StageKind::logits}, row);
  const auto logits = numbers.view.row(0);
  return static_cast<int>(std::ranges::max_element(logits) - logits.begin());
}

double logit_resolution(const Trace& trace, int row) {
  constexpr double units = 8.0;
  const StageNumbers numbers = trace.read_row({.kind = StageKind::logits}, row);
  double largest = 0.0;
  for (const float logit : numbers.view.row(0)) {
    if (std::isfinite(logit)) largest = std::max(largest, std::fabs(static_cast<double>(logit)));
  }
  return units * static_cast<double>(std::numeric_limits<float>::epsilon()) * largest;
}

Slices<PartEffects> part_effects(const Trace& trace, Prediction prediction, const std::atomic<bool>* stop) {
  PartialPass pass(trace, stop);
  PartEffects effects;
  const PartEffect whole = chance_of(pass.logits_of_pass(prediction.row), prediction.word);
  effects.logit = whole.logit;
  effects.probability = whole.probability;
  const std::vector<ModelPart> parts = parts_of(trace.architecture());
  for (const ModelPart& part : parts) {
    const auto logits = pass.logits_without(part, prediction.row);
    if (!logits) break;
    effects.parts.push_back(chance_of(*logits, prediction.word));
    effects.parts.back().part = part;
    co_yield static_cast<double>(effects.parts.size()) / static_cast<double>(parts.size());
  }
  co_return effects;
}

namespace {

/// Σ part × direction.
double along(const std::vector<double>& part, const std::vector<double>& direction) {
  return std::inner_product(part.begin(), part.end(), direction.begin(), 0.0);
}

/// The direction in the output of the last layer along which the logit of a word grows, with the moments of
/// the last norm as they are in this row. For layer norm it is γ (u − mean over the row) / √(variance + ε),
/// because subtracting the mean is linear as well; for RMS norm it is γ u / √(mean(x²) + ε).
std::vector<double> logit_direction(const Trace& trace, const Prediction& prediction) {
  const PassInputs inputs = trace.pass_inputs();
  const Architecture& a = trace.architecture();
  const Matrix word = inputs.unembedding.columns(prediction.word, 1);
  std::vector<double> direction(word.data(), word.data() + word.size());
  if (!a.has_final_norm(a.last_stack())) return direction;
  const RowVector& gain = vector_of(inputs.model, {StageKind::final_norm_gain, a.last_stack()});
  const StageId normed_row = trace.graph().inputs({StageKind::stack_output, a.last_stack()}).front();
  const double inverse = inverse_deviation(a, a.norm_kind, row_in_double(trace, normed_row, prediction.row));
  for (std::size_t d = 0; d < direction.size(); ++d)
    direction[d] *= static_cast<double>(gain[static_cast<Eigen::Index>(d)]) * inverse;
  if (a.norm_kind != NormKind::layer) return direction;
  const double average =
      std::accumulate(direction.begin(), direction.end(), 0.0) / static_cast<double>(direction.size());
  for (double& each : direction) each -= average;
  return direction;
}

/// What the biases after the last layer add.
double output_bias(const Trace& trace, const Prediction& prediction) {
  const PassInputs inputs = trace.pass_inputs();
  const Architecture& a = trace.architecture();
  const auto sum = static_cast<double>(inputs.unembedding.bias[prediction.word]);
  if (!a.has_final_norm(a.last_stack())) return sum;
  const RowVector& bias = vector_of(inputs.model, {StageKind::final_norm_bias, a.last_stack()});
  const Matrix word = inputs.unembedding.columns(prediction.word, 1);
  return std::inner_product(bias.begin(), bias.end(), word.data(), sum, std::plus<>(),
                            [](double b, double w) { return b * w; });
}

const char* why_no_direct_parts(const Trace& trace, const Prediction& prediction) {
  const Architecture& a = trace.architecture();
  if (a.norm == Norm::post)
    return "a norm after every residual sum rescales what the earlier parts added, so the logit is not their sum";
  if (a.has_output_norm())
    return "a norm on each sublayer's output rescales what its heads added, so the logit is not the sum of their parts";
  if (a.has_output_transform())
    return "the last layer's output goes through an activation and a norm before it is compared with the words, so the logit is not a sum of parts";
  if (a.logit_softcap > 0.0F) return "the softcap squashes the logits, so they are not sums of parts";
  if (!a.residual) return "without residual connections, no part reaches the logits on its own";
  const auto replaces_sum = [&](const RowEdit& edit) {
    const StageKind kind = edit.stage.kind;
    return (edit.row == prediction.row || edit.row == every_row) && edit.stage.stack == a.last_stack() &&
           (kind == StageKind::projected || kind == StageKind::residual ||
            kind == StageKind::feed_forward_residual || kind == StageKind::layer_output ||
            kind == StageKind::stack_output);
  };
  const bool is_patched = trace.edits() != nullptr && std::ranges::any_of(trace.edits()->rows, replaces_sum);
  return is_patched ? "an intervention replaces a sum that includes the parts before it" : "";
}

}  // namespace

DirectParts direct_parts(const Trace& trace, const Prediction& prediction) {
  DirectParts direct;
  direct.absent = why_no_direct_parts(trace, prediction);
  if (!direct.absent.empty()) return direct;
  const Architecture& a = trace.architecture();
  const Stack stack = a.last_stack();
  const std::vector<double> direction = logit_direction(trace, prediction);
  const auto add = [&](DirectPart::Kind kind, const HeadId& place, double logit) {
    direct.parts.push_back({kind, place, logit});
    direct.total += logit;
  };
  const auto part = [&](const StageId& id) {
    return along(row_in_double(trace, id, prediction.row), direction);
  };
  const int n_layers = a.layers_of(stack);
  add(DirectPart::Kind::input, {stack}, part({StageKind::input, stack}));
  for (int layer = 0; layer < n_layers; ++layer) {
    for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
      HeadId place{stack, kind, layer, 0};
      const StageId projected{StageKind::projected, stack, layer, kind};
      if (!trace.has(projected)) continue;
      double left = part(projected);
      for (place.head = 0; place.head < a.n_heads; ++place.head) {
        const double logit = along(addition_of_head(trace, place, prediction.row), direction);
        add(DirectPart::Kind::head, place, logit);
        left -= logit;
      }
      place.head = 0;
      if (a.bias.output || trace.edits() != nullptr) add(DirectPart::Kind::attention_bias, place, left);
    }
    const StageId feed_forward{StageKind::feed_forward_output, stack, layer};
    if (trace.has(feed_forward))
      add(DirectPart::Kind::feed_forward, {stack, {}, layer, 0}, part(feed_forward));
  }
  add(DirectPart::Kind::output_bias, {stack}, output_bias(trace, prediction));
  return direct;
}

std::vector<double> direct_sources(const Trace& trace, const Prediction& prediction, const HeadId& head) {
  const Architecture& a = trace.architecture();
  const std::string_view absent = why_no_direct_parts(trace, prediction);
  if (!absent.empty() || a.linear_attention) return {};
  const StageId own = stage_in(head, StageKind::weights);
  const StageId used = weights_in_use(trace, own);
  const StageId values = canonical(a, with_kind(own, StageKind::value));
  const auto replaces = [&](StageKind kind) {
    return trace.edits() != nullptr && trace.edits()->of(stage_in(head, kind), prediction.row) != nullptr;
  };
  const bool is_replaced = trace.given(with_kind(own, StageKind::output)) != nullptr ||
                           replaces(StageKind::output) || replaces(StageKind::gated_heads);
  if (is_replaced || !trace.has(used) || !trace.has(values)) return {};
  const std::vector<double> direction = logit_direction(trace, prediction);
  const std::vector<double> weights = row_in_double(trace, used, prediction.row);
  const Extent size = trace.extent(values);
  // The direction along which the head's output adds to the logit, after its gate and W_O.
  const auto width = static_cast<std::size_t>(size.cols);
  const std::size_t first = width * static_cast<std::size_t>(head.head);
  std::vector<double> along_output(width);
  const StageId w_output = canonical(a, with_kind(own, StageKind::w_output));
  for (std::size_t v = 0; v < width; ++v) {
    along_output[v] = trace.has(w_output)
                          ? along(row_in_double(trace, w_output, static_cast<int>(first + v)), direction)
                          : direction[first + v];
  }
  if (a.output_gate) {
    const std::vector<double> gate =
        row_in_double(trace, canonical(a, with_kind(own, StageKind::head_gate)), prediction.row);
    for (std::size_t v = 0; v < width; ++v) along_output[v] *= gate[first + v];
  }
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head);
  const double scale = edits == nullptr ? 1.0 : static_cast<double>(edits->scale);
  std::vector<double> sources;
  sources.reserve(weights.size());
  for (int key = 0; key < size.rows; ++key) {
    sources.push_back(scale * weights[static_cast<std::size_t>(key)] *
                      along(row_in_double(trace, values, key), along_output));
  }
  return sources;
}

std::vector<LayerGuess> logit_lens(const Trace& trace, const Prediction& prediction) {
  const Architecture& a = trace.architecture();
  const PassInputs inputs = trace.pass_inputs();
  const int n_layers = a.layers_of(a.last_stack());
  Matrix rows(n_layers, a.d_model);
  for (int layer = 0; layer < n_layers; ++layer) rows.row(layer) = row_at_end(trace, layer, prediction.row);
  if (a.has_final_norm(a.last_stack())) {
    const StageId gain{StageKind::final_norm_gain, a.last_stack()};
    norm_rows(rows.data(), n_layers, a.d_model, vector_of(inputs.model, gain).data(),
              a.norm_kind == NormKind::rms ? nullptr : vector_of(inputs.model, bias_behind(gain)).data(),
              a.norm_epsilon, rows.data());
  }
  const auto packed = inputs.unembedding.packed(shared_pool());  // Held so that it is packed only once.
  std::vector<LayerGuess> guesses;
  for (int layer = 0; layer < n_layers; ++layer) {
    // Each is the same row of the pass, which an intervention may replace.
    const Matrix logits =
        logits_of_rows(inputs, trace.kept().shape, view_of(rows).block(layer, 0, 1, a.d_model),
                       prediction.row, shared_pool());
    const std::span<const float> own(logits.data(), static_cast<std::size_t>(logits.cols()));
    const auto best = static_cast<int>(std::ranges::max_element(own) - own.begin());
    guesses.push_back(
        {layer, best, chance_of(own, best).probability, chance_of(own, prediction.word).probability});
  }
  return guesses;
}

std::int64_t patched_passes(const Trace& b, TokenPatches of_heads) {
  const std::vector<PatchTask> tasks = patch_tasks_of(b, of_heads);
  const auto n_by_token = std::ranges::count(tasks, true, &PatchTask::by_token);
  const auto n_tokens = std::ssize(b.tokens(b.architecture().last_stack()));
  return std::ssize(tasks) - n_by_token + n_by_token * n_tokens;
}

std::string why_not_patched(const Trace& a, const Trace& b) {
  const Stack last = b.architecture().last_stack();
  const auto sizes = [last](const Trace& trace) {
    const Architecture& of = trace.architecture();
    return std::tuple(of.n_layers, of.n_heads, of.d_model, of.value_width(no_layer), of.has_cross(),
                      of.last_stack(), of.d_ff, of.norm, of.residual, of.block, of.output_projection,
                      of.stacks, of.n_streams(), of.foreign.own);
  };
  if (a.architecture().linear_attention != b.architecture().linear_attention || sizes(a) != sizes(b))
    return "A and B differ in their layers or their sizes, and activations are patched position by position";
  const auto n_a = std::ssize(a.tokens(last));
  const auto n_b = std::ssize(b.tokens(last));
  if (n_a != n_b)
    return "activations are patched position by position, and A has " + count_text(n_a, "token") +
           " but B has " + std::to_string(n_b) + ": use texts with the same number of tokens";
  if (!b.complete() || !a.complete()) return "the passes are not complete";
  return {};
}

Slices<PatchMap> patch_map(const Trace& a, const Trace& b, LogitDifference difference, TokenPatches of_heads,
                           const std::atomic<bool>* stop) {
  PatchMap map;
  map.absent = why_not_patched(a, b);
  if (!map.absent.empty()) co_return map;
  map.of_a = difference_of(a, difference);
  map.of_b = difference_of(b, difference);
  map.resolution = std::max(logit_resolution(a, difference.row), logit_resolution(b, difference.row));
  PartialPass pass(b, stop);
  const auto patched = [&](const std::vector<StageId>& stages, std::optional<int> token) {
    std::vector<RowEdit> rows;
    for (const StageId& stage : stages) {
      const int n = static_cast<int>(b.tokens(stage.stack).size());
      for (int row = token.value_or(0); row < (token ? *token + 1 : n); ++row)
        rows.push_back(PartialPass::row_taken(a, stage, row, canonical(b.architecture(), stage)));
    }
    return pass.logits_with(std::move(rows), difference.row);
  };
  const auto n_passes = static_cast<double>(patched_passes(b, of_heads));
  const int n_tokens = static_cast<int>(b.tokens(b.architecture().last_stack()).size());
  double n_done = 0.0;
  for (const PatchTask& task : patch_tasks_of(b, of_heads)) {
    for (int token = 0; token < (task.by_token ? n_tokens : 1); ++token) {
      const std::optional<int> of_row = task.by_token ? std::optional(token) : std::nullopt;
      const auto logits = patched(task.stages, of_row);
      if (!logits) co_return map;
      (map.*task.list).push_back({task.part, of_row, difference_in(*logits, difference)});
      co_yield ++n_done / n_passes;
    }
  }
  co_return map;
}

}  // namespace headscope
