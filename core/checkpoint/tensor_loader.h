#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "core/checkpoint/family.h"
#include "core/model/model_parts.h"
#include "core/tensor/huge_pages.h"

namespace headscope {

/// What stands before the names of a family's tensors in these files.
std::string_view prefix_of(const Family& family, const CheckpointFiles& files);

/// The rows of a tensor that are a part's: row r of the part is row first + r / block · step + r % block.
/// With `paired`, the width of a head, row i of a head is its row 2i, and its row i + paired / 2 is 2i + 1.
struct RowsOfPart {
  std::size_t first = 0, block = 0, step = 0, total = 0;
  std::size_t paired = 0;

  bool is_one_block(std::size_t n) const { return block >= n; }
  std::size_t row(std::size_t r) const {
    if (paired == 0) return first + r / block * step + r % block;
    const std::size_t in_head = r % paired;
    return r - in_head + in_head % (paired / 2) * 2 + in_head / (paired / 2);
  }
};

/// A matrix that a tensor's rows go through before they are a part's.
struct RowsThrough {
  const TensorSource* tensor = nullptr;
  bool is_way_out = false;  ///< of a final linear layer: what it reads goes through the matrix first
  PackedMatrix packed;
};

/// A part's tensor and how its numbers lie in it.
struct TensorPlace {
  const TensorSource* tensor = nullptr;  ///< null: all numbers are `plus`
  const TensorRule* rule = nullptr;
  RowsOfPart selection;
  bool is_vector = false;
  float plus = 0.0F;
  std::shared_ptr<RowsThrough> through;  ///< null: they go through none
};

/// Finds the parts of a model in the files of a family and fills them: a visitor of visit_parts(). Sizes are
/// compared first; nothing is read before run(), which is for when all of them fit.
class TensorLoader {
 public:
  TensorLoader(const Family& family, const CheckpointFiles& files, const ParameterLayout& layout);

  // What PartVisitor calls.
  template <class Table>
  void table(std::ptrdiff_t first, int rows, int cols, Table& part) {
    const bool is_vector = rows == 1 && std::is_same_v<Table, RowVector>;
    const auto place = placed(first, is_vector ? cols : rows, is_vector ? 0 : cols);
    if (!place) return;
    part.resize(rows, cols);
    ask_for_huge_pages(part.data(), static_cast<std::size_t>(part.size()) * sizeof(float));
    plan_table(*place, part.data(), rows, cols);
  }
  void linear(const LinearSlot& slot, Linear& part);

  /// An error that names the first tensor that nothing is made of.
  void check_left_over();
  /// The first thing that does not fit; empty where everything does.
  const std::string& error() const { return error_; }
  /// Something that takes time beside the filling of parts.
  void add(std::function<void()> task) { tasks_.insert(tasks_.begin(), std::move(task)); }
  void run(TaskPool& pool);
  std::vector<std::string> unused() const { return unused_; }
  std::vector<std::string> not_finite() const { return {not_finite_.begin(), not_finite_.end()}; }

 private:
  void fail(const std::string& why) {
    if (error_.empty()) error_ = why;
  }
  const TensorSource* find(const std::string& name) const;
  std::string tensor_name(std::string_view name, const std::string& layer) const;
  std::optional<TensorPlace> placed(std::ptrdiff_t first, int n_out, int n_in);
  std::vector<std::size_t> expected_shape(const TensorPlace& place, std::size_t n_out,
                                          std::size_t n_in) const;
  void check(const TensorSource& tensor, const std::vector<std::size_t>& expected);
  TensorPlace fitting(const TensorRule& rule, const TensorSource* tensor, const TensorSource* through,
                      std::size_t n_out, std::size_t n_in);
  void plan_table(const TensorPlace& place, float* to, int rows, int cols);
  void note(const TensorSource& tensor, const float* numbers, std::size_t n);
  const float* rows(const TensorPlace& place, std::size_t first, std::size_t n, std::size_t width,
                    std::vector<float>& made);
  void fill_vector(const TensorPlace& place, float* to, std::size_t n);
  void fill_table(const TensorPlace& place, float* to, int first, int n, int cols);
  void fill_rows_of_heads(const TensorPlace& place, float* to, int rows, int cols);
  void fill_panels(const TensorPlace& place, Linear& part, int first, int n);
  void fill_columns(const TensorPlace& place, Linear& part);
  void fill_columns_by_heads(const TensorPlace& place, Linear& part);

  const Family& family_;
  const CheckpointFiles& files_;
  const ParameterLayout& layout_;
  std::string prefix_;
  std::unordered_map<std::ptrdiff_t, std::string> paths_;
  std::set<const TensorSource*> used_;
  std::vector<std::shared_ptr<RowsThrough>> through_;
  std::vector<std::function<void()>> tasks_;
  std::string error_;
  std::vector<std::string> unused_;
  std::mutex mutex_;
  std::set<std::string> not_finite_;
};

}  // namespace headscope
