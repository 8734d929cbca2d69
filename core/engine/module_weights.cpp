#include "core/engine/module_weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <new>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/io/safetensors.h"
#include "core/model/linear.h"
#include "core/model/stage.h"
#include "core/result.h"
#include "core/split_text.h"
#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

using enum StageKind;

/// One way to name the tensors of a projection.
struct Spelling {
  StageKind role;
  std::string_view weight;
  std::string_view bias = {};  ///< Empty if there is none.
  /// Whether the rows of the stored weight or bias are thirds for queries, keys and values, in this order.
  bool is_third = false, bias_is_third = false;
  /// torch.nn.Linear stores [out, in] with y = x Wᵀ + b; a plain matrix is [in, out] with y = x W.
  bool is_transposed = true;
};

using Eigen::Index;

/// No attention module has wider rows. Three times this number still fits into an int.
constexpr std::size_t max_width = std::size_t{1} << 24U;

bool is_width(std::size_t size) {
  return size >= 1 && size <= max_width;
}

/// The name and shape of a tensor: "W_q.weight [16, 8]".
std::string named_shape(const Tensor& tensor) {
  return tensor.name + " " + shape_text(tensor.shape);
}

void check_finite(const Tensor& tensor) {
  const auto wrong = std::ranges::find_if(tensor.values, [](float v) { return !std::isfinite(v); });
  if (wrong == tensor.values.end()) return;
  const auto at = static_cast<std::size_t>(wrong - tensor.values.begin());
  const std::size_t cols = tensor.shape.back();
  const std::string place = tensor.shape.size() == 1
                                ? std::to_string(at)
                                : std::to_string(at / cols) + ", " + std::to_string(at % cols);
  refuse(failure(named_shape(tensor) + " holds " + (std::isnan(*wrong) ? "NaN" : "∞") + " at [" + place +
                 "], but every number must be finite"));
}

void check_weight(const Tensor& weight, bool is_stack) {
  if (weight.shape.size() != 2 || !std::ranges::all_of(weight.shape, is_width))
    refuse(failure(named_shape(weight) + " is not a projection matrix"));
  if (is_stack && weight.shape[0] % 3 != 0)
    refuse(failure(named_shape(weight) +
                   " must stack three matrices, but its number of rows is not divisible by 3"));
  check_finite(weight);
}

void check_bias(const Tensor& bias, Index n_out, bool is_stack) {
  const Index n = is_stack ? 3 * n_out : n_out;
  if (bias.shape.size() != 1 || static_cast<Index>(bias.shape[0]) != n)
    refuse(failure(named_shape(bias) + " is not [" + std::to_string(n) + "], as its weight requires"));
  check_finite(bias);
}

/// The third of stored rows that holds a projection.
Index third_of(StageKind role) {
  return role == query ? 0 : role == key ? 1 : 2;
}

/// The projection as [in, out]. Throws if the shapes are not those of a matrix and its bias, if they
/// are empty or huge, if rows are not divisible into thirds, or if there are NaN or ±∞. The message names the
/// tensor.
Linear linear_of(const Spelling& s, const Tensor& w, const Tensor* bias) {
  check_weight(w, s.is_third);
  const auto rows = static_cast<Index>(w.shape[0]);
  const auto cols = static_cast<Index>(w.shape[1]);
  const Index n = s.is_third ? rows / 3 : rows;
  const Index first = s.is_third ? third_of(s.role) * n : 0;
  const Eigen::Map<const Matrix> stored(w.values.data() + first * cols, n, cols);
  Matrix weight = s.is_transposed ? Matrix(stored.transpose()) : Matrix(stored);
  const Index n_out = weight.cols();
  if (bias == nullptr) return Linear(weight, RowVector::Zero(n_out));
  check_bias(*bias, n_out, s.bias_is_third);
  const Index first_bias = s.bias_is_third ? third_of(s.role) * n_out : 0;
  return Linear(weight, RowVector(Eigen::Map<const RowVector>(bias->values.data() + first_bias, n_out)));
}

/// The tensors whose names begin with the prefix.
std::vector<const Tensor*> tensors_below(const Safetensors& file, const std::string& prefix) {
  std::vector<const Tensor*> tensors;
  for (const Tensor& tensor : file.tensors) {
    if (tensor.name.starts_with(prefix)) tensors.push_back(&tensor);
  }
  return tensors;
}

/// The same for several tensors, sorted by name. If there are very many, only the first are listed.
std::string listed(std::vector<const Tensor*> tensors) {
  constexpr std::size_t most = 24;
  if (tensors.empty()) return "no tensors";
  std::ranges::sort(tensors, {}, &Tensor::name);
  std::vector<std::string> texts;
  for (const Tensor* tensor : tensors) texts.push_back(named_shape(*tensor));
  return first_texts(texts, most);
}

/// Which widths are equal in every module of a format. E is the width of a query's input.
enum class Widths {
  free,           ///< Only those that the products require.
  returns_input,  ///< Values are as wide as keys; the output is as wide as the input.
  all_equal       ///< As in torch: queries as well.
};

struct Format {
  std::string_view module;  ///< What messages call the format.
  std::span<const Spelling> spellings;
  bool needs_output;
  Widths widths;
  std::string_view expected;
};

constexpr Spelling torch_spellings[] = {
    {query, "in_proj_weight", "in_proj_bias", true, true},
    {key, "in_proj_weight", "in_proj_bias", true, true},
    {value, "in_proj_weight", "in_proj_bias", true, true},
    {query, "q_proj_weight", "in_proj_bias", false, true},
    {key, "k_proj_weight", "in_proj_bias", false, true},
    {value, "v_proj_weight", "in_proj_bias", false, true},
    {output, "out_proj.weight", "out_proj.bias"},
};

constexpr Spelling packed_spellings[] = {
    {query, "qkv.weight", "qkv.bias", true, true},
    {key, "qkv.weight", "qkv.bias", true, true},
    {value, "qkv.weight", "qkv.bias", true, true},
    {output, "out_proj.weight", "out_proj.bias"},
};

constexpr Spelling separate_spellings[] = {
    {query, "W_q.weight", "W_q.bias"},
    {key, "W_k.weight", "W_k.bias"},
    {value, "W_v.weight", "W_v.bias"},
    {output, "W_o.weight", "W_o.bias"},
    {query, "W_q", "", false, false, false},
    {key, "W_k", "", false, false, false},
    {value, "W_v", "", false, false, false},
    {output, "W_o", "", false, false, false},
    {query, "query.weight", "query.bias"},
    {key, "key.weight", "key.bias"},
    {value, "value.weight", "value.bias"},
    {query, "q.weight", "q.bias"},
    {key, "k.weight", "k.bias"},
    {value, "v.weight", "v.bias"},
};

constexpr Spelling labml_spellings[] = {
    {query, "query.linear.weight", "query.linear.bias"},
    {key, "key.linear.weight", "key.linear.bias"},
    {value, "value.linear.weight", "value.linear.bias"},
    {output, "output.weight", "output.bias"},
};

constexpr auto formats = make_enum_table<ModuleFormat, Format>(
    Format{
        "an nn.MultiheadAttention", torch_spellings, true, Widths::all_equal,
        "in_proj_weight [3·E, E] (or q_proj_weight [E, E], k_proj_weight [E, kdim], v_proj_weight [E, vdim]), out_proj.weight [E, E]; optionally in_proj_bias [3·E], out_proj.bias [E]"},
    Format{
        "a module with packed queries, keys and values", packed_spellings, true, Widths::returns_input,
        "qkv.weight [3·hidden, input], out_proj.weight [input, hidden]; optionally qkv.bias [3·hidden], out_proj.bias [input]"},
    Format{
        "a module with separate projections", separate_spellings, false, Widths::free,
        "W_q.weight [H·K, input], W_k.weight [H·K, key input], W_v.weight [H·V, value input] (or query.weight, key.weight, value.weight; or q.weight, k.weight, v.weight); optionally W_o.weight [output, H·V] and a .bias for each; or W_q, W_k, W_v, W_o as plain matrices, [in, out]"},
    Format{
        "a module in labml's layout", labml_spellings, true, Widths::free,
        "query.linear.weight [H·K, input], key.linear.weight [H·K, key input], value.linear.weight [H·V, value input], output.weight [output, H·V]; optionally a .bias for each"});

const Format& entry_of(ModuleFormat format) {
  return formats[index_of(format)];
}

/// A place in a file where a format's names begin: the format and the prefix of the names.
using Place = std::pair<ModuleFormat, std::string>;

/// The places that have a weight of queries, keys or values in the requested format, or in any if none is
/// requested. An output's name alone says too little, because several formats share it.
std::vector<Place> places(const Safetensors& file, std::optional<ModuleFormat> requested) {
  std::set<Place> found;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const auto format = static_cast<ModuleFormat>(i);
    if (requested.value_or(format) != format) continue;
    for (const Spelling& spelling : formats[i].spellings) {
      if (spelling.role == output) continue;
      for (const Tensor& tensor : file.tensors) {
        if (!tensor.name.ends_with(spelling.weight)) continue;
        const std::string prefix = tensor.name.substr(0, tensor.name.size() - spelling.weight.size());
        if (prefix.empty() || prefix.ends_with('.')) found.insert({format, prefix});
      }
    }
  }
  return {found.begin(), found.end()};
}

std::string all_expected(std::optional<ModuleFormat> requested) {
  std::string text;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (requested.value_or(static_cast<ModuleFormat>(i)) != static_cast<ModuleFormat>(i)) continue;
    text += "\n  expected (" + std::string(module_format_names[i]) + "): " + std::string(formats[i].expected);
  }
  return text;
}

/// The only place of a module in the file.
Place place_of(const Safetensors& file, const std::string& name, std::optional<ModuleFormat> requested) {
  const std::vector<Place> found = places(file, requested);
  if (found.size() == 1) return found.front();
  if (found.empty())
    refuse(failure(
        "'" + name + "' does not hold an attention module" +
        (requested ? " in this format" : " in a known format") +
        "\n  found: " + listed(tensors_below(file, "")) + all_expected(requested) +
        "\n  rename the tensors, or save the state_dict of the attention module itself; a capture has the "
        "tensor attentions, or queries and keys; a model opens as its folder or as a GGUF file"));
  constexpr std::size_t most = 12;
  std::string all;
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
    all += "\n  " + std::string(name_of(found[i].first)) + " at '" + found[i].second + "'";
  }
  refuse(failure("'" + name + "' holds " + std::to_string(found.size()) +
                 " attention modules, but must hold one:" + all +
                 "\n  save the state_dict of just one of them; if they are the same one, give its format"));
}

/// Reads a module's projections from its place in a file.
class ModuleReader {
 public:
  ModuleReader(const Safetensors& file, const std::string& name, const Place& place)
      : file_(file), name_(name), kind_(place.first), prefix_(place.second), format_(entry_of(kind_)) {}

  ModuleWeights read() {
    ModuleWeights module;
    module.format = kind_;
    module.prefix = prefix_;
    AttentionWeights& a = module.attention;
    take(query, a.query, module.bias.query);
    take(key, a.key, module.bias.key);
    take(value, a.value, module.bias.value);
    take(output, a.out, module.bias.output);
    check_nothing_left();
    check_widths(a);
    return module;
  }

 private:
  [[noreturn]] void reject(const std::string& problem, const std::string& advice) const {
    refuse(failure("'" + name_ + "' cannot be used as " + std::string(format_.module) + ": " + problem +
                   "\n  found: " + listed(tensors_below(file_, prefix_)) + all_expected(kind_) + "\n  " +
                   advice));
  }
  const Tensor* tensor(std::string_view name) const {
    return name.empty() ? nullptr : file_.find(prefix_ + std::string(name));
  }

  /// The spelling that the file uses. Null if the file lacks this projection and may do so.
  const Spelling* spelling_of(StageKind role) const {
    std::vector<const Spelling*> there;
    std::vector<std::string_view> names;
    for (const Spelling& spelling : format_.spellings) {
      if (spelling.role != role) continue;
      names.push_back(spelling.weight);
      if (tensor(spelling.weight) != nullptr) there.push_back(&spelling);
    }
    if (there.size() > 1)
      reject("it has both " + std::string(there[0]->weight) + " and " + std::string(there[1]->weight),
             "keep the one that the module uses");
    if (!there.empty()) return there.front();
    if (role == output && !format_.needs_output) return nullptr;
    reject(join_texts(names, " or ") + " is missing", "save the whole state_dict of the module");
  }

  void take(StageKind role, Linear& linear, bool& has_bias) {
    const Spelling* const s = spelling_of(role);
    const Tensor* const bias = s == nullptr ? nullptr : tensor(s->bias);
    has_bias = bias != nullptr;
    if (s == nullptr) return;
    used_.insert({tensor(s->weight), bias});
    auto read = result_of([&] { return linear_of(*s, *tensor(s->weight), bias); });
    if (!read) reject(read.error().message, "check how the module was saved");
    linear = std::move(*read);
  }

  /// Refuses unused tensors of the module, because they would change the result.
  void check_nothing_left() const {
    for (const Tensor* tensor : tensors_below(file_, prefix_)) {
      if (used_.contains(tensor)) continue;
      if (tensor->name == prefix_ + "bias_k" || tensor->name == prefix_ + "bias_v")
        reject("it has " + named_shape(*tensor) + ", an extra key and value besides those of the input",
               "create the module without add_bias_kv=True");
      reject("it has the unknown tensor " + named_shape(*tensor),
             "save the state_dict of the attention module only, without other parts and buffers");
    }
  }

  void check_widths(const AttentionWeights& a) const {
    const auto check_same = [this](const char* what, int width, const char* other, int other_width) {
      if (width != other_width)
        reject(std::string(what) + " would be " + std::to_string(width) + " wide and " + other + " " +
                   std::to_string(other_width) + ", but they must be equal",
               "check the module's sizes, and whether a weight is transposed");
    };
    const int queries = a.query.n_out();
    const int values = a.value.n_out();
    check_same("queries", queries, "keys", a.key.n_out());
    if (a.out.n_out() > 0) check_same("values", values, "the input of the output projection", a.out.n_in());
    if (format_.widths == Widths::free) return;
    check_same("queries", queries, "values", values);
    check_same("the input", a.query.n_in(), "the output", a.out.n_out());
    if (format_.widths == Widths::all_equal) check_same("the input", a.query.n_in(), "queries", queries);
  }

  const Safetensors& file_;
  const std::string& name_;
  ModuleFormat kind_;
  const std::string& prefix_;
  const Format& format_;
  std::set<const Tensor*> used_;
};

}  // namespace

Result<ModuleWeights> module_weights_of(const Safetensors& tensors, const std::string& name,
                                        std::optional<ModuleFormat> format) try {
  return result_of([&] { return ModuleReader(tensors, name, place_of(tensors, name, format)).read(); });
} catch (const std::bad_alloc&) {
  return failure("not enough memory for the weights of '" + name + "': close other programs");
}

Result<ModuleWeights> read_module_weights(const std::filesystem::path& file,
                                          std::optional<ModuleFormat> format) {
  constexpr std::uintmax_t max_mebibytes = 512;
  std::error_code unknown;
  if (std::filesystem::file_size(file, unknown) > max_mebibytes << 20U && !unknown) {
    return failure("cannot read '" + file.string() + "': it is larger than " + std::to_string(max_mebibytes) +
                   " MiB: save the state_dict of the attention module alone");
  }
  const auto tensors = read_safetensors(file);
  if (tensors) return module_weights_of(*tensors, file.string(), format);
  if (file.extension() == ".safetensors") return tl::unexpected(tensors.error());
  return failure(
      tensors.error().message +
      "; weights are read from .safetensors: safetensors.torch.save_file(module.state_dict(), file)");
}

}  // namespace headscope
