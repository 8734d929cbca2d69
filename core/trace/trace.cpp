#include "core/trace/trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "core/model/attention.h"
#include "core/model/pass.h"
#include "core/model/stage.h"
#include "core/model/trained_model.h"
#include "core/tensor/parallel.h"
#include "core/trace/derivation.h"
#include "core/trace/guess.h"

namespace headscope {
namespace {

/// The transitive inputs of `stages`. `inputs` returns the inputs of one stage.
template <class Inputs>
std::set<StageId> transitive_inputs(std::vector<StageId> stages, const Inputs& inputs) {
  std::set<StageId> ancestors;
  while (!stages.empty()) {
    const StageId next = stages.back();
    stages.pop_back();
    for (const StageId& input : inputs(next)) {
      if (ancestors.insert(input).second) stages.push_back(input);
    }
  }
  return ancestors;
}

/// The sorted stages and parameters that are not used, because only given stages would be computed from them.
/// `stages` are all stages of the pass.
std::vector<StageId> unused_stages(const Trace& trace, const std::vector<StageId>& stages) {
  std::vector<StageId> given;
  for (const GivenMatrix& each : trace.given().all) {
    if (const auto id = parse_path(each.path); id && trace.has(*id)) given.push_back(*id);
  }
  const std::set<StageId> given_ancestors =
      transitive_inputs(given, [&](const StageId& id) { return trace.graph().inputs(id); });
  if (given_ancestors.empty()) return {};
  std::vector<StageId> others;
  std::ranges::copy_if(stages, std::back_inserter(others),
                       [&](const StageId& id) { return !given_ancestors.contains(id); });
  const std::set<StageId> used =
      transitive_inputs(others, [&](const StageId& id) { return inputs_of(trace, id); });
  std::vector<StageId> unused;
  std::ranges::set_difference(given_ancestors, used, std::back_inserter(unused));
  return unused;
}

/// Whether a stage holds the weights of a linear layer, which are copied on demand.
bool is_weights_of_linear(StageKind kind) {
  const ParameterKind parameter = info(kind).parameter;
  return parameter == ParameterKind::weight || parameter == ParameterKind::word_weight;
}

/// The id under which a pass keeps the numbers of all heads.
StageId of_all_heads(StageId id) {
  id.head = 0;
  return id;
}

AxisSizes sizes_of(const Trace& trace) {
  const PassShape& shape = trace.kept().shape;
  return {.architecture = trace.architecture(),
          .table_rows = trace.model().embedding_table.n_rows(),
          .n_words = static_cast<int>(trace.vocabulary().size()),
          .n_source = shape.n_source,
          .n_target = shape.n_target};
}

}  // namespace

/// An LRU cache, or an unbounded one by default.
template <class Key, class Value>
class Cache {
 public:
  explicit Cache(std::size_t capacity = std::numeric_limits<std::size_t>::max()) : capacity_(capacity) {}

  /// Returns the value of a key. The first caller makes it while others wait. If `make` returns null, so does
  /// this, and the next caller retries. Evicted values live as long as they are referenced.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    const std::shared_ptr<Entry> entry = entry_of(key);
    const std::lock_guard making(entry->mutex);
    if (!entry->value) entry->value = make();
    entry->is_made = entry->value != nullptr;
    return entry->value;
  }
  /// The cached value, or null if it does not exist or is being made.
  std::shared_ptr<const Value> find(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() && found->second->is_made ? found->second->value : nullptr;
  }
  /// Drops all entries that are neither in the group of `key` nor in that of the most recently used entry.
  template <class Together>
  void drop_other_groups(const Key& key, const Together& together) {
    const std::lock_guard lock(mutex_);
    if (entries_.empty()) return;
    const Key last = std::ranges::max_element(entries_, {}, last_use)->first;
    std::erase_if(entries_, [&](const auto& entry) {
      return !together(entry.first, key) && !together(entry.first, last);
    });
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<const Value> value;
    std::atomic<bool> is_made{false};  ///< Once set, the value may be read without the mutex.
    std::uint64_t last_use = 0;        ///< time of last use
  };
  using Entries = std::map<Key, std::shared_ptr<Entry>>;

  static std::uint64_t last_use(const typename Entries::value_type& entry) { return entry.second->last_use; }

  std::shared_ptr<Entry> entry_of(const Key& key) {
    const std::lock_guard lock(mutex_);
    auto& entry = entries_[key];
    if (entry == nullptr) entry = std::make_shared<Entry>();
    entry->last_use = ++clock_;
    const std::shared_ptr<Entry> found = entry;
    if (entries_.size() > capacity_) entries_.erase(std::ranges::min_element(entries_, {}, last_use));
    return found;
  }

  std::size_t capacity_;
  mutable std::mutex mutex_;  ///< guards the entries, not their values
  std::uint64_t clock_ = 0;
  Entries entries_;
};

/// Caches of numbers that the pass did not keep. Computing one may access another.
struct Trace::Lazy {
  Cache<StageId, OwnedMatrix> stages;
  Cache<StageId, StageStats> stats;
  /// Only one, because a layer may be larger than everything that the pass keeps.
  Cache<std::pair<Stack, int>, RecomputedLayer> layers{1};
  Cache<std::pair<Stack, int>, RecomputedLayer> projections{2};  ///< those of self-attention
  Cache<StageId, RowFunction> row_functions{16};  ///< of at most two layers, which they keep in memory
  Cache<StageId, Matrix> weights{16};             ///< of at most two layers, or of the whole model

  std::once_flag guesses_once;
  Guesses guesses;
  std::once_flag overflow_once;
  std::optional<Overflow> overflow;
};

Trace::Trace(Parts parts) : parts_(std::move(parts)), lazy_(std::make_unique<Lazy>()) {
  if (parts_.complete && !parts_.given.empty()) unused_ = unused_stages(*this, parts_.graph->stages());
}

Trace::~Trace() = default;

Result<void> Trace::check_files() const {
  return parts_.files ? parts_.files->check_unchanged() : Result<void>();
}

Expectation Trace::expectation(int row) const {
  const std::vector<Expectation>& expectations = parts_.task_rows.expectations;
  const auto at = static_cast<std::size_t>(row);
  return row >= 0 && at < expectations.size() ? expectations[at] : Expectation::repeats;
}

const Guesses& Trace::guesses() const {
  std::call_once(lazy_->guesses_once, [this] { lazy_->guesses = find_guesses(*this); });
  return lazy_->guesses;
}

std::optional<Overflow> Trace::overflow_in(const StageId& id) const {
  const Extent size = extent(id);
  const int at_once = rows_at_once(size);
  // Only given and masked scores may be −∞.
  const bool is_masked = graph().op(id) == Op::mask;
  const bool may_be_hidden = is_masked || given(id) != nullptr;
  const auto is_hidden = [&](float value, int row, int col) {
    if (!may_be_hidden || !(value < 0.0F)) return false;
    return !is_masked || given(id) != nullptr || !mask(id).sees(id.head, row, col);
  };
  for (int first = 0; first < size.rows; first += at_once) {
    const StageNumbers some = read(id, {first, 0, std::min(at_once, size.rows - first), size.cols});
    for (int row = 0; row < some.view.rows; ++row) {
      const auto line = some.view.row(row);
      const auto is_finite = [](float value) { return std::abs(value) <= std::numeric_limits<float>::max(); };
      if (std::ranges::all_of(line, is_finite)) continue;
      for (int col = 0; col < size.cols; ++col) {
        const float value = line[static_cast<std::size_t>(col)];
        if (!is_finite(value) && !is_hidden(value, first + row, col))
          return Overflow{id, first + row, col, value};
      }
    }
  }
  return std::nullopt;
}

std::optional<Overflow> Trace::find_overflow() const {
  if (!complete()) return std::nullopt;
  std::vector<StageId> skipped;  // stages since the last kept one
  for (const StageId& id : stages()) {
    skipped.push_back(id);
    if (pass_numbers(id).data == nullptr || info(id.kind).is_parameter()) continue;
    if (overflow_in(id)) {
      for (const StageId& each : skipped)
        if (auto found = overflow_in(each)) return found;
    }
    skipped.clear();
  }
  return std::nullopt;
}

const std::optional<Overflow>& Trace::overflow() const {
  std::call_once(lazy_->overflow_once, [this] { lazy_->overflow = find_overflow(); });
  return lazy_->overflow;
}

const Architecture& Trace::architecture() const {
  return parts_.model->architecture;
}

const CombinedMask& Trace::mask(const StageId& id) const {
  return parts_.masks->of(architecture(), {id.stack, id.attention, id.layer});
}

const MaskSpec& Trace::mask_spec(const StageId& id) const {
  return mask_of(parts_.options, architecture().stacks, id.stack, id.attention);
}

std::optional<int> Trace::sliding_window(const StageId& id) const {
  const bool has_sliding_window =
      id.attention == AttentionKind::self && architecture().has_sliding_window(id.layer);
  return has_sliding_window ? architecture().sliding_window : std::nullopt;
}

std::shared_ptr<const OwnedMatrix> Trace::given(const StageId& id) const {
  return parts_.given.empty() ? nullptr : parts_.given.at(path(canonical(architecture(), id)));
}

const std::vector<Token>& Trace::tokens(Stack stack) const {
  return architecture().has_cross() && stack == Stack::decoder ? parts_.target_tokens : parts_.tokens;
}

const std::vector<Token>& Trace::tokens(const StageId& id, Axis axis) const {
  const bool reads_encoder = axis == Axis::key_tokens && id.attention == AttentionKind::cross;
  const bool ends_model = info(id.kind).scope == StageScope::model;
  return tokens(ends_model ? architecture().last_stack() : reads_encoder ? Stack::encoder : id.stack);
}

const std::vector<std::string>& Trace::vocabulary() const {
  static const std::vector<std::string> none;
  return parts_.unembedding ? parts_.unembedding->words : none;
}

std::size_t Trace::bytes() const {
  return parts_.buffers->shape.floats() * sizeof(float);
}

bool Trace::is_computed(const StageId& id) const {
  const StageInfo& line = info(id.kind);
  if (parts_.complete || line.is_parameter()) return true;
  if (line.scope == StageScope::model) return false;
  const Architecture& a = architecture();
  const int before = a.has_cross() && id.stack == Stack::decoder ? a.layers_of(Stack::encoder) : 0;
  if (line.scope == StageScope::stack) {
    // Kinds are in the order of computation.
    const bool follows_layers = id.kind > StageKind::layer_output;
    return !follows_layers || before + a.layers_of(id.stack) <= parts_.layers_done;
  }
  return before + id.layer < parts_.layers_done;
}

std::string Trace::why_absent(const StageId& id) const {
  std::string reason = parts_.graph->why_absent(id);
  return !reason.empty() || is_computed(id) ? reason : "it has not been computed";
}

std::vector<StageId> Trace::stages() const {
  std::vector<StageId> stages = parts_.graph->stages();
  std::erase_if(stages, [this](const StageId& id) { return !uses(id) || !is_computed(id); });
  return stages;
}

bool Trace::uses(const StageId& id) const {
  return unused_.empty() || !std::ranges::binary_search(unused_, canonical(architecture(), normalized(id)));
}

bool Trace::is_untrained() const {
  return parts_.model->drawn && !parts_.is_given;
}

std::string Trace::label(const StageId& id, Axis axis, int index) const {
  const std::string whole = full_label(id, axis, index);
  const bool is_negative = (axis == Axis::position_cols || axis == Axis::distances) && whole.starts_with('-');
  return is_negative ? "−" + whole.substr(1) : display_word(whole);
}

std::string Trace::full_label(const StageId& id, Axis axis, int index) const {
  const auto at = static_cast<std::size_t>(index);
  if (axis == Axis::all_experts && index == architecture().foreign.experts->count) return "shared";
  if (is_token_axis(axis)) {
    const std::vector<Token>& along = tokens(id, axis);
    if (index >= 0 && at < along.size()) return along[at].text;
  }
  if (axis == Axis::vocabulary && index >= 0 && at < vocabulary().size()) return vocabulary()[at];
  if (axis == Axis::distances) return std::to_string(index + 1 - static_cast<int>(tokens(id.stack).size()));
  const bool holds_biases =
      architecture().positions == Positions::relative && !architecture().relative_buckets;
  if (axis == Axis::position_cols && holds_biases) return std::to_string(index - max_relative_distance);
  return std::to_string(index);
}

PassInputs Trace::pass_inputs() const {
  static const Linear no_unembedding;
  return {*parts_.model, parts_.options, *parts_.masks,
          parts_.unembedding ? *parts_.unembedding->linear : no_unembedding, parts_.edits.get()};
}

MatrixView Trace::numbers_at(const StageId& id, const float* first) const {
  if (first == nullptr) return {};
  const StageInfo& line = info(id.kind);
  const AxisSizes sizes = sizes_of(*this);
  const int rows = axis_length(sizes, id, line.rows), cols = axis_length(sizes, id, line.cols);
  if (line.scope != StageScope::head) return {first, rows, cols, cols};
  // Maps of heads are consecutive; everything else is concatenated by columns.
  const Architecture& a = architecture();
  const std::ptrdiff_t own = line.is_per_group ? id.head / a.group_size(id.layer) : id.head;
  const std::ptrdiff_t n = line.is_per_group ? a.kv_heads(id.layer) : a.n_heads;
  if (is_map(id.kind)) return {first + own * rows * cols, rows, cols, cols};
  return {first + own * cols, rows, cols, n * cols};
}

MatrixView Trace::pass_numbers(const StageId& id) const {
  const StageInfo& line = info(id.kind);
  const bool is_weights = line.parameter == ParameterKind::word_table || is_weights_of_linear(id.kind);
  if (line.is_parameter() && is_weights) return {};
  if (!line.is_parameter()) return numbers_at(id, parts_.buffers->at(of_all_heads(id)));
  if (id.kind == StageKind::b_logits) return view_of(parts_.unembedding->linear->bias);
  const MatrixView all = numbers_of(model(), id);
  return line.scope == StageScope::head ? numbers_at(id, all.data) : all;
}

bool Trace::keeps_layers() const {
  return parts_.buffers->shape.kept != Retention::layer_inputs;
}

bool Trace::is_computed_by_rows(const StageId& id) const {
  // Stages outside of layers are kept, or computed from kept ones.
  const bool is_outside = info(id.kind).scope == StageScope::model;
  return is_outside || is_map(id.kind) || traits_of(parts_.graph->op(id)).is_on_demand;
}

bool Trace::is_projected(const StageId& id) const {
  if (info(id.kind).scope < StageScope::attention || id.attention != AttentionKind::self) return false;
  if (is_map(id.kind) || id.kind == StageKind::value) return true;
  const auto leads_to = [&](StageKind kind) { return parts_.graph->depends_on(with_kind(id, kind), id); };
  return !info(id.kind).is_parameter() &&
         (leads_to(StageKind::raw) || leads_to(StageKind::value) || leads_to(StageKind::position_bias));
}

std::shared_ptr<const RecomputedLayer> Trace::recomputed_layer(const StageId& id, bool is_projected) const {
  auto& known = is_projected ? lazy_->projections : lazy_->layers;
  return known.get({id.stack, id.layer}, [&] {
    return std::make_shared<const RecomputedLayer>(
        recompute_layer(pass_inputs(), *parts_.buffers, id.stack, id.layer, is_projected, shared_pool()));
  });
}

StageNumbers Trace::recomputed_stage(const StageId& id) const {
  const std::shared_ptr<const RecomputedLayer> layer = recomputed_layer(id, is_projected(id));
  return {numbers_at(id, layer->at(*parts_.buffers, of_all_heads(id))), layer};
}

RowFunction Trace::map_row_function(const StageId& id) const {
  const HeadId place{id.stack, id.attention, id.layer, 0};
  std::shared_ptr<const RecomputedLayer> recomputed;
  if (!keeps_layers()) recomputed = recomputed_layer(id, id.attention == AttentionKind::self);
  const PassBuffers& pass = *parts_.buffers;
  const HeadChain* const chain = graph().chain_of(id);
  const auto maps = std::make_shared<const HeadMaps>(
      attention_plan(pass_inputs(), place, chain),
      recomputed ? recomputed->attention(pass, place, chain) : pass.attention(place, chain), id.head);
  return [recomputed, maps, map = graph().op(id)](int first, int n, float* out) {
    maps->rows(map, first, n, out);
  };
}

LinearColumns Trace::linear_columns(const StageId& id) const {
  if (id.kind == StageKind::w_logits)
    return {*parts_.unembedding->linear, 0, parts_.unembedding->linear->n_out()};
  const Linear& all = linear_of(model(), id);
  const StageInfo& line = info(id.kind);
  if (line.scope != StageScope::head) return {all, 0, all.n_out()};
  const int n = axis_length(sizes_of(*this), id, line.cols);
  return {all, (line.is_per_group ? id.head / architecture().group_size(id.layer) : id.head) * n, n};
}

std::shared_ptr<const Matrix> Trace::weights_of(const StageId& id) const {
  lazy_->weights.drop_other_groups(
      id, [](const StageId& a, const StageId& b) { return a.stack == b.stack && a.layer == b.layer; });
  return lazy_->weights.get(id, [&] {
    const LinearColumns at = linear_columns(id);
    return std::make_shared<const Matrix>(at.linear.columns(at.first, at.n));
  });
}

std::shared_ptr<const RowFunction> Trace::row_function(const StageId& id) const {
  lazy_->row_functions.drop_other_groups(
      id, [](const StageId& a, const StageId& b) { return a.stack == b.stack && a.layer == b.layer; });
  return lazy_->row_functions.get(id, [&] {
    const auto rows = record_of(parts_.graph->op(id)).rows;
    return std::make_shared<const RowFunction>(rows != nullptr ? rows(*this, id) : map_row_function(id));
  });
}

Extent Trace::extent(const StageId& id) const {
  if (!has(id)) return {};
  const StageInfo& line = info(id.kind);
  if (is_weights_of_linear(id.kind)) {
    const LinearColumns at = linear_columns(id);
    return {at.linear.n_in(), at.n};
  }
  if (line.is_parameter() && line.parameter != ParameterKind::word_table) {
    const MatrixView stored = pass_numbers(id);
    return {stored.rows, stored.cols};
  }
  const AxisSizes sizes = sizes_of(*this);
  return {axis_length(sizes, id, line.rows), axis_length(sizes, id, line.cols)};
}

MatrixView Trace::value(const StageId& id) const {
  if (!has(id)) return {};
  if (const MatrixView stored = pass_numbers(id); stored.data != nullptr) return stored;
  const auto copied = [&] {
    const Extent size = extent(id);
    return std::make_shared<const OwnedMatrix>(
        all_numbers(size, [&](const StageWindow& window) { return read(id, window); }));
  };
  return lazy_->stages.get(id, copied)->view();
}

StageNumbers Trace::read(const StageId& id, const StageWindow& w) const {
  if (!has(id)) return {};
  const auto cut = [&w](const MatrixView& all) {
    return all.block(w.first_row, w.first_col, w.n_rows, w.n_cols);
  };
  if (const MatrixView stored = pass_numbers(id); stored.data != nullptr) return {cut(stored), nullptr};
  if (const auto copied = lazy_->stages.find(id)) return {cut(copied->view()), copied};
  if (is_weights_of_linear(id.kind)) {
    // Copy only a few of many columns, because an unembedding can take gigabytes.
    constexpr int many = 8;
    const LinearColumns at = linear_columns(id);
    if (std::int64_t{many} * w.n_cols <= at.n) {
      const auto some = std::make_shared<const Matrix>(at.linear.columns(at.first + w.first_col, w.n_cols));
      return {view_of(*some).block(w.first_row, 0, w.n_rows, w.n_cols), some};
    }
    const std::shared_ptr<const Matrix> all = weights_of(id);
    return {cut(view_of(*all)), all};
  }
  if (!is_computed_by_rows(id)) {
    const StageNumbers all = recomputed_stage(id);
    return {cut(all.view), all.own};
  }
  const auto rows = std::make_shared<OwnedMatrix>(w.n_rows, extent(id).cols);
  (*row_function(id))(w.first_row, w.n_rows, rows->values.data());
  return {rows->view().block(0, w.first_col, w.n_rows, w.n_cols), rows};
}

float Trace::number(const StageId& id, int row, int col) const {
  const StageNumbers cell = read(id, {row, col, 1, 1});
  return cell.view.data == nullptr ? std::numeric_limits<float>::quiet_NaN() : cell.view(0, 0);
}

bool Trace::is_quick_to_read(const StageId& id) const {
  if (!has(id) || keeps_layers() || pass_numbers(id).data != nullptr) return true;
  if (info(id.kind).is_parameter()) return true;
  if (lazy_->row_functions.find(id) || lazy_->stages.find(id)) return true;
  const std::pair<Stack, int> layer{id.stack, id.layer};
  if (is_computed_by_rows(id) && record_of(parts_.graph->op(id)).rows != nullptr) return false;
  return (is_projected(id) ? lazy_->projections : lazy_->layers).find(layer) != nullptr;
}

std::optional<StageStats> Trace::stats(const StageId& id, const std::atomic<bool>* stop) const {
  if (!has(id)) return StageStats{};
  const auto stats = lazy_->stats.get(id, [&]() -> std::shared_ptr<const StageStats> {
    const auto found = block_stats(extent(id), visible_magnitude_limit(*this, id), stop,
                                   [&](const StageWindow& window) { return read(id, window); });
    return found ? std::make_shared<const StageStats>(*found) : nullptr;
  });
  return stats == nullptr ? std::nullopt : std::optional(*stats);
}

std::optional<StageStats> Trace::cached_stats(const StageId& id) const {
  const auto stats = lazy_->stats.find(id);
  return stats == nullptr ? std::nullopt : std::optional(*stats);
}

std::vector<StageId> inputs_of(const Trace& trace, const StageId& id) {
  return trace.given(id) == nullptr ? trace.graph().inputs(id) : std::vector<StageId>{};
}

StageId weights_in_use(const Trace& trace, const StageId& place) {
  const StageId dropped = with_kind(place, StageKind::dropped);
  return trace.has(dropped) ? dropped : with_kind(place, StageKind::weights);
}

}  // namespace headscope
