#include "core/checkpoint/model_folder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/checkpoint/capture.h"
#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/language_model.h"
#include "core/io/file_kind.h"
#include "core/io/gguf.h"
#include "core/io/json_text.h"
#include "core/io/safetensors.h"
#include "core/model/parameters.h"
#include "core/session/setting_json.h"
#include "core/session/setting_value.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"
#include "core/system/read_file.h"
#include "core/tasks/task.h"
#include "core/tensor/hash.h"
#include "core/tensor/shape_text.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr const char* config_name = "config.json";
constexpr const char* weights_name = "model.safetensors";
constexpr const char* vocabulary_name = "vocab.txt";
constexpr const char* model_type = "headscope";
constexpr int config_version = 1;
constexpr int config_indent = 2;

std::string config_text(const TrainedModel& model, HeadIndex shows) {
  Json json;
  json["model_type"] = model_type;
  json["version"] = config_version;
  json["architecture"] = architecture_to_json(model.model.architecture);
  json["task"] = model.task;
  json["steps"] = model.steps;
  json["shows"] = {{"layer", shows.layer}, {"head", shows.head}};
  if (model.accuracy) json["held_out_accuracy"] = *model.accuracy;
  json["vocabulary_size"] = model.vocabulary.size();
  return json_text(json, config_indent) + "\n";
}

/// The content of config.json.
struct Config {
  Architecture architecture;
  std::string task;
  int steps = 0;
  int layer = 0;
  int head = 0;
  std::optional<double> accuracy;
};

/// An integer below `end` in an object. 0 if it is missing.
int index_in(const Json& object, const char* key, int end) {
  if (!object.is_object() || !object.contains(key)) return 0;
  const Json& found = object[key];
  const std::int64_t number = found.is_number_integer() ? found.get<std::int64_t>() : -1;
  if (number >= 0 && number < end) return static_cast<int>(number);
  refuse(failure("its " + std::string(key) + " is " + shown(found) +
                 ", but must be a whole number from 0 to " + std::to_string(end - 1)));
}

/// The task that the model was trained for, which must match its stacks. Empty if there is none.
std::string task_in(const Json& json, const Architecture& architecture) {
  if (!json.contains("task")) return {};
  const Json& found = json["task"];
  const std::string name = found.is_string() ? found.get<std::string>() : "";
  if (found.is_string() && name.empty()) return name;
  const auto kind = parse_task_name(name);
  if (!kind)
    refuse(failure("its task is " + shown(found) +
                   ", but must be one of these: " + join_texts(task_names(), ", ")));
  if (training_recipe(*kind).architecture.stacks == architecture.stacks) return name;
  refuse(failure("its task is " + name + ", which needs other stacks"));
}

Config config_in(const std::string& text) {
  const Json json = parse_json(text).value();
  if (!json.is_object()) refuse(failure("it is not a JSON object"));
  if (json.value("model_type", Json()) != model_type) refuse(failure("its model_type is not \"headscope\""));
  if (json.value("version", Json()) != config_version)
    refuse(failure("its version is not " + std::to_string(config_version) +
                   ": it was written by a later version of Headscope"));
  if (!json.contains("architecture")) refuse(failure("it has no architecture"));
  Config config;
  config.architecture = architecture_from_json(json["architecture"]).value();
  config.task = task_in(json, config.architecture);
  const Json shows = json.value("shows", Json::object());
  if (!shows.is_object())
    refuse(failure("its shows is " + shown(shows) + ", but must be an object with layer and head"));
  config.steps = index_in(json, "steps", std::numeric_limits<int>::max());
  config.layer = index_in(shows, "layer", config.architecture.n_layers);
  config.head = index_in(shows, "head", config.architecture.n_heads);
  const Json accuracy = json.value("held_out_accuracy", Json());
  const bool is_share = accuracy.is_number() && accuracy >= 0.0 && accuracy <= 1.0;
  if (!accuracy.is_null() && !is_share)
    refuse(failure("its held_out_accuracy is " + shown(accuracy) + ", but must be a number from 0 to 1"));
  if (accuracy.is_number()) config.accuracy = accuracy.get<double>();
  return config;
}

/// Reads a file of a model's folder. The message of an error says that the file `is_not` what `read` reads.
template <class Read>
auto read_part(const std::filesystem::path& file, const char* is_not, Read&& read) {
  return read_file(file).and_then([&](const std::string& text) {
    return result_of("'" + file.string() + "' " + is_not + ": ", [&] { return read(text); });
  });
}

Result<Config> read_config(const std::filesystem::path& file) {
  return read_part(file, "does not describe a Headscope model", config_in);
}

std::vector<std::size_t> shape_of(const NamedParameter& parameter) {
  const auto cols = static_cast<std::size_t>(parameter.cols);
  const bool is_vector = parameter.rows == 1;
  return is_vector ? std::vector<std::size_t>{cols}
                   : std::vector<std::size_t>{static_cast<std::size_t>(parameter.rows), cols};
}

/// The tensor of a parameter. Null if the file has none. If each stack has a table of relative positions, but
/// the file has only one, it serves both.
const Tensor* tensor_of(const Safetensors& file, const Architecture& architecture, const std::string& path) {
  const Tensor* own = file.find(path);
  const bool is_of_stack =
      architecture.has_per_stack_position_tables() && path.ends_with(".positions.biases");
  return own == nullptr && is_of_stack ? file.find("positions.table") : own;
}

/// The name of a tensor that belongs to no parameter of the layout. Empty if there is no such tensor.
std::string tensor_without_place(const Safetensors& file, const ParameterLayout& layout) {
  for (const Tensor& tensor : file.tensors) {
    const auto is_it = [&](const NamedParameter& parameter) {
      return tensor_of(file, layout.architecture, parameter.path) == &tensor;
    };
    if (std::ranges::none_of(layout.named, is_it)) return tensor.name;
  }
  return {};
}

/// Checks that the file has every parameter in the shape that the layout gives it, and nothing else.
void check_shapes(const Safetensors& file, const ParameterLayout& layout) {
  for (const NamedParameter& parameter : layout.named) {
    const Tensor* tensor = tensor_of(file, layout.architecture, parameter.path);
    if (tensor == nullptr) refuse(failure("it has no tensor " + parameter.path));
    const auto expected = shape_of(parameter);
    if (tensor->shape != expected) {
      refuse(failure(parameter.path + " is " + shape_text(tensor->shape) + ", but the architecture needs " +
                     shape_text(expected)));
    }
  }
  const std::string name_of_other = tensor_without_place(file, layout);
  if (!name_of_other.empty())
    refuse(failure("the architecture has no place for the tensor " + name_of_other));
}

/// Copies the tensor of a parameter to its place among all numbers.
void place(const Tensor& tensor, const NamedParameter& parameter, std::vector<float>& numbers) {
  const auto cols = static_cast<std::size_t>(parameter.cols);
  for (std::size_t r = 0; r < static_cast<std::size_t>(parameter.rows); ++r) {
    float* row = numbers.data() + parameter.first + static_cast<std::ptrdiff_t>(r) * parameter.stride;
    for (std::size_t c = 0; c < cols; ++c) {
      row[c] = tensor.values[r * cols + c];
      if (!std::isfinite(row[c])) refuse(failure(parameter.path + " holds a number that is not finite"));
    }
  }
}

std::uint64_t content_hash(const std::vector<float>& numbers, const Vocabulary& vocabulary) {
  const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  return xxh64_hash(vocabulary.to_text(), xxh64_hash(bytes));
}

/// Whether a configuration is that of a model that was trained on a text.
bool is_of_text(const std::filesystem::path& config) {
  const auto json = read_file(config).and_then(parse_json);
  if (!json || !json->is_object() || json->value("model_type", Json()) != "llama") return false;
  const Json own = json->value("headscope", Json());
  return own.is_object() && own.value("steps", Json()).is_number_integer() &&
         own.value("trained_on", Json()).is_string();
}

}  // namespace

Result<void> check_model_folder(const std::filesystem::path& folder, WrittenModel kind) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return {};
  if (!std::filesystem::is_directory(folder, error)) {
    return failure("'" + folder.string() + "' is a file, but a model is written to a folder");
  }
  if (is_empty_folder(folder)) return {};
  const std::filesystem::path config = folder / config_name;
  if (kind == WrittenModel::of_task ? read_config(config).has_value() : is_of_text(config)) return {};
  return failure("the folder '" + folder.string() +
                 "' holds other files: choose a new folder, or one with a model that was trained " +
                 (kind == WrittenModel::of_task ? "for a task" : "on a text"));
}

bool holds_only_a_model(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::is_symlink(folder, error)) return false;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::filesystem::path name = entry->path().filename();
    const bool is_ours = name == vocabulary_name || name == weights_name || is_temporary(name) ||
                         std::ranges::find(language_model_files, name.string()) != language_model_files.end();
    if (!is_ours) return false;
  }
  return !error;
}

Result<void> save_model(const std::filesystem::path& folder, const TrainedModel& model) {
  return save_model(folder, model, {model.layer, model.head});
}

Result<bool> make_model_folder(const std::filesystem::path& folder) {
  if (auto ok = check_model_folder(folder, WrittenModel::of_task); !ok) return tl::unexpected(ok.error());
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(folder, error);
  if (!error) return is_new;
  return failure("cannot create the folder '" + folder.string() + "': " + error.message() +
                 ": choose one that you can write to");
}

Result<void> save_model(const std::filesystem::path& folder, const TrainedModel& model, HeadIndex shows) {
  if (model.is_foreign() && !model.corpus && !model.is_capture()) {
    return failure("a model of the " + model.family +
                   " family stays where it is: only models that were trained in Headscope can be saved");
  }
  const auto kind = model.corpus ? WrittenModel::of_text : WrittenModel::of_task;
  if (auto ok = check_model_folder(folder, kind); !ok) return ok;
  std::error_code unknown;
  if (std::filesystem::exists(folder / training_state_name, unknown))
    return failure("the folder '" + folder.string() +
                   "' holds a run that was interrupted: choose another folder");
  // A new folder is put in place atomically.
  std::error_code refused;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), refused);
  if (model.corpus) return save_language_model(folder, model);
  if (model.is_capture())
    return write_folder(folder, [&](const std::filesystem::path& staging) {
      ensure(write_capture(staging / weights_name, model));
    });
  const ParameterLayout layout = layout_of(model.model.architecture, model.vocabulary.size());
  const std::vector<float> numbers = parameters_of(model.model, layout);
  std::vector<TensorView> tensors;
  tensors.reserve(layout.named.size());
  for (const NamedParameter& parameter : layout.named) {
    tensors.push_back({parameter.path,
                       shape_of(parameter),
                       {numbers.data() + parameter.first, parameter.rows, parameter.cols, parameter.stride}});
  }
  return write_folder(folder, [&](const std::filesystem::path& staging) {
    ensure(write_safetensors(staging / weights_name, tensors, {}));
    ensure(write_atomically(staging / vocabulary_name, model.vocabulary.to_text()));
    ensure(write_atomically(staging / config_name, config_text(model, shows)));
  });
}

namespace {

ModelSlices read_model(std::filesystem::path folder, std::string name) {
  const bool has_gguf = is_gguf(folder);
  if (!has_gguf && is_capture(folder)) co_return open_capture(folder, name);
  if (has_gguf || is_foreign_folder(folder)) {
    ForeignModel headers = (has_gguf ? read_gguf_headers(folder) : read_foreign_headers(folder)).value();
    ModelSlices loading = load_foreign_model(std::move(headers), name);
    while (loading.next()) co_yield loading.share();
    co_return loading.take();
  }
  if (is_capture(folder / weights_name)) co_return open_capture(folder / weights_name, name);
  std::error_code error;
  if (!std::filesystem::exists(folder / config_name, error)) {
    // The weights of a model can stand for its folder.
    const std::filesystem::path around = folder.parent_path();
    constexpr std::array ends{".safetensors", ".pt", ".pth", ".bin"};
    const bool is_weights =
        std::ranges::find(ends, folder.extension().string()) != ends.end() && !is_misnamed(folder);
    if (is_weights && has_model_config(around)) {
      ModelSlices reading = read_model(around, name);
      while (reading.next()) co_yield reading.share();
      co_return reading.take();
    }
    co_return failure(explain_open_failure(folder));
  }
  const auto config = read_config(folder / config_name).value();
  Vocabulary vocabulary =
      read_part(folder / vocabulary_name, "is not a list of words", [](const std::string& text) {
        return Vocabulary::from_text(text).value();
      }).value();
  const auto file = read_safetensors(folder / weights_name).value();
  const ParameterLayout layout = layout_of(config.architecture, vocabulary.size());
  const std::string unfit = "'" + (folder / weights_name).string() + "' does not match the model: ";
  // This comes before memory is allocated for what config.json claims.
  ensure(result_of(unfit, [&] { check_shapes(file, layout); }));
  std::vector<float> numbers(layout.size);
  for (const NamedParameter& parameter : layout.named) {
    const Tensor& tensor = *tensor_of(file, layout.architecture, parameter.path);
    ensure(result_of(unfit, [&] { place(tensor, parameter, numbers); }));
    co_yield static_cast<double>(parameter.first) / static_cast<double>(layout.size);
  }
  FolderSource source{name, content_hash(numbers, vocabulary)};
  co_return std::make_shared<const TrainedModel>(
      TrainedModel{name, config.task, config.steps, config.layer, config.head, model_of(layout, numbers),
                   std::move(vocabulary), config.accuracy, std::move(source)});
}

}  // namespace

std::uint64_t content_hash(const TrainedModel& model) {
  if (model.is_foreign() && !model.corpus) return std::get<FolderSource>(model.source).hash;
  const ParameterLayout layout = layout_of(model.model.architecture, model.vocabulary.size());
  return content_hash(parameters_of(model.model, layout), model.vocabulary);
}

ModelSlices load_model_slices(std::filesystem::path folder, std::string name) {
  std::string shown_name = name.empty() ? folder.string() : std::move(name);
  return read_model(std::move(folder), std::move(shown_name));
}

Result<std::shared_ptr<const TrainedModel>> load_weights(const std::filesystem::path& folder) {
  return is_of_text(folder / config_name) ? load_language_model(folder) : read_model(folder, "").finish();
}

namespace {

std::string listed(const ModelSearchPaths& places) {
  if (places.empty()) return "nowhere";
  return join_texts(places, ", ", [](const std::filesystem::path& place) { return place.string(); });
}

std::string subject_of(const std::string& name) {
  return "the model “" + name + "”, which is bundled with Headscope, ";
}

}  // namespace

bool is_bundled(std::string_view name) {
  return std::ranges::find(bundled_models, name, &BundledModel::name) != bundled_models.end();
}

std::string bundled_names() {
  return join_texts(bundled_models, ", ", &BundledModel::name);
}

Result<std::filesystem::path> model_folder(const std::string& name_or_folder,
                                           const ModelSearchPaths& places) {
  if (!is_bundled(name_or_folder)) return std::filesystem::path(name_or_folder);
  const auto place = std::ranges::find_if(places, [&](const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::is_directory(folder / name_or_folder, ignored);
  });
  if (place == places.end()) {
    return failure(subject_of(name_or_folder) + "is missing: reinstall Headscope. Looked in " +
                   listed(places));
  }
  return *place / name_or_folder;
}

ModelSlices open_model_slices(std::string name_or_folder, ModelSearchPaths places) {
  const std::filesystem::path folder = model_folder(name_or_folder, places).value();
  ModelSlices loading = load_model_slices(folder, is_bundled(name_or_folder) ? name_or_folder : "");
  while (loading.next()) co_yield loading.share();
  auto loaded = loading.take();
  if (!loaded && is_bundled(name_or_folder))
    loaded.error().message = subject_of(name_or_folder) + "cannot be opened: " + loaded.error().message;
  co_return loaded;
}

}  // namespace headscope
