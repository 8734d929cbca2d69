#include "core/engine/module_trace.h"

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "core/engine/export.h"
#include "core/engine/request.h"
#include "core/io/matrix_text.h"
#include "core/io/npy.h"
#include "core/model/stage.h"
#include "core/session/action.h"
#include "core/session/repair.h"
#include "core/split_text.h"
#include "core/system/read_file.h"
#include "core/tensor/floats.h"
#include "core/tensor/parallel.h"
#include "core/tensor/shape_text.h"
#include "core/text/number_text.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

/// Checks that rows are as wide as a projection requires. `own` says that they are given for this projection
/// alone.
void check_width(const ModuleRows& given, const Linear& projection, const std::string& whose, bool own) {
  if (given.rows.cols == projection.n_in()) return;
  const std::string needed = std::to_string(projection.n_in());
  refuse(failure("'" + given.name + "' is " + shape_text({given.rows.rows, given.rows.cols}) +
                 ", but this module computes its " + whose + " from rows of " + needed + ": " +
                 (own ? "it must be [" + std::to_string(given.rows.rows) + ", " + needed + "]"
                      : "give " + whose + " their own input, [S, " + needed + "]")));
}

void check_inputs(const AttentionWeights& weights, const ModuleInputs& inputs) {
  check_width(inputs.query, weights.query, "queries", true);
  check_width(inputs.key_rows(), weights.key, "keys", inputs.key.has_value());
  check_width(inputs.value_rows(), weights.value, "values", inputs.value.has_value());
  const int n_keys = inputs.key_rows().rows.rows;
  const int n_values = inputs.value_rows().rows.rows;
  if (n_keys != n_values)
    refuse(failure("'" + inputs.key_rows().name + "' gives " + std::to_string(n_keys) + " keys and '" +
                   inputs.value_rows().name + "' " + std::to_string(n_values) +
                   " values: each key needs one value, so both need the same number of rows"));
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
void check_overflow(const AttentionBuffers& b) {
  const AttentionShape& s = b.shape;
  const bool scores = all_finite(b.scaled, static_cast<std::size_t>(s.n_heads) * s.map_floats());
  const bool result =
      all_finite(b.projected, static_cast<std::size_t>(s.n_queries) * static_cast<std::size_t>(s.d_model));
  if (!scores || !result)
    refuse(failure(std::string(scores ? "the projected output" : "the scaled scores") +
                   " would exceed the range of float32: the weights or the inputs are too large"));
}

/// The names of tokens that are rows of numbers: their indices.
std::string numbered_tokens(int n) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) texts.push_back(std::to_string(i));
  return json_of(texts);
}

std::string shape_of(const ModuleRows& given) {
  const int n_rows = given.rows_of_head();
  const std::string shape = given.n_heads == 1 ? shape_text({n_rows, given.rows.cols})
                                               : shape_text({given.n_heads, n_rows, given.rows.cols});
  return "'" + given.name + "' " + shape;
}

/// Moves the numbers of an array into the rows, of which several heads may be stacked.
ModuleRows rows_of(const std::filesystem::path& file, NpyArray array, int n_heads) {
  ModuleRows given{file.string(), {}, n_heads};
  given.rows.rows = n_heads * array.shape[array.shape.size() - 2];
  given.rows.cols = array.shape.back();
  given.rows.values = std::move(array.values);
  return given;
}

ModuleRows rows_from_npy(const std::filesystem::path& file) {
  NpyArray array = read_npy(file).value();
  const std::size_t n_axes = array.shape.size();
  if (array.values.empty()) refuse(failure("'" + file.string() + "' holds no numbers"));
  if (n_axes < 2 || n_axes > 3)
    refuse(failure(
        "'" + file.string() + "' cannot be used: its shape is " + shape_text(array.shape) +
        ", but must be [T, K], one head, or [H, T, K]; from a batch, save one sequence: numpy.save(file, q[0])"));
  const int n_heads = n_axes == 3 ? array.shape[0] : 1;
  return rows_of(file, std::move(array), n_heads);
}

ModuleRows rows_from_text(const std::filesystem::path& file) {
  const std::string text = read_file(file).value();
  return {file.string(),
          result_of("'" + file.string() + "': ", [&] { return parse_matrix(text).value(); }).value()};
}

OwnedMatrix of_head(const ModuleRows& given, int head) {
  const int n = given.rows_of_head();
  return OwnedMatrix(given.rows.view().block(head * n, 0, n, given.rows.cols));
}

void check_core(const ModuleRows& q, const ModuleRows& k, const ModuleRows& v) {
  if (q.rows.cols != k.rows.cols) {
    refuse(usage_error("queries and keys must have the same width, as each score is their product: " +
                       shape_of(q) + ", " + shape_of(k)));
  }
  if (k.rows_of_head() != v.rows_of_head()) {
    refuse(usage_error("each key needs one value, so both need the same number of rows: " + shape_of(k) +
                       ", " + shape_of(v)));
  }
  if (k.n_heads != v.n_heads)
    refuse(usage_error("keys and values must have as many heads: " + shape_of(k) + ", " + shape_of(v)));
  if (q.n_heads % k.n_heads != 0) {
    refuse(usage_error(
        "the heads of the keys must divide those of the queries, which share them in groups: " + shape_of(q) +
        ", " + shape_of(k)));
  }
  constexpr double max_scores = 1 << 28;  // For example, 16,384 queries and keys in one head.
  const double scores = static_cast<double>(q.rows.rows) * k.rows_of_head();
  if (scores > max_scores) {
    refuse(usage_error("there would be " + grouped(static_cast<long long>(scores)) + " scores, more than " +
                       grouped(static_cast<long long>(max_scores)) + ": give fewer rows: " + shape_of(q) +
                       ", " + shape_of(k)));
  }
}

/// An architecture of one attention and nothing else, with scores scaled and capped as in `base`.
Architecture bare(const Architecture& base, Stacks stacks) {
  Architecture a;
  a.stacks = stacks;
  a.seed = base.seed;
  a.init = base.init;
  a.bias = {false, false, false, false};
  a.positions = Positions::none;
  a.score_scale = base.score_scale;
  a.softcap = base.softcap;
  a.linear_attention = base.linear_attention;
  return a;
}

/// A text that numbers the rows. If there are two texts, a letter precedes each number.
std::string numbered_text(const char* letter, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += (i == 0 ? "" : " ") + (letter + std::to_string(i));
  return text;
}

void fit_text(const Session& session, const char* letter, int n, std::string& text) {
  if (static_cast<int>(tokenize(text, session.tokenizer).size()) != n) text = numbered_text(letter, n);
}

/// The session with another model, and with texts of this many tokens. With 0, the texts are kept.
Session with_model_and_texts(Session session, const Architecture& architecture, int n_queries, int n_keys) {
  session.model = nullptr;
  session.task.clear();
  session.interventions = {};
  session.given = {};
  session = with_architecture(session, architecture);
  const bool has_two = architecture.has_cross();
  std::string& asking = has_two ? session.target : session.sentence;
  session.batch.clear();
  session.sequence = 0;
  if (n_queries > 0) fit_text(session, has_two ? "q" : "", n_queries, asking);
  if (has_two && n_keys > 0) fit_text(session, "k", n_keys, session.sentence);
  session.texts = {};
  session.selection = {};
  session.selection.stack = architecture.last_stack();
  session.selection.attention = has_two ? AttentionKind::cross : AttentionKind::self;
  return session;
}

void give(Session& session, const StageId& id, OwnedMatrix numbers) {
  session.given = with_given(std::move(session.given),
                             {path(normalized(id)), std::make_shared<const OwnedMatrix>(std::move(numbers))});
}

/// The same for a stage of the only attention of a session.
void give(Session& session, StageKind kind, OwnedMatrix numbers, int head = 0) {
  const Architecture& a = session.architecture;
  const AttentionKind attention = a.has_cross() ? AttentionKind::cross : AttentionKind::self;
  give(session, {kind, a.last_stack(), 0, attention, head}, std::move(numbers));
}

/// Sets the columns of each head in a projection and in its bias.
void give_projection(Session& session, const Linear& linear, bool has_bias, StageKind weight, StageKind bias,
                     int n_heads) {
  const int width = linear.n_out() / n_heads;
  const Matrix weight_of_all = linear.weight();
  const MatrixView all = view_of(weight_of_all);
  for (int head = 0; head < n_heads; ++head) {
    give(session, weight, OwnedMatrix(all.block(0, head * width, all.rows, width)), head);
    const float* first = linear.bias.data() + static_cast<std::ptrdiff_t>(head) * width;
    if (has_bias) give(session, bias, OwnedMatrix(MatrixView{first, 1, width, width}), head);
  }
}

/// Checks that a model of one width can represent the module.
void check_module(const ModuleWeights& weights, const std::optional<ModuleInputs>& inputs) {
  const AttentionWeights& w = weights.attention;
  const int width = w.query.n_in();
  const std::string only_trace = ": only headscope trace --weights computes this";
  if (w.key.n_in() != width || w.value.n_in() != width) {
    refuse(failure("the module makes queries from rows of " + std::to_string(width) + ", keys from rows of " +
                   std::to_string(w.key.n_in()) + " and values from rows of " +
                   std::to_string(w.value.n_in()) + ", but a model has one d_model" + only_trace));
  }
  if (weights.has_output() && w.out.n_out() != width) {
    refuse(failure("the module's output is " + std::to_string(w.out.n_out()) + " wide and its input " +
                   std::to_string(width) + ", but a model has one d_model" + only_trace));
  }
  if (!inputs) return;
  if (inputs->value)
    refuse(failure(
        "the values have an input of their own, but a model makes keys and values from the same rows" +
        only_trace));
  for (const ModuleRows* rows : {&inputs->query, &inputs->key_rows()}) {
    if (rows->rows.cols == width) continue;
    refuse(failure("'" + rows->name + "' is " + shape_text({rows->rows.rows, rows->rows.cols}) +
                   ", but this module takes rows of " + std::to_string(width) + ": it must be [" +
                   std::to_string(rows->rows.rows) + ", " + std::to_string(width) + "]"));
  }
}

Session checked(const Session& session) {
  ensure(validate(session.architecture));
  return repaired(session, default_session());
}

}  // namespace

Result<ModuleRows> read_module_rows(const std::filesystem::path& file) {
  auto array = read_npy(file);
  if (!array) return tl::unexpected(array.error());
  return result_of("the input '" + file.string() + "' cannot be used: ", [&] {
    if (array->shape.size() != 2 || array->values.empty())
      refuse(failure(
          "its shape is " + shape_text(array->shape) +
          ", but must be [T, D], one row per token; from a batch, save one sequence: numpy.save(file, x[0])"));
    if (array->type != "float32")
      refuse(failure("it holds " + std::string(array->type) +
                     ", but must be float32: numpy.save(file, x.astype(numpy.float32))"));
    if (!all_finite(array->values.data(), array->values.size()))
      refuse(failure("it holds NaN or ±∞, but every number must be finite"));
    return rows_of(file, std::move(*array), 1);
  });
}

Result<void> check_heads(const ModuleWeights& weights, int n_heads) {
  const int keys = weights.attention.query.n_out();
  const int values = weights.attention.value.n_out();
  const int common = std::gcd(keys, values);
  if (n_heads >= 1 && common % n_heads == 0) return {};
  std::vector<std::string> divisors;
  for (int n = 1; n <= common; ++n)
    if (common % n == 0) divisors.push_back(std::to_string(n));
  return usage_error("the number of heads must divide the width of queries and keys, " +
                     std::to_string(keys) +
                     (values == keys ? "" : ", and that of values, " + std::to_string(values)) + ": " +
                     join_texts(divisors, ", "));
}

Result<ModulePass> module_forward(ModuleWeights weights, ModuleInputs inputs, int n_heads,
                                  const AttentionOptions& options, std::size_t max_bytes) try {
  return result_of([&] {
    ensure(check_heads(weights, n_heads));
    check_inputs(weights.attention, inputs);
    AttentionShape shape = shape_of(weights.attention, inputs, n_heads);
    ensure(check_size(shape, max_bytes));
    const CombinedMask mask =
        combine(options.mask, options.mask_value,
                {.n_queries = shape.n_queries, .n_keys = shape.n_keys, .n_heads = n_heads})
            .value();
    shape.mask_changes_scores = !mask.visible.empty() || !mask.added.empty();

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
    const AttentionPlan plan{options, mask, nullptr, std::nullopt};
    attention_forward(pass.weights.attention, views, plan, pass.buffers, shared_pool());
    check_overflow(pass.buffers);
    for (int head = 0; head < n_heads && shape.output_projection; ++head) {
      const MatrixView output{pass.buffers.concat + static_cast<std::ptrdiff_t>(head) * shape.d_value,
                              shape.n_queries, shape.d_value, shape.concat_width()};
      const MatrixView projection = view_of(pass.w_output);
      pass.contributions.push_back(head_contribution(
          output, projection.block(head * shape.d_value, 0, shape.d_value, projection.cols)));
    }
    return pass;
  });
} catch (const std::bad_alloc&) {
  return failure("not enough memory for this pass: give fewer rows, or close other programs");
}

std::vector<TensorView> tensors_of(const ModulePass& pass) {
  const AttentionBuffers& b = pass.buffers;
  const AttentionShape& s = b.shape;
  const AttentionWeights& w = pass.weights.attention;
  const Biases& has = pass.weights.bias;
  const AttentionKind attention = pass.inputs.is_cross() ? AttentionKind::cross : AttentionKind::self;
  std::vector<TensorView> tensors;
  const auto add = [&](StageKind kind, const MatrixView& values, int head = 0) {
    tensors.push_back(tensor_of(normalized({kind, Stack::encoder, 0, attention, head}), values));
  };
  // A head's columns of a matrix, or its map.
  const auto add_columns = [&](StageKind kind, const float* all, int rows, int head, int width) {
    add(kind, {all + std::ptrdiff_t{head} * width, rows, width, std::ptrdiff_t{s.n_heads} * width}, head);
  };
  const auto add_map = [&](StageKind kind, const float* maps, int head) {
    add(kind, {maps + static_cast<std::size_t>(head) * s.map_floats(), s.n_queries, s.n_keys, s.n_keys},
        head);
  };
  const auto add_linear = [&](StageKind weight, const Matrix& weights, StageKind bias, const Linear& linear,
                              bool has_bias, int head, int width) {
    const MatrixView all = view_of(weights);
    add(weight, all.block(0, head * width, all.rows, width), head);
    if (has_bias) add(bias, {linear.bias.data() + std::ptrdiff_t{head} * width, 1, width, width}, head);
  };
  add(StageKind::layer_input, pass.inputs.query.rows.view());
  for (int head = 0; head < s.n_heads; ++head) {
    add_linear(StageKind::w_query, pass.w_query, StageKind::b_query, w.query, has.query, head, s.d_head);
    add_linear(StageKind::w_key, pass.w_key, StageKind::b_key, w.key, has.key, head, s.d_head);
    add_linear(StageKind::w_value, pass.w_value, StageKind::b_value, w.value, has.value, head, s.d_value);
    add_columns(StageKind::query, b.query, s.n_queries, head, s.d_head);
    add_columns(StageKind::key, b.key, s.n_keys, head, s.d_head);
    add_columns(StageKind::value, b.value, s.n_keys, head, s.d_value);
    add_map(StageKind::raw, b.raw, head);
    add_map(StageKind::scaled, b.scaled, head);
    add_map(StageKind::masked, b.masked, head);
    add_map(StageKind::weights, b.weights, head);
    add_columns(StageKind::output, b.concat, s.n_queries, head, s.d_value);
    if (!pass.contributions.empty())
      add(StageKind::contribution, view_of(pass.contributions[static_cast<std::size_t>(head)]), head);
  }
  if (pass.weights.has_output())
    add_linear(StageKind::w_output, pass.w_output, StageKind::b_output, w.out, has.output, 0, s.d_model);
  add(StageKind::concat, {b.concat, s.n_queries, s.concat_width(), s.concat_width()});
  add(StageKind::projected, {b.projected, s.n_queries, s.d_model, s.d_model});
  return tensors;
}

Result<void> write_module_trace(const ModulePass& pass, const std::filesystem::path& out,
                                const std::string& session_json) {
  TensorSet set{tensors_of(pass), {{"tokens", numbered_tokens(pass.buffers.shape.n_queries)}}, session_json};
  if (pass.inputs.is_cross()) set.tokens["source_tokens"] = numbered_tokens(pass.buffers.shape.n_keys);
  return write_tensors(set, out);
}

Result<ModuleRows> read_head_rows(const std::filesystem::path& file) {
  return result_of([&] {
    ModuleRows given = file.extension() == ".npy" ? rows_from_npy(file) : rows_from_text(file);
    if (!all_finite(given.rows.values.data(), given.rows.values.size()))
      refuse(failure("'" + file.string() + "' holds NaN or ±∞, but every number must be finite"));
    return given;
  });
}

Result<Session> with_core(Session base, const ModuleInputs& core) {
  return result_of([&] {
    const ModuleRows& query = core.query;
    const ModuleRows& key = core.key_rows();
    const ModuleRows& value = core.value_rows();
    check_core(query, key, value);
    const int n_queries = query.rows_of_head(), n_keys = key.rows_of_head();
    const bool attends_to_itself = n_queries == n_keys && base.attention.query_offset == 0;
    Architecture a = bare(base.architecture, attends_to_itself ? Stacks::encoder : Stacks::cross);
    a.n_heads = query.n_heads;
    if (key.n_heads != query.n_heads) a.n_kv_heads = key.n_heads;
    a.d_head = query.rows.cols;
    a.d_value = value.rows.cols;
    a.output_projection = false;
    a.d_model = std::min(a.concat_width(no_layer), ArchitectureLimits::max_d_model);
    Session session = with_model_and_texts(std::move(base), a, n_queries, n_keys);
    for (int head = 0; head < query.n_heads; ++head)
      give(session, StageKind::query, of_head(query, head), head);
    for (int head = 0; head < key.n_heads; ++head) {
      const int first = head * a.group_size(no_layer);
      give(session, StageKind::key, of_head(key, head), first);
      give(session, StageKind::value, of_head(value, head), first);
    }
    return checked(std::move(session));
  });
}

Result<Session> with_module(Session base, const ModuleWeights& weights,
                            const std::optional<ModuleInputs>& inputs, int n_heads) {
  return result_of([&] {
    ensure(check_heads(weights, n_heads));
    check_module(weights, inputs);
    const AttentionWeights& w = weights.attention;
    const bool is_cross = inputs && inputs->is_cross();
    Architecture a = bare(base.architecture, is_cross ? Stacks::cross : Stacks::encoder);
    a.d_model = w.query.n_in();
    a.n_heads = n_heads;
    a.d_head = w.query.n_out() / n_heads;
    a.d_value = w.value.n_out() / n_heads;
    a.bias = weights.bias;
    a.output_projection = weights.has_output();
    const int n_queries = inputs ? inputs->query.rows.rows : 0;
    Session session =
        with_model_and_texts(std::move(base), a, n_queries, is_cross ? inputs->key->rows.rows : 0);
    give_projection(session, w.query, a.bias.query, StageKind::w_query, StageKind::b_query, n_heads);
    give_projection(session, w.key, a.bias.key, StageKind::w_key, StageKind::b_key, n_heads);
    give_projection(session, w.value, a.bias.value, StageKind::w_value, StageKind::b_value, n_heads);
    if (weights.has_output()) {
      const Matrix output = w.out.weight();
      give(session, StageKind::w_output, OwnedMatrix(view_of(output)));
      const auto width = static_cast<int>(w.out.bias.size());
      if (a.bias.output)
        give(session, StageKind::b_output, OwnedMatrix(MatrixView{w.out.bias.data(), 1, width, width}));
    }
    if (inputs) {
      give(session, {StageKind::input, a.last_stack()}, inputs->query.rows);
      if (is_cross) give(session, {StageKind::input, Stack::encoder}, inputs->key->rows);
    }
    return checked(std::move(session));
  });
}

}  // namespace headscope
