#include "core/trace/given_stage.h"

#include <optional>

#include "core/text/number_text.h"

namespace headscope {
namespace {

using enum StageKind;

/// How to make an axis match the given numbers. Empty if only the numbers can be changed.
std::string cure_of_axis(const Architecture& a, Axis axis, int given) {
  if (is_token_axis(axis)) return "use a sentence of " + count_text(given, "token");
  const std::string setting(info(axis_in(a, axis)).setting);
  if (setting.empty() || (axis == Axis::per_head_key && a.kv_latent)) return {};
  return "set " + setting + " to " + std::to_string(given);
}

std::string numbers_text(int rows, int cols) {
  return count_text(rows, "row") + " of " + count_text(cols, "number");
}

std::string does_not_fit(const Architecture& a, const StageId& id, const Extent& size,
                         const GivenMatrix& matrix) {
  const OwnedMatrix& given = *matrix.numbers;
  const StageInfo& line = info(id.kind);
  std::string message = matrix.path + " needs " + numbers_text(size.rows, size.cols) + ", but " +
                        numbers_text(given.rows, given.cols) + (given.rows == 1 ? " is" : " are") +
                        " given: give as many as it needs";
  const std::string rows = given.rows == size.rows ? "" : cure_of_axis(a, line.rows, given.rows);
  const std::string cols = given.cols == size.cols ? "" : cure_of_axis(a, line.cols, given.cols);
  if (!rows.empty()) message += ", or " + rows;
  if (!cols.empty() && cols != rows) message += (rows.empty() ? ", or " : " and ") + cols;
  return message;
}

}  // namespace

bool can_be_given(StageKind kind) {
  return info(kind).is_parameter() || kind == input || kind == latent || kind == query || kind == key ||
         kind == value || kind == raw || kind == output_norm || kind == feed_forward_output_norm;
}

std::string why_not_given(const Graph& graph, const StageId& id) {
  if (!can_be_given(id.kind)) {
    return "only parameters, the input of a stack, the latent and output_norm of an attention, the query, key, value and raw of a head, and feed_forward.output_norm can be given; everything else is computed from them";
  }
  if (id.kind == w_logits && graph.architecture().output_layer == OutputLayer::tied)
    return "the final linear layer is the embedding table, transposed";
  return graph.why_absent(id);
}

Extent size_to_give(const AxisSizes& sizes, const StageId& id) {
  const StageInfo& line = info(id.kind);
  return {axis_length(sizes, id, line.rows), axis_length(sizes, id, line.cols)};
}

std::vector<std::string> paths_of_given(const Architecture& a, const std::string& path) {
  const bool is_of_both = a.has_per_stack_position_tables() && path == info(positions_table).name;
  if (!is_of_both) return {canonical_path(a, path)};
  return {headscope::path({.kind = stack_positions_table, .stack = Stack::encoder}),
          headscope::path({.kind = stack_positions_table, .stack = Stack::decoder})};
}

std::vector<std::string> assignable_paths(const Architecture& a, bool has_table) {
  std::vector<std::string> paths;
  const Graph graph(a, {}, has_table);
  for (const StageId& id : graph.stages())
    if (why_not_given(graph, id).empty()) paths.push_back(path(id));
  return paths;
}

Result<void> check_given(const GivenNumbers& given, const AxisSizes& sizes) {
  const Graph graph(sizes.architecture, {}, sizes.table_rows > 0);
  for (const GivenMatrix& each : given.all) {
    const std::optional<StageId> id = parse_path(each.path);
    const std::string why = id ? why_not_given(graph, *id) : "no parameter and no stage has this path";
    if (!why.empty()) return usage_error("numbers cannot be given for " + each.path + ": " + why);
    if (const std::string own = canonical_path(sizes.architecture, each.path); own != each.path)
      return usage_error(each.path + " is the same as " + own + ", which several heads share: give that one");
    const Extent size = size_to_give(sizes, *id);
    if (Extent{each.numbers->rows, each.numbers->cols} != size)
      return usage_error(does_not_fit(sizes.architecture, *id, size, each));
  }
  return {};
}

}  // namespace headscope
