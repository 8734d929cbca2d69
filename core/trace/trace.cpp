#include "core/trace/trace.h"

#include <mutex>
#include <optional>
#include <utility>

#include "core/model/forward.h"
#include "core/model/model.h"

namespace headscope {

/// Stages that are computed when they are first asked for.
struct Trace::Lazy {
  std::mutex mutex;
  std::vector<std::optional<Matrix>> contributions;  ///< one a head
};

namespace {

MatrixView rows_of(const float* data, int rows, int cols) {
  return {data, rows, cols, cols};
}

MatrixView map_of(const float* maps, const ForwardShape& shape, int head) {
  const auto floats = static_cast<std::ptrdiff_t>(shape.n_tokens) * shape.n_tokens;
  return rows_of(maps + head * floats, shape.n_tokens, shape.n_tokens);
}

MatrixView head_parameter(const Model& model, const StageId& id) {
  const Architecture& a = model.architecture;
  const PackedColumns columns = packed_columns(a, id.head);
  const auto part = [&](int column, int width, bool bias) {
    if (bias) return view_of(model.attention.qkv_bias.middleCols(column, width));
    return view_of(model.attention.qkv.middleCols(column, width));
  };
  switch (id.kind) {
    case StageKind::w_query:
      return part(columns.query, a.head_width(), false);
    case StageKind::b_query:
      return part(columns.query, a.head_width(), true);
    case StageKind::w_key:
      return part(columns.key, a.head_width(), false);
    case StageKind::b_key:
      return part(columns.key, a.head_width(), true);
    case StageKind::w_value:
      return part(columns.value, a.value_width(), false);
    case StageKind::b_value:
      return part(columns.value, a.value_width(), true);
    default:
      return {};
  }
}

bool architecture_has(const Model& model, StageKind kind) {
  const Architecture& a = model.architecture;
  switch (kind) {
    case StageKind::b_query:
      return a.bias.query;
    case StageKind::b_key:
      return a.bias.key;
    case StageKind::b_value:
      return a.bias.value;
    case StageKind::w_output:
    case StageKind::contribution:
      return a.output_projection;
    case StageKind::b_output:
      return a.output_projection && a.bias.output;
    case StageKind::positions:
      return a.positions != Positions::none;
    case StageKind::embedding_table:
      return model.embedding_table.size() > 0;
    default:
      return true;
  }
}

}  // namespace

Trace::Trace(Parts parts) : parts_(std::move(parts)), lazy_(std::make_unique<Lazy>()) {
  lazy_->contributions.resize(static_cast<std::size_t>(architecture().n_heads));
}

Trace::~Trace() = default;

const Architecture& Trace::architecture() const {
  return parts_.model->architecture;
}

bool Trace::has(const StageId& id) const {
  if (id != normalized(id) || id.stack != Stack::encoder || id.attention != AttentionKind::self) return false;
  if (id.layer != 0 || id.head < 0 || id.head >= architecture().n_heads) return false;
  return architecture_has(*parts_.model, id.kind);
}

std::vector<StageId> Trace::stages() const {
  std::vector<StageId> all;
  const int n_heads = architecture().n_heads;
  const auto kinds = all_stage_kinds();
  for (std::size_t i = 0; i < kinds.size();) {
    // Stages of one head stand together: head 0 from its parameters to its contribution, then head 1.
    std::size_t end = i + 1;
    const bool per_head = kinds[i].scope == StageScope::head;
    while (per_head && end < kinds.size() && kinds[end].scope == StageScope::head) ++end;
    for (int head = 0; head < (per_head ? n_heads : 1); ++head) {
      for (std::size_t k = i; k < end; ++k) {
        const StageId id{kinds[k].kind, Stack::encoder, 0, AttentionKind::self, head};
        if (has(id)) all.push_back(id);
      }
    }
    i = end;
  }
  return all;
}

MatrixView Trace::value(const StageId& id) const {
  if (!has(id)) return {};
  const ForwardBuffers& b = *parts_.buffers;
  const ForwardShape& s = b.shape;
  const int n = s.n_tokens;
  const int width = s.packed_width();
  const PackedColumns columns = packed_columns(architecture(), id.head);
  const MatrixView packed = rows_of(b.packed, n, width);
  switch (id.kind) {
    case StageKind::embedding:
      return rows_of(b.embedding, n, s.d_model);
    case StageKind::positions:
      return rows_of(b.positions, n, s.d_model);
    case StageKind::input:
    case StageKind::layer_input:
      return rows_of(b.input, n, s.d_model);
    case StageKind::query:
      return packed.block(0, columns.query, n, s.d_head);
    case StageKind::key:
      return packed.block(0, columns.key, n, s.d_head);
    case StageKind::value:
      return packed.block(0, columns.value, n, s.d_value);
    case StageKind::raw:
      return map_of(b.raw, s, id.head);
    case StageKind::scaled:
      return map_of(b.scaled, s, id.head);
    case StageKind::masked:
      return map_of(b.masked, s, id.head);
    case StageKind::weights:
      return map_of(b.weights, s, id.head);
    case StageKind::output:
      return rows_of(b.concat, n, s.concat_width()).block(0, id.head * s.d_value, n, s.d_value);
    case StageKind::contribution:
      return contribution(id.head);
    case StageKind::concat:
      return rows_of(b.concat, n, s.concat_width());
    case StageKind::projected:
    case StageKind::layer_output:
    case StageKind::stack_output:
      return rows_of(b.projected, n, s.output_projection ? s.d_model : s.concat_width());
    case StageKind::w_output:
      return view_of(parts_.model->attention.out);
    case StageKind::b_output:
      return view_of(parts_.model->attention.out_bias);
    case StageKind::embedding_table:
      return view_of(parts_.model->embedding_table);
    default:
      return head_parameter(*parts_.model, id);
  }
}

MatrixView Trace::contribution(int head) const {
  const std::lock_guard lock(lazy_->mutex);
  std::optional<Matrix>& kept = lazy_->contributions[static_cast<std::size_t>(head)];
  if (!kept) kept.emplace(head_contribution(parts_.model->attention, *parts_.buffers, head));
  return view_of(*kept);
}

std::string Trace::label(Axis axis, int index) const {
  const bool is_token = axis == Axis::query_tokens || axis == Axis::key_tokens;
  if (is_token && index >= 0 && index < n_tokens()) return tokens()[static_cast<std::size_t>(index)].text;
  return std::to_string(index);
}

}  // namespace headscope
