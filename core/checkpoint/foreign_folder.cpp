#include "core/checkpoint/foreign_folder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <new>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/checkpoint/family.h"
#include "core/checkpoint/folder_tokenizer.h"
#include "core/io/json_text.h"
#include "core/io/machine_memory.h"
#include "core/io/read_file.h"
#include "core/model/model_parts.h"
#include "core/tensor/finite.h"
#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* foreign_config_name = "config.json";
constexpr std::size_t most_foreign_config_bytes = std::size_t{16} << 20U;

Result<Json> read_foreign_config(const fs::path& file) {
  const auto text = read_file(file, most_foreign_config_bytes);
  if (!text) return tl::unexpected(text.error());
  auto json = parse_json(*text);
  if (!json) return failure("'" + file.string() + "' cannot be read: " + json.error().message);
  if (!json->is_object()) return failure("'" + file.string() + "' is not a JSON object");
  return json;
}

std::string model_type_of(const Json& config) {
  const auto found = config.find("model_type");
  return found != config.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Why the weights of such a configuration cannot be read, whatever the family. Empty if they can.
std::string reason_against(const Json& config) {
  for (const char* key : {"quantization_config", "quantization"}) {
    const auto found = config.find(key);
    if (found == config.end() || !found->is_object()) continue;
    const Json method = found->value("quant_method", Json());
    const Json bits = found->value("bits", Json());
    return "its weights are quantised (" + std::string(key) +
           (method.is_string() ? ": " + method.get<std::string>() : "") +
           (bits.is_number() ? ", " + json_text(bits) + " bits" : "") +
           "), but only F32, F16 and BF16 weights can be opened: choose the model without quantisation";
  }
  for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"}) {
    const auto found = config.find(key);
    if (found != config.end() && found->is_number() && *found > 1)
      return "it has experts (" + std::string(key) + " " + json_text(*found) +
             "), but only models whose tokens all go through the same layers can be opened";
  }
  const auto pruned = config.find("pruned_heads");
  if (pruned != config.end() && pruned->is_object() && !pruned->empty())
    return "some of its heads were pruned, but only models with all heads can be opened";
  return {};
}

const Family* family_of(const std::string& model_type) {
  for (const Family& family : families()) {
    if (std::ranges::find(family.model_types, model_type) != family.model_types.end()) return &family;
  }
  return nullptr;
}

/// A part's path in the form that rules use: without the number of its layer, which is returned separately.
struct PartPath {
  std::string with_stack;
  std::string without_stack;
  std::string layer;
};

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
    if (part.without_stack.starts_with(stack)) part.without_stack.erase(0, stack.size());
  }
  return part;
}

/// The rows of a tensor that belong to a part: row r of the part is row first + r / block · step + r % block.
struct RowsOfPart {
  std::size_t first = 0, block = 0, step = 0, total = 0;

  bool is_one_block(std::size_t n) const { return block >= n; }
  std::size_t row(std::size_t r) const { return first + r / block * step + r % block; }
};

RowsOfPart selection_of(const Architecture& a, StoredPart part, std::size_t n) {
  const auto queries = static_cast<std::size_t>(a.n_heads) * static_cast<std::size_t>(a.head_width());
  const auto keys = static_cast<std::size_t>(a.kv_heads()) * static_cast<std::size_t>(a.head_width());
  const std::size_t all = queries + 2 * keys;
  const auto width = static_cast<std::size_t>(a.head_width());
  switch (part) {
    case StoredPart::whole:
      return {0, n, n, n};
    case StoredPart::query:
      return {0, n, n, all};
    case StoredPart::key:
      return {queries, n, n, all};
    case StoredPart::value:
      return {queries + keys, n, n, all};
    case StoredPart::query_of_head:
      return {0, width, 3 * width, 3 * queries};
    case StoredPart::key_of_head:
      return {width, width, 3 * width, 3 * queries};
    case StoredPart::value_of_head:
      return {2 * width, width, 3 * width, 3 * queries};
    case StoredPart::first_half:
      return {0, n, n, 2 * n};
    case StoredPart::second_half:
      return {n, n, n, 2 * n};
  }
  return {};
}

/// A part's tensor and how its numbers are stored in it.
struct TensorPlace {
  const TensorSource* tensor = nullptr;
  StoredAs stored = StoredAs::in_out;
  RowsOfPart selection;
  float plus = 0.0F;
};

/// Finds the parts of a model in its files and fills them. All sizes are compared before any numbers are
/// read.
class Loader {
 public:
  Loader(const Family& family, const CheckpointFiles& files, const ParameterLayout& layout)
      : family_(family), files_(files), layout_(layout) {
    for (const NamedParameter& parameter : layout.named) {
      std::string path = parameter.path;
      const std::size_t heads = path.find("heads.0.");
      if (heads != std::string::npos) path.erase(heads, std::string_view("heads.0.").size());
      paths_.emplace(parameter.first, std::move(path));
    }
    prefix_ = *std::ranges::find_if(family.prefixes, [&](std::string_view prefix) {
      return prefix == family.prefixes.back() ||
             find(std::string(prefix).append(family.rules[0].tensor)) != nullptr;
    });
  }

  // The functions that PartVisitor calls.
  template <class Table>
  void table(std::ptrdiff_t first, int rows, int cols, Table& part) {
    const bool is_vector = rows == 1 && std::is_same_v<Table, RowVector>;
    const auto place = placed(first, is_vector ? cols : rows, is_vector ? 0 : cols);
    if (!place) return;
    tasks_.push_back([this, place = *place, rows, cols, &part] {
      part.resize(rows, cols);
      fill_table(place, part.data(), rows, cols);
    });
  }
  void linear(const LinearSlot& slot, Linear& part) {
    const auto weight = placed(slot.weight, slot.n_out, slot.n_in);
    const auto bias = slot.bias >= 0 ? placed(slot.bias, slot.n_out, 0) : std::optional(TensorPlace());
    if (!weight || !bias) return;
    part.bias = RowVector::Zero(slot.n_out);
    part.packed.prepare(slot.n_in, slot.n_out);
    if (slot.bias >= 0) {
      tasks_.push_back([this, bias = *bias, &part] {
        fill_table(bias, part.bias.data(), 1, static_cast<int>(part.bias.size()));
      });
    }
    if (weight->stored == StoredAs::in_out) {
      tasks_.push_back([this, weight = *weight, &part] { fill_columns(weight, part); });
      return;
    }
    constexpr int rows_at_once = 512;  // A multiple of every panel's width.
    for (int row = 0; row < slot.n_out; row += rows_at_once) {
      const int n = std::min(rows_at_once, slot.n_out - row);
      tasks_.push_back([this, weight = *weight, &part, row, n] { fill_rows(weight, part, row, n); });
    }
  }

  /// The first thing that does not fit. Empty if everything does.
  const std::string& error() const { return error_; }
  void check_left_over();
  /// Adds a task that takes time, to run in parallel with the filling of parts.
  void add(std::function<void()> task) { tasks_.insert(tasks_.begin(), std::move(task)); }
  void run(TaskPool& pool) {
    pool.for_each(static_cast<int>(tasks_.size()), [&](int i) { tasks_[static_cast<std::size_t>(i)](); });
  }
  std::vector<std::string> unused() const { return unused_; }
  std::vector<std::string> not_finite() { return {not_finite_.begin(), not_finite_.end()}; }

 private:
  void fail(const std::string& why) {
    if (error_.empty()) error_ = why;
  }
  const TensorSource* find(const std::string& name) const;
  std::string tensor_name(const TensorRule& rule, const std::string& layer) const;
  std::optional<TensorPlace> placed(std::ptrdiff_t first, int n_out, int n_in);
  TensorPlace fitting(const TensorRule& rule, const TensorSource& tensor, std::size_t n_out,
                      std::size_t n_in);
  void note(const TensorSource& tensor, const float* numbers, std::size_t n);
  void fill_table(const TensorPlace& place, float* to, int rows, int cols);
  void fill_rows(const TensorPlace& place, Linear& part, int first, int n);
  void fill_columns(const TensorPlace& place, Linear& part);

  const Family& family_;
  const CheckpointFiles& files_;
  const ParameterLayout& layout_;
  std::string prefix_;
  std::unordered_map<std::ptrdiff_t, std::string> paths_;
  std::set<const TensorSource*> used_;
  std::vector<std::function<void()>> tasks_;
  std::string error_;
  std::vector<std::string> unused_;
  std::mutex mutex_;
  std::set<std::string> not_finite_;
};

/// Finds a tensor by its name or, for norms, by the name that they had in TensorFlow and that early files
/// keep.
const TensorSource* Loader::find(const std::string& name) const {
  if (const TensorSource* const found = files_.find(name)) return found;
  for (const auto& [now, before] : {std::pair(".LayerNorm.weight", ".LayerNorm.gamma"),
                                    std::pair(".LayerNorm.bias", ".LayerNorm.beta")}) {
    if (!name.ends_with(now)) continue;
    return files_.find(name.substr(0, name.size() - std::string_view(now).size()) + before);
  }
  return nullptr;
}

std::string Loader::tensor_name(const TensorRule& rule, const std::string& layer) const {
  const bool has_prefix = !rule.tensor.starts_with('^');
  std::string name = has_prefix ? prefix_ + std::string(rule.tensor) : std::string(rule.tensor.substr(1));
  const std::size_t number = name.find("{l}");
  if (number != std::string::npos) name.replace(number, 3, layer);
  return name;
}

std::optional<TensorPlace> Loader::placed(std::ptrdiff_t first, int n_out, int n_in) {
  const std::string& path = paths_.at(first);
  const PartPath part = part_path(path);
  std::string missing;
  for (const TensorRule& rule : family_.rules) {
    if (rule.path != part.with_stack && rule.path != part.without_stack) continue;
    const std::string name = tensor_name(rule, part.layer);
    const TensorSource* const tensor = find(name);
    if (tensor != nullptr)
      return fitting(rule, *tensor, static_cast<std::size_t>(n_out), static_cast<std::size_t>(n_in));
    if (missing.empty()) missing = name;
  }
  fail(missing.empty() ? "checkpoints of its family have no tensor for " + path
                       : "the tensor " + missing + " is missing");
  return std::nullopt;
}

/// `n_in` is 0 for a vector.
TensorPlace Loader::fitting(const TensorRule& rule, const TensorSource& tensor, std::size_t n_out,
                            std::size_t n_in) {
  used_.insert(&tensor);
  const RowsOfPart selection = selection_of(layout_.architecture, rule.part, n_out);
  std::vector<std::size_t> expected{selection.total};
  const bool is_linear = rule.path.find(".W") != std::string_view::npos;
  if (n_in > 0) expected.push_back(n_in);
  if (n_in > 0 &&
      (rule.stored == StoredAs::row_of_each_head || (is_linear && rule.stored == StoredAs::in_out)))
    std::swap(expected[0], expected[1]);
  if (tensor.shape != expected) {
    fail("the tensor " + tensor.name + " is " + shape_text(tensor.shape) + ", but config.json requires " +
         shape_text(expected));
  } else if (!tensor.is_weight()) {
    fail("the tensor " + tensor.name + " has the type " + std::string(name_of(tensor.type)) +
         ", but only F32, F16 and BF16 weights can be opened");
  }
  return {&tensor, rule.stored, selection, rule.plus};
}

void Loader::note(const TensorSource& tensor, const float* numbers, std::size_t n) {
  if (all_finite(numbers, n)) return;
  const std::lock_guard lock(mutex_);
  not_finite_.insert(tensor.name);
}

void Loader::fill_table(const TensorPlace& place, float* to, int rows, int cols) {
  const auto n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  if (place.stored == StoredAs::row_of_each_head) {
    Matrix columns(cols, rows);
    read_numbers(*place.tensor, 0, n, columns.data());
    Eigen::Map<Matrix>(to, rows, cols) = columns.transpose();
  } else if (rows == 1) {
    for (std::size_t r = 0; r < n; r += place.selection.block)
      read_numbers(*place.tensor, place.selection.row(r), std::min(place.selection.block, n - r), to + r);
  } else {
    read_numbers(*place.tensor, 0, n, to);
  }
  note(*place.tensor, to, n);
  if (place.plus == 0.0F) return;
  for (std::size_t i = 0; i < n; ++i) to[i] += place.plus;
}

/// Fills columns from rows first … first + n − 1 of [out, in].
void Loader::fill_rows(const TensorPlace& place, Linear& part, int first, int n) {
  const int n_in = part.n_in();
  const auto width = static_cast<std::size_t>(n_in);
  const auto from = static_cast<std::size_t>(first);
  const auto count = static_cast<std::size_t>(n);
  const float* numbers = floats_of(*place.tensor);
  std::vector<float> converted;
  if (numbers != nullptr && place.selection.is_one_block(static_cast<std::size_t>(part.n_out()))) {
    numbers += place.selection.row(from) * width;
  } else {
    converted.resize(count * width);
    for (std::size_t r = 0; r < count; ++r)
      read_numbers(*place.tensor, place.selection.row(from + r) * width, width, converted.data() + r * width);
    numbers = converted.data();
  }
  note(*place.tensor, numbers, count * width);
  part.packed.pack_transposed_columns({numbers, n, n_in, n_in}, first);
}

/// Fills columns from columns of [in, out].
void Loader::fill_columns(const TensorPlace& place, Linear& part) {
  const std::size_t total = place.selection.total;
  const float* numbers = floats_of(*place.tensor);
  std::vector<float> converted;
  if (numbers == nullptr) {
    converted.resize(static_cast<std::size_t>(part.n_in()) * total);
    read_numbers(*place.tensor, 0, converted.size(), converted.data());
    numbers = converted.data();
  }
  const auto stride = static_cast<std::ptrdiff_t>(total);
  const MatrixView view{numbers + place.selection.first, part.n_in(), part.n_out(), stride};
  for (int row = 0; row < view.rows; ++row)
    note(*place.tensor, view.row(row).data(), static_cast<std::size_t>(view.cols));
  part.packed.pack(view);
}

void Loader::check_left_over() {
  std::string left_over;
  int n_more = 0;
  for (const TensorSource& tensor : files_.tensors()) {
    if (used_.contains(&tensor)) continue;
    const auto is_known = [&](std::string_view pattern) { return fits_pattern(tensor.name, pattern); };
    if (std::ranges::any_of(family_.unused, is_known)) {
      unused_.push_back(tensor.name);
    } else if (left_over.empty()) {
      left_over = tensor.name + " " + shape_text(tensor.shape);
    } else {
      ++n_more;
    }
  }
  if (left_over.empty()) return;
  fail("its architecture has no place for the tensor " + left_over +
       (n_more == 0 ? "" : " and " + std::to_string(n_more) + " others"));
}

/// How many numbers a model has: its weights, the embedding table and a final linear layer, which is either
/// stored or packed from the table.
struct ModelNumbers {
  double stored = 0.0;
  double packed = 0.0;
};
ModelNumbers model_numbers(const Architecture& a, int vocabulary) {
  const double table = static_cast<double>(vocabulary) * a.embedding_width();
  const double words =
      a.output_layer == OutputLayer::none ? 0.0 : static_cast<double>(vocabulary) * a.output_width();
  const double stored = count_parameters(a) + table + (a.output_layer == OutputLayer::linear ? words : 0.0);
  return {stored, count_parameters(a) + table + words};
}

/// The id with which a decoder's text begins. Empty without a decoder beside an encoder.
std::optional<int> decoder_start(ModelConfig& config, const Architecture& a) {
  if (!a.has_cross()) return std::nullopt;
  return config.whole("decoder_start_token_id", config.whole("pad_token_id", 0));
}

/// The number of rows of the embedding table. It is that of the files if config.json does not say.
Result<int> vocabulary_size(ModelConfig& config, const Family& family, const CheckpointFiles& files) {
  constexpr int most = 1 << 24;
  std::optional<ModelConfig> text = config.inside("text_config");
  ModelConfig& says = text && text->has("vocab_size") ? *text : config;
  int size = 0;
  if (says.has("vocab_size")) {
    size = says.whole("vocab_size");
  } else {
    for (const std::string_view prefix : family.prefixes) {
      const TensorSource* const table = files.find(std::string(prefix).append(family.rules.front().tensor));
      if (table != nullptr && !table->shape.empty() && table->shape[0] <= most)
        size = static_cast<int>(table->shape[0]);
    }
  }
  says.refuse_unless(size > 0 && size <= most, "vocab_size", "but must be from 1 to 16,777,216");
  if (!says.error().empty()) return failure(says.error());
  return size;
}

}  // namespace

bool is_foreign_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / foreign_config_name, error)) return false;
  const auto config = read_foreign_config(folder / foreign_config_name);
  return config && !model_type_of(*config).empty() && model_type_of(*config) != "headscope";
}

std::string known_families() {
  std::string text;
  for (const Family& family : families()) {
    text.append(text.empty() ? "" : ", ").append(family.name).append(" (");
    for (const std::string_view type : family.model_types)
      text.append(type == family.model_types.front() ? "" : ", ").append(type);
    text += ")";
  }
  return text;
}

namespace {

/// A folder whose headers have been read and fit together.
struct OpenedFolder {
  const Family* family = nullptr;
  CheckpointFiles files;
  Architecture architecture;
  int vocabulary = 0;
  std::optional<int> decoder_start;
};

tl::unexpected<Error> cannot_open(const fs::path& folder, const std::string& why) {
  return failure("the model in '" + folder.string() + "' cannot be opened: " + why);
}

Result<OpenedFolder> read_headers(const fs::path& folder) {
  const auto json = read_foreign_config(folder / foreign_config_name);
  if (!json) return tl::unexpected(json.error());
  const std::string type = model_type_of(*json);
  if (const std::string reason = reason_against(*json); !reason.empty()) return cannot_open(folder, reason);
  const Family* const family = family_of(type);
  if (family == nullptr)
    return cannot_open(folder, "its model_type is \"" + type +
                                   "\", but only these families are supported: " + known_families());
  auto files = CheckpointFiles::open(folder);
  if (!files) return tl::unexpected(files.error());
  ModelConfig config(*json);
  const Architecture architecture = family->architecture(config, *files);
  if (!config.error().empty()) return cannot_open(folder, "in config.json, " + config.error());
  if (auto ok = validate(architecture); !ok)
    return cannot_open(folder, "in config.json, " + ok.error().message);
  const auto vocabulary = vocabulary_size(config, *family, *files);
  if (!vocabulary) return cannot_open(folder, "in config.json, " + vocabulary.error().message);
  return OpenedFolder{family, std::move(*files), architecture, *vocabulary,
                      decoder_start(config, architecture)};
}

}  // namespace

Result<std::string> describe_folder(const fs::path& folder) {
  const auto opened = read_headers(folder);
  if (!opened) return tl::unexpected(opened.error());
  const Architecture& a = opened->architecture;
  const auto megabytes = static_cast<long long>(opened->files.bytes() / 1'000'000);
  return std::string(opened->family->name) + " · " + layers_text(a) + " × " + std::to_string(a.n_heads) +
         " heads · " + (megabytes > 0 ? std::to_string(megabytes) + " MB" : "below 1 MB");
}

Result<std::shared_ptr<const TrainedModel>> open_foreign_folder(const fs::path& folder,
                                                                const std::string& name) try {
  auto opened = read_headers(folder);
  if (!opened) return tl::unexpected(opened.error());
  const Family* const family = opened->family;
  const CheckpointFiles* const files = &opened->files;
  const Architecture& architecture = opened->architecture;
  const int* const vocabulary = &opened->vocabulary;
  const auto refused = [&](const std::string& why) { return cannot_open(folder, why); };
  // What config.json claims must be in the files before memory is allocated for it.
  const ModelNumbers numbers = model_numbers(architecture, *vocabulary);
  if (numbers.stored * 2.0 > static_cast<double>(files->bytes())) {
    return refused("config.json describes " + std::to_string(std::llround(numbers.stored)) +
                   " numbers, but its files have only " + std::to_string(files->bytes()) + " bytes");
  }
  if (auto ok = check_memory(numbers.packed * sizeof(float), "the model in '" + folder.string() + "'",
                             "choose a smaller model of its family");
      !ok)
    return tl::unexpected(ok.error());
  const ParameterLayout layout = layout_of(architecture, *vocabulary);
  auto model = std::make_shared<TrainedModel>(TrainedModel{
      name, "", 0, 0, 0, {}, Vocabulary::of_pieces({}), {}, FolderSource{name, files->sampled_hash()}});
  model->model.architecture = architecture;
  model->model.drawn = false;
  Loader loader(*family, *files, layout);
  visit_parts(layout, model->model, loader);
  loader.check_left_over();
  if (!loader.error().empty()) return refused(loader.error());
  FolderTokenizer tokenizer;
  loader.add([&] { tokenizer = open_folder_tokenizer(folder, *vocabulary, opened->decoder_start); });
  for (const MappedFile& file : files->files()) file.will_need();
  TaskPool pool;
  loader.run(pool);
  if (auto ok = files->check_whole(); !ok) return tl::unexpected(ok.error());
  model->family = family->name;
  model->vocabulary = Vocabulary::of_pieces(std::move(tokenizer.pieces), tokenizer.pad);
  model->tokenizer = std::move(tokenizer.of_source);
  model->target_tokenizer = std::move(tokenizer.of_target);
  model->no_tokenizer = std::move(tokenizer.problem);
  model->unused = loader.unused();
  model->not_finite = loader.not_finite();
  return model;
} catch (const std::bad_alloc&) {
  return failure("not enough memory for the model in '" + folder.string() +
                 "': choose a smaller model of its family");
}

}  // namespace headscope
