#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/exact_text.h"
#include "core/io/checkpoint_files.h"
#include "core/io/json_text.h"
#include "core/system/read_file.h"
#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The settings in adapter_config.json (LoraConfig of PEFT).
struct AdapterSettings {
  double alpha = 8.0;
  Json alpha_of;                 ///< alpha by name suffix
  bool divides_by_root = false;  ///< scale by alpha / √rank instead of alpha / rank
  bool is_transposed = false;    ///< target matrices are stored [inputs, outputs]
  bool sets_norms = false;       ///< each output of the sum has a norm of its own (DoRA)

  double factor(const std::string& name, std::size_t rank) const {
    double own = alpha;
    for (const auto& [end, value] : alpha_of.items())
      if ((name == end || name.ends_with("." + end)) && value.is_number()) own = value.get<double>();
    const auto r = static_cast<double>(rank);
    return own / (divides_by_root ? std::sqrt(r) : r);
  }
};

AdapterSettings read_settings(const fs::path& file) {
  const Json json = parse_python_json(read_file(file).value()).value();
  if (!json.is_object()) refuse(failure("its adapter_config.json is not a JSON object"));
  const auto flag = [&](const char* key) { return json.value(key, Json()) == Json(true); };
  const Json type = json.value("peft_type", Json());
  if (type != "LORA") refuse(failure("its peft_type is " + json_text(type) + ", but only LORA is supported"));
  if (flag("lora_bias")) refuse(failure("it also changes biases (lora_bias), which is not supported"));
  const Json tokens = json.value("alora_invocation_tokens", Json());
  if (!tokens.is_null() && !tokens.empty())
    refuse(failure("it applies only after some tokens (alora_invocation_tokens), which is not supported"));
  AdapterSettings settings;
  const auto is_factor = [](const Json& value) {
    constexpr double max_value = 1e6;
    return value.is_number() && std::abs(value.get<double>()) <= max_value;
  };
  const Json alpha = json.value("lora_alpha", Json(settings.alpha));
  if (!is_factor(alpha))
    refuse(failure("its lora_alpha is " + json_text(alpha) + ", but must be a number up to 10⁶"));
  settings.alpha = alpha.get<double>();
  const Json alphas = json.value("alpha_pattern", Json());
  if (alphas.is_object()) settings.alpha_of = alphas;
  for (const auto& [name, value] : settings.alpha_of.items()) {
    // A key may be a regular expression; dots of plain names are literal.
    if (name.find_first_of("^$*+?()[]{}|\\") != std::string::npos)
      refuse(failure("the key " + name +
                     " of its alpha_pattern is a regular expression, but only names are supported"));
    if (!is_factor(value))
      refuse(failure("the value of " + name + " in its alpha_pattern must be a number up to 10⁶"));
  }
  settings.divides_by_root = flag("use_rslora");
  settings.sets_norms = flag("use_dora");
  settings.is_transposed = flag("fan_in_fan_out");
  return settings;
}

std::vector<float> numbers_of(const TensorRef& tensor) {
  std::vector<float> numbers(tensor.size());
  read_numbers(tensor, 0, numbers.size(), numbers.data());
  return numbers;
}

std::vector<float> transposed(const std::vector<float>& numbers, std::size_t n_columns) {
  std::vector<float> turned(numbers.size());
  const std::size_t n_rows = n_columns == 0 ? 0 : numbers.size() / n_columns;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    turned[i % n_columns * n_rows + i / n_columns] = numbers[i];
  return turned;
}

/// Extends a change so that each output of the matrix gets a norm of its own (DoRA, Liu et al. 2024,
/// equation 5). Outputs are the rows of the matrix, or its columns if it is transposed.
LowRankUpdate with_norms(TensorRef matrix, LowRankUpdate change, bool is_transposed, const TensorRef& norms) {
  const std::size_t n_rows = matrix.shape[0], n_columns = matrix.shape[1];
  const std::size_t n = is_transposed ? n_columns : n_rows;
  matrix.change = std::make_shared<const LowRankUpdate>(change);
  std::vector<double> squares(n);
  std::vector<float> row(n_columns);
  for (std::size_t r = 0; r < n_rows; ++r) {
    read_numbers(matrix, r * n_columns, n_columns, row.data());
    for (std::size_t c = 0; c < n_columns; ++c)
      squares[is_transposed ? c : r] += static_cast<double>(row[c]) * static_cast<double>(row[c]);
  }
  std::vector<float>& factors = is_transposed ? change.column_factors : change.row_factors;
  factors = numbers_of(norms);
  for (std::size_t i = 0; i < n; ++i) factors[i] /= static_cast<float>(std::sqrt(squares[i]));
  return change;
}

/// PEFT's names of the two matrices of an update.
struct ChangeNames {
  std::string_view first, second;
  bool is_of_words;  ///< for embeddings, which are stored transposed
};
constexpr std::array change_names{ChangeNames{".lora_A.", ".lora_B.", false},
                                  ChangeNames{".lora_embedding_A", ".lora_embedding_B", true}};

constexpr std::string_view norms_name = ".lora_magnitude_vector";

/// Finds a tensor by name, or by a suffix of it: a base model saved without its head has shorter names.
TensorRef* find_base(std::vector<TensorRef>& tensors, std::string_view name) {
  while (true) {
    const auto found = std::ranges::find(tensors, name, &TensorRef::name);
    if (found != tensors.end()) return &*found;
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return nullptr;
    name.remove_prefix(dot + 1);
  }
}

/// The name in the base of an entire tensor of an adapter: “….modules_to_save.weight” replaces “….weight”.
std::string name_in_base(std::string name) {
  constexpr std::string_view wrapper = "base_model.model.";
  if (name.starts_with(wrapper)) name.erase(0, wrapper.size());
  for (const std::string_view part : {".modules_to_save", ".base_layer", ".default"}) {
    const std::size_t at = name.find(part);
    if (at != std::string::npos) name.erase(at, part.size());
  }
  return name;
}

}  // namespace

Result<std::string> CheckpointFiles::add_adapter(const fs::path& folder) try {
  const AdapterSettings settings = result_of("the adapter '" + folder.string() + "' cannot be used: ", [&] {
                                     return read_settings(folder / "adapter_config.json");
                                   }).value();
  const auto refused = [&](const std::string& why) {
    return failure("the adapter '" + folder.string() + "' does not fit its model: " + why);
  };
  CheckpointFiles adapter;
  std::error_code unknown;
  const bool is_pickled = !fs::exists(folder / "adapter_model.safetensors", unknown);
  adapter.add(folder / (is_pickled ? "adapter_model.bin" : "adapter_model.safetensors"));
  adapter.sort();
  std::string text;
  std::vector<TensorRef> more;
  for (const TensorRef& tensor : adapter.tensors_) {
    if (!tensor.is_weight())
      return refused(tensor.name + " has the type " + std::string(name_of(tensor.type)));
    if (settings.sets_norms && tensor.name.find(norms_name) != std::string::npos) continue;
    const auto has = [&](const ChangeNames& names) {
      return tensor.name.find(names.first) != std::string::npos;
    };
    const auto is_second = [&](const ChangeNames& names) {
      return tensor.name.find(names.second) != std::string::npos;
    };
    if (const auto* const of = std::ranges::find_if(change_names, is_second); of != change_names.end()) {
      std::string first = tensor.name;
      first.replace(first.find(of->second), of->second.size(), of->first);
      if (adapter.find(first) == nullptr)
        return refused(first + ", which belongs to " + tensor.name + ", is missing");
      continue;
    }
    const auto* const names = std::ranges::find_if(change_names, has);
    if (names == change_names.end()) {
      TensorRef whole = tensor;
      whole.name = name_in_base(tensor.name);
      TensorRef* const replaced = find_base(tensors_, whole.name);
      if (replaced == nullptr) {
        more.push_back(std::move(whole));
      } else {
        whole.name = replaced->name;
        *replaced = std::move(whole);
      }
      continue;
    }
    const std::size_t at = tensor.name.find(names->first);
    std::string other = tensor.name;
    other.replace(at, names->first.size(), names->second);
    const TensorRef* const second = adapter.find(other);
    const std::string module = name_in_base(tensor.name.substr(0, at));
    TensorRef* const changed = find_base(tensors_, module + ".weight");
    if (changed == nullptr) return refused("that has no tensor " + module + ".weight");
    if (second == nullptr) return refused(other + " is missing");
    const bool fits = tensor.shape.size() == 2 && second->shape.size() == 2 && second->is_weight() &&
                      tensor.shape[0] == second->shape[1] && tensor.shape[0] > 0;
    const bool is_transposed = names->is_of_words || settings.is_transposed;
    const std::vector<std::size_t> product = !fits           ? std::vector<std::size_t>{}
                                             : is_transposed ? std::vector{tensor.shape[1], second->shape[0]}
                                                             : std::vector{second->shape[0], tensor.shape[1]};
    if (changed->shape != product)
      return refused(changed->name + " is " + shape_text(changed->shape) + ", but the update has the shape " +
                     shape_text(product));
    const std::size_t rank = tensor.shape[0];
    if (rank > std::max(product[0], product[1]))
      return refused("the rank of its change of " + changed->name + " is " + std::to_string(rank) +
                     ", more than the matrix has rows or columns");
    const double factor = settings.factor(module, rank);
    auto change =
        std::make_shared<LowRankUpdate>(LowRankUpdate{rank, numbers_of(*second), numbers_of(tensor)});
    if (is_transposed) {
      std::swap(change->rows, change->columns);
      change->rows = transposed(change->rows, tensor.shape[1]);
      change->columns = transposed(change->columns, rank);
    }
    for (float& number : change->rows) number *= static_cast<float>(factor);
    if (settings.sets_norms) {
      if (names->is_of_words)
        return refused("it applies DoRA to the embedding table " + changed->name +
                       ", which is not supported");
      const std::string norms = tensor.name.substr(0, at).append(norms_name);
      const TensorRef* found = adapter.find(norms);
      if (found == nullptr) found = adapter.find(norms + ".weight");
      const std::size_t n = changed->shape[is_transposed ? 1 : 0];
      if (found == nullptr || !found->is_weight() || found->size() != n)
        return refused("it has no lora_magnitude_vector with " + std::to_string(n) + " numbers for " +
                       changed->name);
      *change = with_norms(*changed, std::move(*change), is_transposed, *found);
    }
    changed->change = std::move(change);
    if (text.empty()) {
      text = (settings.sets_norms ? "DoRA of rank " : "LoRA of rank ") + std::to_string(rank) + " × " +
             exact_text(static_cast<float>(factor));
    }
  }
  std::move(more.begin(), more.end(), std::back_inserter(tensors_));
  std::move(adapter.files_.begin(), adapter.files_.end(), std::back_inserter(files_));
  sort();
  return text.empty() ? "an adapter" : text;
} catch (const tl::bad_expected_access<Error>& thrown) {
  return tl::unexpected(thrown.error());
}

}  // namespace headscope
