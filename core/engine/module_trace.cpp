#include "core/engine/module_trace.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <utility>

#include "core/engine/memory_estimate.h"
#include "core/engine/tensor_folder.h"
#include "core/io/npy.h"
#include "core/tensor/parallel.h"
#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

bool all_finite(const float* first, std::size_t n) {
  return std::all_of(first, first + n, [](float v) { return std::isfinite(v); });
}

/// Checks that rows are as wide as a projection requires. `own` says that they are given for this projection
/// alone.
Result<void> check_width(const ModuleRows& given, const Linear& projection, const std::string& whose,
                         bool own) {
  if (given.rows.cols == projection.n_in()) return {};
  const std::string needed = std::to_string(projection.n_in());
  return failure("'" + given.name + "' is " + shape_text({given.rows.rows, given.rows.cols}) +
                 ", but this module computes its " + whose + " from rows of " + needed + ": " +
                 (own ? "it must be [" + std::to_string(given.rows.rows) + ", " + needed + "]"
                      : "give " + whose + " their own input, [S, " + needed + "]"));
}

Result<void> check_inputs(const AttentionWeights& weights, const ModuleInputs& inputs) {
  auto ok = check_width(inputs.query, weights.query, "queries", true);
  if (ok) ok = check_width(inputs.key_rows(), weights.key, "keys", inputs.key.has_value());
  if (ok) ok = check_width(inputs.value_rows(), weights.value, "values", inputs.value.has_value());
  if (!ok) return ok;
  const int n_keys = inputs.key_rows().rows.rows;
  const int n_values = inputs.value_rows().rows.rows;
  if (n_keys == n_values) return {};
  return failure("'" + inputs.key_rows().name + "' gives " + std::to_string(n_keys) + " keys and '" +
                 inputs.value_rows().name + "' " + std::to_string(n_values) +
                 " values: each key needs one value, so both need the same number of rows");
}

AttentionShape shape_of(const AttentionWeights& weights, const ModuleInputs& inputs, int n_heads) {
  AttentionShape shape;
  shape.n_queries = inputs.query.rows.rows;
  shape.n_keys = inputs.key_rows().rows.rows;
  shape.n_heads = n_heads;
  shape.n_kv_heads = n_heads;
  shape.d_head = weights.query.n_out() / n_heads;
  shape.d_value = weights.value.n_out() / n_heads;
  shape.output_projection = weights.out.n_out() > 0;
  shape.d_model = shape.output_projection ? weights.out.n_out() : shape.concat_width();
  return shape;
}

/// In double precision, so that no size overflows.
double bytes_of(const AttentionShape& s) {
  const double maps = 4.0 * s.n_heads * s.n_queries * s.n_keys;
  const double projected = (s.d_head + s.d_value) * (static_cast<double>(s.n_queries) + s.n_keys) * s.n_heads;
  const double contributions = static_cast<double>(s.n_heads + 1) * s.n_queries * s.d_model;
  return sizeof(float) * (maps + projected + contributions);
}

Result<void> check_size(const AttentionShape& s, std::size_t max_bytes) {
  return check_kept(bytes_of(s), max_bytes,
                    std::to_string(s.n_queries) + " queries and " + std::to_string(s.n_keys) + " keys in " +
                        std::to_string(s.n_heads) + " heads",
                    "give fewer rows");
}

/// Checks the results, because even finite weights and inputs can be too large for the products.
Result<void> check_overflow(const AttentionBuffers& b) {
  const AttentionShape& s = b.shape;
  const bool scores = all_finite(b.scaled, static_cast<std::size_t>(s.n_heads) * s.map_floats());
  const bool result =
      all_finite(b.projected, static_cast<std::size_t>(s.n_queries) * static_cast<std::size_t>(s.d_model));
  if (scores && result) return {};
  return failure(std::string(scores ? "the projected output" : "the scaled scores") +
                 " would exceed the range of float32: the weights or the inputs are too large");
}

/// Lists a pass's tensors.
class TensorList {
 public:
  explicit TensorList(const ModulePass& pass) : pass_(pass), b_(pass.buffers), s_(pass.buffers.shape) {}

  std::vector<TensorView> all() {
    add(StageKind::layer_input, pass_.inputs.query.rows.view());
    for (int head = 0; head < s_.n_heads; ++head) add_head(head);
    if (pass_.weights.has_output())
      add_linear(StageKind::w_output, pass_.w_output, StageKind::b_output, pass_.weights.attention.out.bias,
                 pass_.weights.bias.output, 0, s_.d_model);
    add(StageKind::concat, {b_.concat, s_.n_queries, s_.concat_width(), s_.concat_width()});
    add(StageKind::projected, {b_.projected, s_.n_queries, s_.d_model, s_.d_model});
    return std::move(tensors_);
  }

 private:
  void add(StageKind kind, const MatrixView& values, int head = 0) {
    const AttentionKind attention = pass_.inputs.is_cross() ? AttentionKind::cross : AttentionKind::self;
    tensors_.push_back(tensor_of(normalized({kind, Stack::encoder, 0, attention, head}), values));
  }
  /// Adds one head's columns of a projection, and those of its bias if there is one.
  void add_linear(StageKind weight, const Matrix& weights, StageKind bias, const RowVector& biases,
                  bool has_bias, int head, int width) {
    const MatrixView all = view_of(weights);
    add(weight, all.block(0, head * width, all.rows, width), head);
    if (has_bias) add(bias, {biases.data() + first_column(head, width), 1, width, width}, head);
  }
  void add_head(int head) {
    const AttentionWeights& w = pass_.weights.attention;
    const Biases& bias = pass_.weights.bias;
    add_linear(StageKind::w_query, pass_.w_query, StageKind::b_query, w.query.bias, bias.query, head,
               s_.d_head);
    add_linear(StageKind::w_key, pass_.w_key, StageKind::b_key, w.key.bias, bias.key, head, s_.d_head);
    add_linear(StageKind::w_value, pass_.w_value, StageKind::b_value, w.value.bias, bias.value, head,
               s_.d_value);
    add(StageKind::query, columns(b_.query, s_.n_queries, head, s_.d_head), head);
    add(StageKind::key, columns(b_.key, s_.n_keys, head, s_.d_head), head);
    add(StageKind::value, columns(b_.value, s_.n_keys, head, s_.d_value), head);
    add(StageKind::raw, map(b_.raw, head), head);
    add(StageKind::scaled, map(b_.scaled, head), head);
    add(StageKind::masked, map(b_.masked, head), head);
    add(StageKind::weights, map(b_.weights, head), head);
    add(StageKind::output, columns(b_.concat, s_.n_queries, head, s_.d_value), head);
    if (!pass_.contributions.empty()) {
      add(StageKind::contribution, view_of(pass_.contributions[static_cast<std::size_t>(head)]), head);
    }
  }
  static std::ptrdiff_t first_column(int head, int width) {
    return static_cast<std::ptrdiff_t>(head) * width;
  }
  MatrixView columns(const float* all, int rows, int head, int width) const {
    return {all + first_column(head, width), rows, width, static_cast<std::ptrdiff_t>(s_.n_heads) * width};
  }
  MatrixView map(const float* maps, int head) const {
    return {maps + static_cast<std::size_t>(head) * s_.map_floats(), s_.n_queries, s_.n_keys, s_.n_keys};
  }

  const ModulePass& pass_;
  const AttentionBuffers& b_;
  const AttentionShape& s_;
  std::vector<TensorView> tensors_;
};

/// The names of tokens that are rows of numbers: their indices.
std::string numbered_tokens(int n) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) texts.push_back(std::to_string(i));
  return json_of(texts);
}

}  // namespace

Result<ModuleRows> read_module_rows(const std::filesystem::path& file) {
  auto array = read_npy(file);
  if (!array) return tl::unexpected(array.error());
  const auto refused = [&](const std::string& why) {
    return failure("the input '" + file.string() + "' cannot be used: " + why);
  };
  if (array->shape.size() != 2 || array->values.empty()) {
    return refused(
        "its shape is " + shape_text(array->shape) +
        ", but must be [T, D], one row per token; from a batch, save one sequence: numpy.save(file, x[0])");
  }
  if (array->type != "float32") {
    return refused("it holds " + std::string(array->type) +
                   ", but must be float32: numpy.save(file, x.astype(numpy.float32))");
  }
  if (!all_finite(array->values.data(), array->values.size())) {
    return refused("it holds NaN or ±∞, but every number must be finite");
  }
  ModuleRows rows;
  rows.name = file.string();
  rows.rows.rows = array->shape[0];
  rows.rows.cols = array->shape[1];
  rows.rows.values = std::move(array->values);
  return rows;
}

Result<void> check_heads(const ModuleWeights& weights, int n_heads) {
  const int keys = weights.attention.query.n_out();
  const int values = weights.attention.value.n_out();
  const int common = std::gcd(keys, values);
  if (n_heads >= 1 && common % n_heads == 0) return {};
  std::string divisors;
  for (int n = 1; n <= common; ++n) {
    if (common % n == 0) divisors += (divisors.empty() ? "" : ", ") + std::to_string(n);
  }
  return usage_error(
      "the number of heads must divide the width of queries and keys, " + std::to_string(keys) +
      (values == keys ? "" : ", and that of values, " + std::to_string(values)) + ": " + divisors);
}

Result<ModulePass> module_forward(ModuleWeights weights, ModuleInputs inputs, int n_heads,
                                  const AttentionOptions& options, std::size_t max_bytes) try {
  if (auto ok = check_heads(weights, n_heads); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_inputs(weights.attention, inputs); !ok) return tl::unexpected(ok.error());
  AttentionShape shape = shape_of(weights.attention, inputs, n_heads);
  if (auto ok = check_size(shape, max_bytes); !ok) return tl::unexpected(ok.error());
  const auto mask = combine(options.mask, options.mask_value,
                            {.n_queries = shape.n_queries, .n_keys = shape.n_keys, .n_heads = n_heads});
  if (!mask) return tl::unexpected(mask.error());
  shape.mask_changes_scores = !mask->visible.empty() || !mask->added.empty();

  ModulePass pass;
  pass.weights = std::move(weights);
  pass.inputs = std::move(inputs);
  const AttentionWeights& w = pass.weights.attention;
  pass.w_query = w.query.weight();
  pass.w_key = w.key.weight();
  pass.w_value = w.value.weight();
  pass.w_output = w.out.weight();
  Arena counter(nullptr);
  pass.buffers = AttentionBuffers(shape, counter);  // only counts
  pass.memory = AlignedBuffer(counter.used());
  Arena arena(pass.memory.data());
  pass.buffers = AttentionBuffers(shape, arena);
  const AttentionInputs views{pass.inputs.query.rows.view(), pass.inputs.key_rows().rows.view(),
                              pass.inputs.value_rows().rows.view()};
  const AttentionPlan plan{options, *mask, nullptr, std::nullopt};
  attention_forward(pass.weights.attention, views, plan, pass.buffers, shared_pool());
  if (auto ok = check_overflow(pass.buffers); !ok) return tl::unexpected(ok.error());
  for (int head = 0; head < n_heads && shape.output_projection; ++head) {
    const MatrixView output{pass.buffers.concat + static_cast<std::ptrdiff_t>(head) * shape.d_value,
                            shape.n_queries, shape.d_value, shape.concat_width()};
    const MatrixView projection = view_of(pass.w_output);
    pass.contributions.push_back(
        head_contribution(output, projection.block(head * shape.d_value, 0, shape.d_value, projection.cols)));
  }
  return pass;
} catch (const std::bad_alloc&) {
  return failure("not enough memory for this pass: give fewer rows, or close other programs");
}

std::vector<TensorView> tensors_of(const ModulePass& pass) {
  return TensorList(pass).all();
}

Result<void> write_module_trace(const ModulePass& pass, const std::filesystem::path& out,
                                const std::string& session_json) {
  TensorSet set{tensors_of(pass), {{"tokens", numbered_tokens(pass.buffers.shape.n_queries)}}, session_json};
  if (pass.inputs.is_cross()) set.tokens["source_tokens"] = numbered_tokens(pass.buffers.shape.n_keys);
  return write_tensors(set, out);
}

}  // namespace headscope
