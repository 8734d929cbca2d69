#include "core/engine/lens_tensor.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/engine/tensor_folder.h"
#include "core/tensor/view.h"
#include "core/trace/number_source.h"

namespace headscope {
namespace {

/// The stages of all heads. Heads that share keys and values have those once.
std::vector<StageId> of_all_heads(const Trace& trace, const StageId& first) {
  const Architecture& a = trace.architecture();
  std::vector<StageId> heads;
  for (int head = 0; head < a.n_heads; ++head) {
    StageId id = first;
    id.head = head;
    if (canonical(a, id) == id) heads.push_back(id);
  }
  return heads;
}

/// The maps of all heads, one after the other.
NumberStream one_by_one(const Trace& trace, std::vector<StageId> heads) {
  return [&trace, heads = std::move(heads)](const PutRows& put) -> Result<void> {
    for (const StageId& head : heads) {
      if (auto ok = stream_of(trace, head)(put); !ok) return ok;
    }
    return {};
  };
}

/// The rows of all heads for the first token, then for the second, and so on.
NumberStream token_by_token(const Trace& trace, std::vector<StageId> heads) {
  return [&trace, heads = std::move(heads)](const PutRows& put) -> Result<void> {
    const Extent size = trace.extent(heads.front());
    const auto n_heads = static_cast<int>(heads.size());
    const int at_once = rows_at_once({size.rows, size.cols * n_heads});
    for (int first = 0; first < size.rows; first += at_once) {
      const int n = std::min(at_once, size.rows - first);
      OwnedMatrix rows(n * n_heads, size.cols);
      for (int head = 0; head < n_heads; ++head) {
        const StageNumbers numbers =
            trace.read(heads[static_cast<std::size_t>(head)], {first, 0, n, size.cols});
        for (int row = 0; row < n; ++row)
          std::ranges::copy(numbers.view.row(row), &rows.at(row * n_heads + head, 0));
      }
      if (auto ok = put(rows.view()); !ok) return ok;
    }
    return {};
  };
}

}  // namespace

TensorView lens_tensor(const Trace& trace, const LensTensor& tensor) {
  const Extent size = trace.extent(tensor.stage);
  const auto rows = static_cast<std::size_t>(size.rows);
  const auto cols = static_cast<std::size_t>(size.cols);
  if (tensor.heads == LensHeads::none) return {tensor.name, {rows, cols}, {}, stream_of(trace, tensor.stage)};
  std::vector<StageId> heads = of_all_heads(trace, tensor.stage);
  const std::size_t n_heads = heads.size();
  if (tensor.heads == LensHeads::first)
    return {tensor.name, {n_heads, rows, cols}, {}, one_by_one(trace, std::move(heads))};
  return {tensor.name, {rows, n_heads, cols}, {}, token_by_token(trace, std::move(heads))};
}

}  // namespace headscope
