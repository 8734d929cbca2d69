#include "core/checkpoint/tensor_loader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/split_text.h"
#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

/// Heads for tasks that no pass computes, and buffers that are not weights. They may occur in any family.
constexpr std::array<std::string_view, 14> never_used{"score.*",
                                                      "*classifier.*",
                                                      "qa_outputs.*",
                                                      "classification_head.*",
                                                      "multiple_choice_head.*",
                                                      "discriminator_predictions.*",
                                                      "cls.seq_relationship.*",
                                                      "*pooler.*",
                                                      "sequence_summary.*",
                                                      "v_head.*",
                                                      "*position_ids",
                                                      "*token_type_ids",
                                                      "*masked_bias",
                                                      "*rotary_emb.inv_freq"};

PartPath part_path(const std::string& path) {
  PartPath part;
  part.with_stack = path;
  const std::size_t layers = path.find("layers.");
  if (layers != std::string::npos) {
    const std::size_t first = layers + std::string_view("layers.").size();
    const std::size_t end = path.find('.', first);
    part.layer = path.substr(first, end - first);
    part.with_stack = path.substr(0, first) + "{l}" + path.substr(end);
  }
  part.without_stack = part.with_stack;
  for (const std::string_view stack : {"encoder.", "decoder."}) {
    if (!part.without_stack.starts_with(stack)) continue;
    part.without_stack.erase(0, stack.size());
    part.stack = stack.substr(0, stack.size() - 1);
  }
  return part;
}

std::string with_number(std::string name, std::string_view place, const std::string& number) {
  const std::size_t at = name.find(place);
  if (at != std::string::npos) name.replace(at, place.size(), number);
  return name;
}
/// The name of a tensor of the first layer of the first stack.
std::string first_name(std::string_view prefix, std::string_view tensor) {
  return with_number(with_number(std::string(prefix).append(tensor), "{l}", "0"), "{s}", "encoder");
}

float factor_of(const Architecture& a, ReadTimes times) {
  switch (times) {
    case ReadTimes::one:
      return 1.0F;
    case ReadTimes::output_factor:
      return a.foreign.output_factor;
    case ReadTimes::sublayer_factor:
      return a.foreign.sublayer_factor;
    case ReadTimes::root_half:
      return std::sqrt(0.5F);
    case ReadTimes::over_root_width:
      return 1.0F / std::sqrt(static_cast<float>(a.d_model));
    case ReadTimes::over_width:
      return 1.0F / static_cast<float>(a.d_model);
  }
  return 1.0F;
}

RowsOfPart selection_of(const Architecture& a, StoredPart part, std::size_t n) {
  const auto queries = static_cast<std::size_t>(a.n_heads) * static_cast<std::size_t>(a.head_width(no_layer));
  const auto keys =
      static_cast<std::size_t>(a.kv_heads(no_layer)) * static_cast<std::size_t>(a.head_width(no_layer));
  const std::size_t all = queries + 2 * keys;
  const auto width = static_cast<std::size_t>(a.head_width(no_layer));
  const std::size_t group = static_cast<std::size_t>(a.group_size(no_layer)) * width;
  const std::size_t quarter = queries / 4;
  const auto turned = static_cast<std::size_t>(a.shared_key_width(AttentionKind::self));
  const auto value = static_cast<std::size_t>(a.value_width(no_layer));
  const auto heads = static_cast<std::size_t>(a.n_heads);
  const std::size_t own = width - turned;
  switch (part) {
    case StoredPart::whole:
      return {0, n, n, n};
    case StoredPart::neighbours_of_head:
      // A head of an odd width has no such pairs.
      return width % 2 == 0 ? RowsOfPart{0, 1, 1, n, width} : RowsOfPart{0, n, n, n};
    case StoredPart::query:
      return {0, n, n, all};
    case StoredPart::key:
      return {queries, n, n, all};
    case StoredPart::value:
      return {queries + keys, n, n, all};
    case StoredPart::query_of_group:
      return {0, group, group + 2 * width, all};
    case StoredPart::key_of_group:
      return {group, width, group + 2 * width, all};
    case StoredPart::value_of_group:
      return {group + width, width, group + 2 * width, all};
    case StoredPart::query_of_quarter:
      return {0, quarter, 3 * quarter, all};
    case StoredPart::value_of_quarter:
      return {quarter, quarter, 3 * quarter, all};
    case StoredPart::key_of_quarter:
      return {2 * quarter, quarter, 3 * quarter, all};
    case StoredPart::first_half:
      return {0, n, n, 2 * n};
    case StoredPart::second_half:
      return {n, n, n, 2 * n};
    case StoredPart::even_rows:
      return {0, 1, 2, 2 * n};
    case StoredPart::odd_rows:
      return {1, 1, 2, 2 * n};
    case StoredPart::latent:
      return {0, n, n, n + turned};
    case StoredPart::shared_key:
      return {static_cast<std::size_t>(a.kv_latent.value_or(0)), n, n,
              n + static_cast<std::size_t>(a.kv_latent.value_or(0))};
    case StoredPart::key_of_head:
      return {0, own, own + value, heads * (own + value)};
    case StoredPart::value_of_head:
      return {own, value, own + value, heads * (own + value)};
    case StoredPart::rotated_first:
      return {0, 1, 1, n, 0, width, turned};
  }
  return {};
}

}  // namespace

std::string wrapper_of(const Family& family, const CheckpointFiles& files) {
  std::string best;
  std::size_t most = 0;
  for (const std::string_view prefix : family.prefixes) {
    std::map<std::string, std::size_t> counts;
    for (const TensorRule& rule : family.rules) {
      if (rule.tensor.starts_with('^')) continue;
      const std::string name = first_name(prefix, rule.tensor);
      for (const TensorRef& tensor : files.tensors()) {
        if (!tensor.name.ends_with(name)) continue;
        const std::string before = tensor.name.substr(0, tensor.name.size() - name.size());
        if (before.empty() || before.ends_with('.')) ++counts[before];
      }
    }
    for (const auto& [before, count] : counts) {
      if (count <= most) continue;
      most = count;
      best = before;
    }
  }
  return best;
}

std::string_view prefix_of(const Family& family, const CheckpointFiles& files) {
  const auto fits = [&](std::string_view prefix) {
    return std::ranges::any_of(family.rules, [&](const TensorRule& rule) {
      if (rule.tensor.starts_with('^')) return false;
      return files.find(first_name(prefix, rule.tensor)) != nullptr;
    });
  };
  const auto found = std::ranges::find_if(family.prefixes, fits);
  return found == family.prefixes.end() ? family.prefixes.back() : *found;
}

TensorLoader::TensorLoader(const Family& family, std::shared_ptr<const CheckpointFiles> files,
                           const ParameterLayout& layout, std::shared_ptr<PackedMemoryBudget> share)
    : family_(family),
      files_(std::move(files)),
      layout_(layout),
      share_(std::move(share)),
      prefix_(prefix_of(family, *files_)) {
  for (const TensorRule& rule : family.rules) rules_.push_back(&rule);
  add_biases();
  for (const NamedParameter& parameter : layout.named) {
    std::string path = parameter.path;
    const std::size_t heads = path.find("heads.0.");
    if (heads != std::string::npos) path.erase(heads, std::string_view("heads.0.").size());
    paths_.emplace(parameter.first, std::move(path));
  }
}

/// Adds rules for the biases that stand beside weights and gains under the same name.
void TensorLoader::add_biases() {
  constexpr std::string_view weight = "weight";
  for (const TensorRule& rule : family_.rules) {
    const std::size_t last = rule.path.rfind('.') + 1;
    const bool is_gain = rule.path.substr(last) == "gain";
    if (!rule.tensor.ends_with(weight) || (!is_gain && rule.path[last] != 'W')) continue;
    std::string& path = names_of_biases_.emplace_back(rule.path);
    path.replace(last, is_gain ? path.size() - last : 1, is_gain ? "bias" : "b");
    std::string& tensor = names_of_biases_.emplace_back(rule.tensor);
    tensor.replace(tensor.size() - weight.size(), weight.size(), "bias");
    biases_.push_back({.path = path,
                       .tensor = tensor,
                       .part = rule.part,
                       .stored = rule.stored == StoredAs::heads_out ? rule.stored : StoredAs::out_in,
                       .if_tied = rule.if_tied,
                       .times = rule.times});
    rules_.push_back(&biases_.back());
  }
}

/// Also accepts the names that norms had in TensorFlow, which early files keep.
const TensorRef* TensorLoader::find(const std::string& name) const {
  if (const TensorRef* const found = files_->find(name)) return found;
  for (const auto& [now, before] : {std::pair(".LayerNorm.weight", ".LayerNorm.gamma"),
                                    std::pair(".LayerNorm.bias", ".LayerNorm.beta")}) {
    if (!name.ends_with(now)) continue;
    return files_->find(name.substr(0, name.size() - std::string_view(now).size()) + before);
  }
  return nullptr;
}

std::string TensorLoader::tensor_name(std::string_view name, const PartPath& part, std::size_t index) const {
  const bool has_prefix = !name.starts_with('^');
  std::string full = has_prefix ? prefix_ + std::string(name) : std::string(name.substr(1));
  const std::string number = std::to_string(index), short_stack = part.stack.substr(0, 3);
  for (const auto& [place, text] :
       {std::pair("{l}", &part.layer), std::pair("{s}", &part.stack), std::pair("{c}", &short_stack),
        std::pair("{h}", &number), std::pair("{e}", &number)})
    full = with_number(std::move(full), place, *text);
  return full;
}

/// Whether another rule gives its tensor to another part that the model has: where Gemma 4 has experts, the
/// names of its only feed-forward layer are those of the dense layer beside them, and in GGUF files, the
/// tensor of layers without a gate is the one beside the gate in others.
bool TensorLoader::is_of_another_part(const TensorRule& rule, const PartPath& part) const {
  return std::ranges::any_of(rules_, [&](const TensorRule* other) {
    if (other->tensor != rule.tensor || other->part != rule.part || other->path == rule.path) return false;
    const std::string path = with_number(std::string(other->path), "{l}", part.layer);
    return std::ranges::any_of(paths_, [&](const auto& parameter) {
      return parameter.second == path || parameter.second == part.stack + "." + path;
    });
  });
}

/// The rules of a part. In layers with experts, those of other layers are left out.
std::vector<const TensorRule*> TensorLoader::rules_of(const PartPath& part) const {
  const bool is_tied = layout_.architecture.output_layer == OutputLayer::tied;
  const bool has_experts = layout_.architecture.has_experts(std::atoi(part.layer.c_str()));
  std::vector<const TensorRule*> rules;
  for (const TensorRule* const rule : rules_) {
    const bool is_of_part = rule->path == part.with_stack || rule->path == part.without_stack;
    const bool is_elsewhere = rule->joined_of == JoinedOf::experts && !has_experts;
    if (is_of_part && !is_elsewhere && (is_tied || !rule->if_tied)) rules.push_back(rule);
  }
  const auto is_of_experts = [](const TensorRule* rule) { return rule->joined_of == JoinedOf::experts; };
  if (std::ranges::any_of(rules, is_of_experts))
    std::erase_if(rules, [&](const TensorRule* rule) { return !is_of_experts(rule); });
  return rules;
}

/// Whether the files have a tensor of a rule in any layer, head or expert, or else (`beside`) one in the same
/// part of the model.
bool TensorLoader::has_any(std::string_view tensor, bool beside) const {
  std::string pattern =
      tensor.starts_with('^') ? std::string(tensor.substr(1)) : prefix_ + std::string(tensor);
  if (beside) pattern = pattern.substr(0, pattern.rfind('.', pattern.rfind('.') - 1) + 1) + "*";
  for (const std::string_view place : {"{l}", "{s}", "{c}", "{h}", "{e}"})
    pattern = with_number(std::move(pattern), place, "*");
  return std::ranges::any_of(files_->tensors(),
                             [&](const TensorRef& each) { return matches_pattern(each.name, pattern); });
}

/// Refuses a part without a tensor by the name that other layers or parts suggest, or else by the first one.
void TensorLoader::refuse_missing(const std::string& path, const std::vector<const TensorRule*>& rules,
                                  const PartPath& part, std::size_t expert) const {
  if (rules.empty()) refuse(failure("checkpoints of its family have no tensor for " + path));
  auto used = rules.end();
  for (const bool beside : {false, true})
    if (used == rules.end())
      used =
          std::ranges::find_if(rules, [&](const TensorRule* rule) { return has_any(rule->tensor, beside); });
  const TensorRule& rule = used == rules.end() ? *rules.front() : **used;
  const bool is_other_half = !rule.through.empty() && find(tensor_name(rule.tensor, part, expert)) != nullptr;
  std::string name = tensor_name(is_other_half ? rule.through : rule.tensor, part, expert);
  // Joined experts are split when they are read.
  if (rule.tensor.ends_with(".{e}")) name.resize(name.rfind('.'));
  refuse(failure("the tensor " + files_->stored_name(name) + " is missing"));
}

/// An `n_in` of 0 stands for a vector.
TensorLocation TensorLoader::placed(const std::string& path, std::size_t expert, int n_out, int n_in) {
  const PartPath part = part_path(path);
  std::vector<const TensorRule*> missing;
  for (const TensorRule* const of_part : rules_of(part)) {
    const TensorRule& rule = *of_part;
    if (!missing.empty() && rule.through.empty() && is_of_another_part(rule, part)) continue;
    const TensorRef* const tensor = find(tensor_name(rule.tensor, part, expert));
    const TensorRef* const through =
        rule.through.empty() ? nullptr : find(tensor_name(rule.through, part, expert));
    const bool is_there = tensor != nullptr && (rule.through.empty() || through != nullptr);
    if (is_there && rule.tensor.find("{h}") != std::string_view::npos) {
      TensorLocation place;
      place.rule = &rule;
      place.is_vector = true;
      place.of_heads = tensors_of_heads(rule, part, static_cast<std::size_t>(n_out));
      return place;
    }
    if (is_there || rule.if_missing) {
      return fitting(rule, tensor, through, static_cast<std::size_t>(n_out), static_cast<std::size_t>(n_in));
    }
    missing.push_back(&rule);
  }
  refuse_missing(path, missing, part, expert);
}

/// The tensors of the heads whose parts together are a vector of n numbers.
std::vector<const TensorRef*> TensorLoader::tensors_of_heads(const TensorRule& rule, const PartPath& part,
                                                             std::size_t n) {
  const auto width = static_cast<std::size_t>(layout_.architecture.head_width(no_layer));
  std::vector<const TensorRef*> tensors;
  for (std::size_t head = 0; head < n / width; ++head) {
    const std::string name = tensor_name(rule.tensor, part, head);
    tensors.push_back(find(name));
    if (tensors.back() == nullptr) refuse(failure("the tensor " + files_->stored_name(name) + " is missing"));
    check(*tensors.back(), {width});
  }
  return tensors;
}

std::vector<std::size_t> TensorLoader::expected_shape(const TensorLocation& place, std::size_t n_out,
                                                      std::size_t n_in) const {
  const Architecture& a = layout_.architecture;
  // Keys from a latent lack the dimensions that all heads share.
  const std::size_t width = a.kv_latent ? n_out / static_cast<std::size_t>(a.n_heads)
                                        : static_cast<std::size_t>(a.head_width(no_layer));
  const std::size_t total = place.selection.total;
  const StoredAs stored = place.rule->stored;
  if (stored == StoredAs::heads_in) return {n_in / width, width, n_out};
  if (stored == StoredAs::heads_out)
    return n_in > 0 ? std::vector{n_out / width, n_in, width} : std::vector{n_out / width, width};
  if (n_in == 0) return {total};
  const bool is_linear = place.rule->path.find(".W") != std::string_view::npos;
  if (stored == StoredAs::row_of_each_head || (is_linear && stored == StoredAs::in_out)) return {n_in, total};
  return {total, n_in};
}

void TensorLoader::check(const TensorRef& tensor, const std::vector<std::size_t>& expected) {
  used_.insert(&tensor);
  // A vector may be stored in rows, as BART's biases of words are, [1, vocabulary], and a row as a vector.
  const bool is_other_vector = tensor.shape.size() + expected.size() == 3 &&
                               tensor.size() == expected.back() && (expected.size() == 1 || expected[0] == 1);
  // The rows of each head may have a dimension of their own: [H, out / H, in].
  const auto n_heads = static_cast<std::size_t>(layout_.architecture.n_heads);
  const bool is_by_heads = tensor.shape.size() == 3 && expected.size() == 2 && tensor.shape[0] == n_heads &&
                           tensor.shape[2] == expected[1] && tensor.size() == expected[0] * expected[1];
  if (tensor.shape != expected && !is_other_vector && !is_by_heads)
    refuse(failure("the tensor " + files_->stored_name(tensor.name) + " is " + shape_text(tensor.shape) +
                   ", but " + std::string(family_.configuration) + " requires " + shape_text(expected)));
  if (!tensor.is_weight())
    refuse(failure("the tensor " + files_->stored_name(tensor.name) + " has the type " +
                   std::string(name_of(tensor.type)) + ", but only F32, F16 and BF16 weights can be opened"));
}

TensorLocation TensorLoader::fitting(const TensorRule& rule, const TensorRef* tensor,
                                     const TensorRef* through, std::size_t n_out, std::size_t n_in) {
  TensorLocation place{tensor,    &rule,   selection_of(layout_.architecture, rule.part, n_out), n_in == 0,
                       rule.plus, nullptr, factor_of(layout_.architecture, rule.times)};
  if (tensor == nullptr) {
    place.plus = *rule.if_missing;
    return place;
  }
  if (through == nullptr) {
    check(*tensor, expected_shape(place, n_out, n_in));
    return place;
  }
  // [wide, narrow] on the way in, [narrow, wide] on the way out.
  const bool is_output_side = rule.path.starts_with("logits.");
  const std::size_t narrow = tensor->shape.size() == 2 ? tensor->shape[1] : 0;
  check(*tensor, {n_out, narrow});
  check(*through, is_output_side ? std::vector{narrow, n_in} : std::vector{n_in, narrow});
  place.through = std::make_shared<RowsThrough>(RowsThrough{through, is_output_side, {}});
  through_.push_back(place.through);
  return place;
}

void TensorLoader::word_table(std::ptrdiff_t first, int rows, int cols, WordTable& part) {
  part = WordTable(rows, cols, stored_rows(placed(first, rows, cols), cols, files_));
}

/// Joins the layers of all experts. The shared expert has paths of its own.
void TensorLoader::join_experts(const ParameterSlot& slot, const Experts& experts, Linear& part) {
  std::string path = paths_.at(slot.first);
  const bool in_rows = path.ends_with("W_2");
  std::vector<Linear> parts;
  for (int expert = 0; expert < experts.all(); ++expert) {
    const int n_in = in_rows ? experts.width_of(expert) : slot.n_in;
    const int n_out = in_rows ? slot.n_out : experts.width_of(expert);
    if (expert == experts.count) path.insert(path.rfind('.') + 1, "shared.");
    const TensorLocation place = placed(path, static_cast<std::size_t>(expert), n_out, n_in);
    parts.emplace_back(n_in, stored_weights(place, n_in, n_out, files_), share_, RowVector::Zero(n_out));
  }
  part = joined(std::move(parts), in_rows, share_);
  saved_bytes_ += part.saved_bytes();
  if (slot.bias < 0) return;
  part.bias = RowVector::Zero(slot.n_out);
  plan_table(placed(slot.bias, slot.n_out, 0), part.bias.data(), 1, slot.n_out);
}

/// Joins the matrices of streams, which are tensors of their own.
void TensorLoader::join_streams(const ParameterSlot& slot, Linear& part) {
  std::vector<Linear> parts;
  for (int i = 0; i * slot.n_in < slot.n_out; ++i) {
    const TensorLocation place =
        placed(paths_.at(slot.first), static_cast<std::size_t>(i), slot.n_in, slot.n_in);
    parts.emplace_back(slot.n_in, stored_weights(place, slot.n_in, slot.n_in, files_), share_,
                       RowVector::Zero(slot.n_in));
  }
  constexpr bool in_rows = false;
  part = joined(std::move(parts), in_rows, share_);
  saved_bytes_ += part.saved_bytes();
}

void TensorLoader::linear(const ParameterSlot& slot, Linear& part) {
  const PartPath path = part_path(paths_.at(slot.first));
  const auto is_joined_of = [&](JoinedOf what) {
    return std::ranges::any_of(family_.rules, [&](const TensorRule& rule) {
      return rule.joined_of == what && (rule.path == path.with_stack || rule.path == path.without_stack);
    });
  };
  if (is_joined_of(JoinedOf::streams)) return join_streams(slot, part);
  if (layout_.architecture.has_experts(std::atoi(path.layer.c_str())) && is_joined_of(JoinedOf::experts))
    return join_experts(slot, *layout_.architecture.foreign.experts, part);
  if (const Linear& first = of_first_layer_[path.with_stack]; first.exists()) {
    part = first;
  } else {
    const TensorLocation weight = placed(slot.first, slot.n_out, slot.n_in);
    part = Linear(slot.n_in, stored_weights(weight, slot.n_in, slot.n_out, files_), share_,
                  RowVector::Zero(slot.n_out));
    saved_bytes_ += part.saved_bytes();
    if (layout_.architecture.foreign.shares_layers) of_first_layer_[path.with_stack] = part;
  }
  if (slot.bias >= 0) plan_table(placed(slot.bias, slot.n_out, 0), part.bias.data(), 1, slot.n_out);
}

void TensorLoader::plan_table(const TensorLocation& place, float* to, int rows, int cols) {
  if (place.is_vector) {
    const auto n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    tasks_.emplace_back([place, to, n] { read_vector(place, to, n); });
    return;
  }
  if (place.rule->stored == StoredAs::row_of_each_head) {
    tasks_.emplace_back([place, to, rows, cols] { read_rows_of_heads(place, rows, cols, to); });
    return;
  }
  constexpr int numbers_at_once = 1 << 19;
  const int rows_at_once = std::max(numbers_at_once / std::max(cols, 1), 1);
  for (int row = 0; row < rows; row += rows_at_once) {
    const int n = std::min(rows_at_once, rows - row);
    float* const here = to + static_cast<std::ptrdiff_t>(row) * cols;
    tasks_.emplace_back([place, row, n, cols, here] { read_table_rows(place, row, n, cols, here); });
  }
}

Slices<std::monostate> TensorLoader::run(ThreadPool& pool) {
  for (const std::shared_ptr<RowsThrough>& through : through_) {
    const TensorRef& tensor = *through->tensor;
    std::vector<float> numbers(tensor.size());
    read_numbers(tensor, 0, numbers.size(), numbers.data());
    const auto rows = static_cast<int>(tensor.shape[0]);
    const auto cols = static_cast<int>(tensor.shape[1]);
    const MatrixView view{numbers.data(), rows, cols, cols};
    through->is_output_side ? through->packed.pack(view) : through->packed.pack_transposed(view);
    co_yield 0.0;
  }
  // With several threads, slices would add synchronisation.
  const std::size_t in_slice = pool.size() == 1 ? 1 : std::max<std::size_t>(tasks_.size(), 1);
  for (std::size_t first = 0; first < tasks_.size(); first += in_slice) {
    pool.for_each(static_cast<int>(in_slice), [&](int i) { tasks_[first + static_cast<std::size_t>(i)](); });
    co_yield static_cast<double>(first + in_slice) / static_cast<double>(tasks_.size());
  }
  co_return std::monostate();
}

/// Whether an unused tensor may affect what the family's layers compute. In files of other programs, tensors
/// beside the model belong to a custom head or loss.
bool TensorLoader::may_matter(const std::string& name) const {
  const bool is_gguf = family_.configuration != "config.json";
  if (is_gguf || (!prefix_.empty() && name.starts_with(prefix_))) return true;
  const auto first_part = [](std::string_view path) { return path.substr(0, path.find('.')); };
  return std::ranges::any_of(family_.rules, [&](const TensorRule& rule) {
    const bool has_prefix = !rule.tensor.starts_with('^');
    if (has_prefix && !prefix_.empty()) return false;
    return first_part(name) == first_part(rule.tensor.substr(has_prefix ? 0 : 1));
  });
}

void TensorLoader::check_unused_tensors() {
  constexpr std::size_t max_listed = 64;
  std::vector<std::string> left_over;
  for (const TensorRef& tensor : files_->tensors()) {
    if (used_.contains(&tensor)) continue;
    const auto is_known = [&](std::string_view pattern) {
      // Layers behind the last one, which predict further words in training.
      constexpr int most_behind = 8;
      for (int l = 0; l < most_behind; ++l) {
        const std::string number = std::to_string(layout_.architecture.n_layers + l);
        if (matches_pattern(tensor.name, with_number(std::string(pattern), "{behind}", number))) return true;
      }
      return false;
    };
    if (std::ranges::any_of(family_.unused, is_known) || std::ranges::any_of(never_used, is_known) ||
        !may_matter(tensor.name)) {
      unused_.push_back(files_->stored_name(tensor.name));
    } else {
      left_over.push_back(files_->stored_name(tensor.name) + " " + shape_text(tensor.shape));
    }
  }
  if (!left_over.empty())
    refuse(failure("its architecture has no place for " +
                   std::string(left_over.size() == 1 ? "the tensor " : "the tensors ") +
                   first_texts(left_over, max_listed)));
}

}  // namespace headscope
