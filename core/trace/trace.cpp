#include "core/trace/trace.h"

#include <map>
#include <mutex>
#include <utility>

#include "core/model/pass.h"
#include "core/model/positions.h"
#include "core/trace/parameter.h"
#include "core/trace/stage_list.h"
#include "core/trace/unembedding.h"
#include "core/trace/wiring.h"

namespace headscope {

/// Stages that are computed when they are first asked for.
struct Trace::Lazy {
  std::mutex mutex;
  std::map<StageId, Matrix> kept;
};

namespace {

MatrixView rows_of(const float* data, int rows, int cols) {
  if (data == nullptr) return {};
  return {data, rows, cols, cols};
}

}  // namespace

Trace::Trace(Parts parts) : parts_(std::move(parts)), lazy_(std::make_unique<Lazy>()) {}

Trace::~Trace() = default;

Demand Trace::demand(int row) const {
  const std::vector<Demand>& demands = parts_.task_rows.demands;
  const auto at = static_cast<std::size_t>(row);
  return row >= 0 && at < demands.size() ? demands[at] : Demand::repeats;
}

const Architecture& Trace::architecture() const {
  return parts_.model->architecture;
}

const CombinedMask& Trace::mask(const StageId& id) const {
  return parts_.masks->of(architecture(), id.stack, id.attention);
}

const MaskSpec& Trace::mask_spec(const StageId& id) const {
  return mask_of(parts_.options, architecture().stacks, id.stack, id.attention);
}

const std::vector<Token>& Trace::tokens(Stack stack) const {
  return architecture().has_cross() && stack == Stack::decoder ? parts_.target_tokens : parts_.tokens;
}

const std::vector<Token>& Trace::tokens(const StageId& id, Axis axis) const {
  const bool looks_away = axis == Axis::key_tokens && id.attention == AttentionKind::cross;
  const bool ends_model = info(id.kind).scope == StageScope::model;
  return tokens(ends_model ? architecture().last_stack() : looks_away ? Stack::encoder : id.stack);
}

const std::vector<std::string>& Trace::vocabulary() const {
  static const std::vector<std::string> none;
  return parts_.unembedding ? parts_.unembedding->words : none;
}

std::size_t Trace::bytes() const {
  return parts_.buffers->shape.floats() * sizeof(float);
}

bool Trace::is_computed(const StageId& id) const {
  const StageScope scope = info(id.kind).scope;
  if (parts_.complete || info(id.kind).is_parameter) return true;
  if (scope == StageScope::model) return false;
  const Architecture& a = architecture();
  const int before = a.has_cross() && id.stack == Stack::decoder ? a.n_layers : 0;
  if (scope == StageScope::stack) {
    return id.kind != StageKind::stack_output || before + a.n_layers <= parts_.layers_done;
  }
  return before + id.layer < parts_.layers_done;
}

bool Trace::has(const StageId& id) const {
  const Architecture& a = architecture();
  if (id.layer < 0 || id.layer >= a.n_layers || id.head < 0 || id.head >= a.n_heads) return false;
  const StageScope scope = info(id.kind).scope;
  if (scope >= StageScope::stack && !a.has(id.stack)) return false;
  if (id.attention == AttentionKind::cross && !(a.has_cross() && id.stack == Stack::decoder)) return false;
  return id == normalized(id) && architecture_has(id) && is_computed(id);
}

bool Trace::architecture_has(const StageId& id) const {
  return why_absent(*this, id.kind, id.attention).empty();
}

std::vector<StageId> Trace::stages() const {
  return stages_of(*this);
}

bool Trace::is_untrained() const {
  return parts_.model->drawn;
}

MatrixView Trace::value(const StageId& id) const {
  if (!has(id)) return {};
  if (info(id.kind).is_parameter) return parameter_view(*parts_.model, parts_.unembedding.get(), id);
  const PassBuffers& b = *parts_.buffers;
  const Architecture& a = architecture();
  const int words = b.shape.vocabulary;
  if (id.kind == StageKind::logits) return rows_of(b.logits, b.stack(a.last_stack()).n_tokens, words);
  if (id.kind == StageKind::probabilities) {
    return rows_of(b.probabilities, b.stack(a.last_stack()).n_tokens, words);
  }
  const StackBuffers& stack = b.stack(id.stack);
  switch (id.kind) {
    case StageKind::embedding:
      return rows_of(stack.embedding, stack.n_tokens, a.d_model);
    case StageKind::positions:
      return rows_of(stack.positions, stack.n_tokens, a.d_model);
    case StageKind::input:
      return rows_of(stack.input, stack.n_tokens, a.d_model);
    case StageKind::stack_output:
      return rows_of(stack.output, stack.n_tokens, a.layer_width());
    default:
      break;
  }
  return info(id.kind).scope == StageScope::layer ? layer_stage(id) : attention_stage(id);
}

MatrixView Trace::layer_stage(const StageId& id) const {
  const StackBuffers& stack = parts_.buffers->stack(id.stack);
  const LayerBuffers& layer = stack.layers[static_cast<std::size_t>(id.layer)];
  const int n = stack.n_tokens;
  const Architecture& a = architecture();
  switch (id.kind) {
    case StageKind::layer_input:
      return rows_of(layer.input, n, a.d_model);
    case StageKind::feed_forward_norm:
      return rows_of(layer.around_feed_forward.norm, n, a.d_model);
    case StageKind::hidden:
      return rows_of(layer.feed_forward.hidden, n, a.d_ff);
    case StageKind::activated:
      return rows_of(layer.feed_forward.activated, n, a.d_ff);
    case StageKind::feed_forward_output:
      return rows_of(layer.feed_forward.output, n, a.d_model);
    case StageKind::feed_forward_residual:
      return rows_of(layer.around_feed_forward.residual, n, a.d_model);
    case StageKind::feed_forward_normed:
      return rows_of(layer.around_feed_forward.normed, n, a.d_model);
    case StageKind::layer_output:
      return rows_of(layer.output, n, a.layer_width());
    default:
      return {};
  }
}

MatrixView Trace::attention_stage(const StageId& id) const {
  const LayerBuffers& layer = parts_.buffers->stack(id.stack).layers[static_cast<std::size_t>(id.layer)];
  const bool is_self = id.attention == AttentionKind::self;
  const AttentionBuffers& b = is_self ? layer.self : layer.cross;
  const SublayerBuffers& around = is_self ? layer.around_self : layer.around_cross;
  const AttentionShape& s = b.shape;
  const auto head_columns = [&](const float* all, int n, int width) {
    return rows_of(all, n, s.n_heads * width).block(0, id.head * width, n, width);
  };
  const auto map = [&](const float* maps) {
    return rows_of(maps + static_cast<std::size_t>(id.head) * s.map_floats(), s.n_queries, s.n_keys);
  };
  switch (id.kind) {
    case StageKind::norm:
      return rows_of(around.norm, s.n_queries, s.d_model);
    case StageKind::query:
      return head_columns(b.query, s.n_queries, s.d_head);
    case StageKind::key:
      return head_columns(b.key, s.n_keys, s.d_head);
    case StageKind::value:
      return head_columns(b.value, s.n_keys, s.d_value);
    case StageKind::rotated_query:
      return head_columns(b.rotated_query, s.n_queries, s.d_head);
    case StageKind::rotated_key:
      return head_columns(b.rotated_key, s.n_keys, s.d_head);
    case StageKind::raw:
      return map(b.raw);
    case StageKind::scaled:
      return map(b.scaled);
    case StageKind::masked:
      return map(b.masked);
    case StageKind::weights:
      return map(b.weights);
    case StageKind::dropped:
      return map(b.dropped);
    case StageKind::output:
      return head_columns(b.concat, s.n_queries, s.d_value);
    case StageKind::concat:
      return rows_of(b.concat, s.n_queries, s.concat_width());
    case StageKind::projected:
      return rows_of(b.projected, s.n_queries, s.output_projection ? s.d_model : s.concat_width());
    case StageKind::residual:
      return rows_of(around.residual, s.n_queries, s.d_model);
    case StageKind::normed:
      return rows_of(around.normed, s.n_queries, s.d_model);
    default:
      return kept(id);
  }
}

MatrixView Trace::kept(const StageId& id) const {
  const std::lock_guard lock(lazy_->mutex);
  const auto found = lazy_->kept.find(id);
  if (found != lazy_->kept.end()) return view_of(found->second);
  const auto layer_index = static_cast<std::size_t>(id.layer);
  Matrix computed;
  if (id.kind == StageKind::contribution) {
    const LayerWeights& weights = parts_.model->stack(id.stack).layers[layer_index];
    const LayerBuffers& layer = parts_.buffers->stack(id.stack).layers[layer_index];
    const bool is_self = id.attention == AttentionKind::self;
    computed = head_contribution(is_self ? weights.self : weights.cross, is_self ? layer.self : layer.cross,
                                 id.head);
  } else {
    const std::vector<float>& biases =
        (*parts_.masks->biases_of(architecture(), id.stack, id.attention))[static_cast<std::size_t>(id.head)];
    const auto n = static_cast<Eigen::Index>(tokens(id.stack).size());
    computed.resize(n, n);
    for (Eigen::Index q = 0; q < n; ++q) {
      computed.row(q) = Eigen::Map<const RowVector>(biases.data() + (n - 1 - q), n);
    }
  }
  return view_of(lazy_->kept.emplace(id, std::move(computed)).first->second);
}

std::string Trace::label(const StageId& id, Axis axis, int index) const {
  const auto at = static_cast<std::size_t>(index);
  if (runs_over_tokens(axis)) {
    const std::vector<Token>& along = tokens(id, axis);
    if (index >= 0 && at < along.size()) return along[at].text;
  }
  if (axis == Axis::vocabulary && index >= 0 && at < vocabulary().size()) return vocabulary()[at];
  const bool holds_biases = architecture().positions == Positions::relative;
  if (axis == Axis::position_cols && holds_biases) return std::to_string(index - max_relative_distance);
  return std::to_string(index);
}

}  // namespace headscope
