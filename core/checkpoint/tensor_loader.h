#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/checkpoint/family.h"
#include "core/io/tensor_ref.h"
#include "core/model/linear.h"
#include "core/model/parameters.h"
#include "core/slices.h"
#include "core/system/machine_memory.h"
#include "core/tensor/packed_product.h"

namespace headscope {

/// The rows of a tensor that belong to a part. Row r of the part is row first + r / block · step + r % block
/// of the tensor. If `paired`, the width of a head, is not 0, rows i and i + paired / 2 of a head are rows 2i
/// and 2i + 1 of the tensor's head.
struct RowsOfPart {
  std::size_t first = 0, block = 0, step = 0, total = 0;
  std::size_t paired = 0;
  /// If `turned` is not 0, that many of the `width` dimensions of a head come last in the tensor's heads.
  std::size_t width = 0, turned = 0;

  bool is_one_block(std::size_t n) const { return block >= n; }
  std::size_t row(std::size_t r) const {
    if (turned > 0) return r - r % width + (r % width + width - turned) % width;
    if (paired == 0) return first + r / block * step + r % block;
    const std::size_t in_head = r % paired;
    return r - in_head + in_head % (paired / 2) * 2 + in_head / (paired / 2);
  }
};

/// A matrix that maps the rows of a tensor to those of a part.
struct RowsThrough {
  const TensorRef* tensor = nullptr;
  /// Whether the part belongs to the final linear layer, whose input this matrix narrows.
  bool is_output_side = false;
  PackedMatrix packed;
};

/// A part's tensor and the arrangement of the part's numbers in it.
struct TensorLocation {
  const TensorRef* tensor = nullptr;  ///< Null if all numbers are `plus`, or if the heads have tensors.
  const TensorRule* rule = nullptr;
  RowsOfPart selection;
  bool is_vector = false;
  float plus = 0.0F;
  std::shared_ptr<RowsThrough> through = nullptr;  ///< Null if there is no such matrix.
  float times = 1.0F;                           ///< the factor of vectors and of the weights of linear layers
  std::vector<const TensorRef*> of_heads = {};  ///< the tensors of a vector's parts, in order
};

/// The rows of a table with `cols` columns in a tensor. `files` keeps the tensor's bytes.
std::shared_ptr<const StoredRows> stored_rows(TensorLocation place, int cols,
                                              std::shared_ptr<const CheckpointFiles> files);

void read_vector(const TensorLocation& place, float* to, std::size_t n);
/// Writes the rows first … first + n − 1 of a table with `cols` columns to `to`.
void read_table_rows(const TensorLocation& place, int first, int n, int cols, float* to);
/// Reads a table that is stored as [·, H] into [H, ·] = [rows, cols].
void read_rows_of_heads(const TensorLocation& place, int rows, int cols, float* to);

/// The weights [n_in, n_out] of a linear layer in a tensor. `files` keeps the tensor's bytes.
std::shared_ptr<const StoredWeights> stored_weights(TensorLocation place, int n_in, int n_out,
                                                    std::shared_ptr<const CheckpointFiles> files);

/// The prefix of all tensor names if the model was saved as a part of another object: “module.”,
/// “_orig_mod.”, “0.auto_model.”. Usually empty.
std::string wrapper_of(const Family& family, const CheckpointFiles& files);
/// The prefix that the names of a family's tensors have in these files.
std::string_view prefix_of(const Family& family, const CheckpointFiles& files);

/// A part's path in the form of rules, with "{l}" for the number of its layer, that number, and the stack.
struct PartPath {
  std::string with_stack;
  std::string without_stack;
  std::string stack;
  std::string layer;
};

/// A reader that finds the parts of a model in the files of a family and fills them. Checks sizes first, and
/// throws an Error that describes the first mismatch; reads nothing before run(). The embedding table and the
/// weights of linear layers stay in the files until they are used.
class TensorLoader {
 public:
  TensorLoader(const Family& family, std::shared_ptr<const CheckpointFiles> files,
               const ParameterLayout& layout, std::shared_ptr<PackedMemoryBudget> share);

  // The functions that visit_parts() calls.
  template <class Table>
  void table(std::ptrdiff_t first, int rows, int cols, Table& part) {
    const bool is_vector = rows == 1 && std::is_same_v<Table, RowVector>;
    const TensorLocation place = placed(first, is_vector ? cols : rows, is_vector ? 0 : cols);
    part.resize(rows, cols);
    advise_huge_pages(part.data(), static_cast<std::size_t>(part.size()) * sizeof(float));
    plan_table(place, part.data(), rows, cols);
  }
  void word_table(std::ptrdiff_t first, int rows, int cols, WordTable& part);
  void linear(const ParameterSlot& slot, Linear& part);

  /// Throws an Error that names the first tensor without a place, if there is one.
  void check_unused_tensors();
  /// Adds a long task, which run() executes while it fills the parts.
  void add(std::function<void()> task) { tasks_.insert(tasks_.begin(), std::move(task)); }
  /// Fills the parts, in slices of a tensor or a part of one if the pool is one thread.
  Slices<std::monostate> run(ThreadPool& pool);
  std::vector<std::string> unused() const { return unused_; }
  /// The sum of Linear::saved_bytes() of all layers.
  double saved_bytes() const { return saved_bytes_; }
  /// The tensors that the model uses.
  std::vector<const TensorRef*> used() const { return {used_.begin(), used_.end()}; }

 private:
  void add_biases();
  const TensorRef* find(const std::string& name) const;
  bool may_matter(const std::string& name) const;
  bool is_of_another_part(const TensorRule& rule, const PartPath& part) const;
  std::vector<const TensorRule*> rules_of(const PartPath& part) const;
  bool has_any(std::string_view tensor, bool beside) const;
  [[noreturn]] void refuse_missing(const std::string& path, const std::vector<const TensorRule*>& rules,
                                   const PartPath& part, std::size_t expert) const;
  std::string tensor_name(std::string_view name, const PartPath& part, std::size_t index) const;
  TensorLocation placed(std::ptrdiff_t first, int n_out, int n_in) {
    return placed(paths_.at(first), 0, n_out, n_in);
  }
  TensorLocation placed(const std::string& path, std::size_t expert, int n_out, int n_in);
  void join_streams(const ParameterSlot& slot, Linear& part);
  void join_experts(const ParameterSlot& slot, const Experts& experts, Linear& part);
  std::vector<std::size_t> expected_shape(const TensorLocation& place, std::size_t n_out,
                                          std::size_t n_in) const;
  void check(const TensorRef& tensor, const std::vector<std::size_t>& expected);
  TensorLocation fitting(const TensorRule& rule, const TensorRef* tensor, const TensorRef* through,
                         std::size_t n_out, std::size_t n_in);
  std::vector<const TensorRef*> tensors_of_heads(const TensorRule& rule, const PartPath& part, std::size_t n);
  void plan_table(const TensorLocation& place, float* to, int rows, int cols);

  const Family& family_;
  std::shared_ptr<const CheckpointFiles> files_;
  const ParameterLayout& layout_;
  std::shared_ptr<PackedMemoryBudget> share_;
  std::string prefix_;
  std::deque<TensorRule> biases_;  ///< What follows from the family's rules for weights and gains.
  std::vector<const TensorRule*> rules_;
  std::deque<std::string> names_of_biases_;
  std::unordered_map<std::ptrdiff_t, std::string> paths_;
  std::unordered_map<std::string, Linear> of_first_layer_;  ///< If all layers have its weights, by path
  std::set<const TensorRef*> used_;
  std::vector<std::shared_ptr<RowsThrough>> through_;
  std::vector<std::function<void()>> tasks_;
  double saved_bytes_ = 0.0;
  std::vector<std::string> unused_;
};

}  // namespace headscope
