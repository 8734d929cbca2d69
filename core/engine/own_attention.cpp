#include "core/engine/own_attention.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/io/matrix_text.h"
#include "core/io/npy.h"
#include "core/session/action.h"
#include "core/session/repair.h"
#include "core/system/read_file.h"
#include "core/tensor/shape_text.h"
#include "core/text/number_text.h"
#include "core/text/tokenizer.h"
#include "core/trace/stage.h"

namespace headscope {
namespace {

std::string shape_of(const HeadRows& rows) {
  const std::string shape = rows.n_heads == 1 ? shape_text({rows.n_rows, rows.width})
                                              : shape_text({rows.n_heads, rows.n_rows, rows.width});
  return "'" + rows.name + "' " + shape;
}

Result<HeadRows> rows_from_npy(const std::filesystem::path& file) {
  auto array = read_npy(file);
  if (!array) return tl::unexpected(array.error());
  const std::size_t n_axes = array->shape.size();
  if (array->values.empty()) return failure("'" + file.string() + "' holds no numbers");
  if (n_axes < 2 || n_axes > 3) {
    return failure(
        "'" + file.string() + "' cannot be used: its shape is " + shape_text(array->shape) +
        ", but must be [T, K], one head, or [H, T, K]; from a batch, save one sequence: numpy.save(file, q[0])");
  }
  HeadRows rows;
  rows.n_heads = n_axes == 3 ? array->shape[0] : 1;
  rows.n_rows = array->shape[n_axes - 2];
  rows.width = array->shape[n_axes - 1];
  rows.numbers = std::move(array->values);
  return rows;
}

Result<HeadRows> rows_from_text(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  auto matrix = parse_matrix(*text);
  if (!matrix) return failure("'" + file.string() + "': " + matrix.error().message);
  HeadRows rows;
  rows.n_heads = 1;
  rows.n_rows = matrix->rows;
  rows.width = matrix->cols;
  rows.numbers = std::move(matrix->values);
  return rows;
}

OwnedMatrix of_head(const HeadRows& rows, int head) {
  OwnedMatrix matrix(rows.n_rows, rows.width);
  const auto size = static_cast<std::ptrdiff_t>(matrix.values.size());
  std::copy_n(rows.numbers.begin() + head * size, size, matrix.values.begin());
  return matrix;
}

Result<void> check_core(const AttentionCore& core) {
  const HeadRows& q = core.query;
  const HeadRows& k = core.key;
  const HeadRows& v = core.value;
  if (q.width != k.width) {
    return usage_error("queries and keys must have the same width, as each score is their product: " +
                       shape_of(q) + ", " + shape_of(k));
  }
  if (k.n_rows != v.n_rows) {
    return usage_error("each key needs one value, so both need the same number of rows: " + shape_of(k) +
                       ", " + shape_of(v));
  }
  if (k.n_heads != v.n_heads)
    return usage_error("keys and values must have as many heads: " + shape_of(k) + ", " + shape_of(v));
  if (q.n_heads % k.n_heads != 0) {
    return usage_error(
        "the heads of the keys must divide those of the queries, which share them in groups: " + shape_of(q) +
        ", " + shape_of(k));
  }
  constexpr double max_scores = 1 << 28;  // For example, 16,384 queries and keys in one head.
  const double scores = static_cast<double>(q.n_rows) * k.n_rows * q.n_heads;
  if (scores > max_scores) {
    return usage_error("there would be " + grouped(static_cast<long long>(scores)) + " scores, more than " +
                       grouped(static_cast<long long>(max_scores)) + ": give fewer rows: " + shape_of(q) +
                       ", " + shape_of(k));
  }
  return {};
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

/// Sets given numbers of stages in the only attention of a session.
class Giver {
 public:
  explicit Giver(Session& session) : session_(session) {}

  void operator()(StageKind kind, OwnedMatrix numbers, int head = 0) {
    const Architecture& a = session_.architecture;
    (*this)({kind, a.last_stack(), 0, a.has_cross() ? AttentionKind::cross : AttentionKind::self, head},
            std::move(numbers));
  }
  void operator()(const StageId& id, OwnedMatrix numbers) {
    session_.given.all.push_back(
        {path(normalized(id)), std::make_shared<const OwnedMatrix>(std::move(numbers))});
  }
  void done() { std::ranges::sort(session_.given.all, {}, &GivenMatrix::path); }

 private:
  Session& session_;
};

OwnedMatrix copied(const MatrixView& view) {
  OwnedMatrix matrix(view.rows, view.cols);
  for (int row = 0; row < view.rows; ++row)
    std::ranges::copy(view.row(row), matrix.values.begin() + static_cast<std::ptrdiff_t>(row) * view.cols);
  return matrix;
}

/// Sets the columns of each head in a projection and in its bias.
void give_projection(Giver& give, const Linear& linear, bool has_bias, StageKind weight, StageKind bias,
                     int n_heads) {
  const int width = linear.n_out() / n_heads;
  const Matrix weight_of_all = linear.weight();
  const MatrixView all = view_of(weight_of_all);
  for (int head = 0; head < n_heads; ++head) {
    give(weight, copied(all.block(0, head * width, all.rows, width)), head);
    const float* first = linear.bias.data() + static_cast<std::ptrdiff_t>(head) * width;
    if (has_bias) give(bias, copied({first, 1, width, width}), head);
  }
}

/// Checks that a model of one width can represent the module.
Result<void> check_module(const ModuleWeights& weights, const std::optional<ModuleInputs>& inputs) {
  const AttentionWeights& w = weights.attention;
  const int width = w.query.n_in();
  const std::string only_trace = ": only headscope trace --weights computes this";
  if (w.key.n_in() != width || w.value.n_in() != width) {
    return failure("the module makes queries from rows of " + std::to_string(width) + ", keys from rows of " +
                   std::to_string(w.key.n_in()) + " and values from rows of " +
                   std::to_string(w.value.n_in()) + ", but a model has one d_model" + only_trace);
  }
  if (weights.has_output() && w.out.n_out() != width) {
    return failure("the module's output is " + std::to_string(w.out.n_out()) + " wide and its input " +
                   std::to_string(width) + ", but a model has one d_model" + only_trace);
  }
  if (!inputs) return {};
  if (inputs->value)
    return failure(
        "the values have an input of their own, but a model makes keys and values from the same rows" +
        only_trace);
  for (const ModuleRows* rows : {&inputs->query, &inputs->key_rows()}) {
    if (rows->rows.cols == width) continue;
    return failure("'" + rows->name + "' is " + shape_text({rows->rows.rows, rows->rows.cols}) +
                   ", but this module takes rows of " + std::to_string(width) + ": it must be [" +
                   std::to_string(rows->rows.rows) + ", " + std::to_string(width) + "]");
  }
  return {};
}

Result<Session> checked(const Session& session) {
  if (auto ok = validate(session.architecture); !ok) return tl::unexpected(ok.error());
  return repaired(session, default_session());
}

}  // namespace

Result<HeadRows> read_head_rows(const std::filesystem::path& file) {
  auto rows = file.extension() == ".npy" ? rows_from_npy(file) : rows_from_text(file);
  if (!rows) return rows;
  rows->name = file.string();
  if (std::ranges::all_of(rows->numbers, [](float v) { return std::isfinite(v); })) return rows;
  return failure("'" + file.string() + "' holds NaN or ±∞, but every number must be finite");
}

Result<Session> with_core(Session base, const AttentionCore& core) {
  if (auto ok = check_core(core); !ok) return tl::unexpected(ok.error());
  const bool attends_to_itself = core.query.n_rows == core.key.n_rows && base.attention.query_offset == 0;
  Architecture a = bare(base.architecture, attends_to_itself ? Stacks::encoder : Stacks::cross);
  a.n_heads = core.query.n_heads;
  if (core.key.n_heads != core.query.n_heads) a.n_kv_heads = core.key.n_heads;
  a.d_head = core.query.width;
  a.d_value = core.value.width;
  a.output_projection = false;
  a.d_model = std::min(a.concat_width(), ArchitectureLimits::max_d_model);
  Session session = with_model_and_texts(std::move(base), a, core.query.n_rows, core.key.n_rows);
  Giver give(session);
  for (int head = 0; head < core.query.n_heads; ++head)
    give(StageKind::query, of_head(core.query, head), head);
  for (int head = 0; head < core.key.n_heads; ++head) {
    const int first = head * a.group_size();
    give(StageKind::key, of_head(core.key, head), first);
    give(StageKind::value, of_head(core.value, head), first);
  }
  give.done();
  return checked(std::move(session));
}

Result<Session> with_module(Session base, const ModuleWeights& weights,
                            const std::optional<ModuleInputs>& inputs, int n_heads) {
  if (auto ok = check_heads(weights, n_heads); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_module(weights, inputs); !ok) return tl::unexpected(ok.error());
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
  Giver give(session);
  give_projection(give, w.query, a.bias.query, StageKind::w_query, StageKind::b_query, n_heads);
  give_projection(give, w.key, a.bias.key, StageKind::w_key, StageKind::b_key, n_heads);
  give_projection(give, w.value, a.bias.value, StageKind::w_value, StageKind::b_value, n_heads);
  if (weights.has_output()) {
    const Matrix output = w.out.weight();
    give(StageKind::w_output, copied(view_of(output)));
    const auto width = static_cast<int>(w.out.bias.size());
    if (a.bias.output) give(StageKind::b_output, copied({w.out.bias.data(), 1, width, width}));
  }
  if (inputs) {
    give({StageKind::input, a.last_stack()}, inputs->query.rows);
    if (is_cross) give({StageKind::input, Stack::encoder}, inputs->key->rows);
  }
  give.done();
  return checked(std::move(session));
}

}  // namespace headscope
