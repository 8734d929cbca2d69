// Fuzzes the folder of a model. The input is config.json, a NUL, vocab.txt, a NUL, and model.safetensors. If
// the last part is empty, tensors that fit the other two are made, so that the code after reading them is
// reached.

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/checkpoint/model_folder.h"
#include "core/engine/engine.h"
#include "core/io/json_text.h"
#include "core/io/safetensors.h"
#include "core/model/parameters.h"
#include "core/model/stage.h"
#include "core/session/setting_json.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

constexpr std::size_t max_numbers = 100'000;  // a larger model only takes longer

/// Whether the model is small enough to be made and computed.
bool is_small(const Architecture& a, std::size_t n_words) {
  constexpr double most = max_numbers;
  const double of_words = 2.0 * static_cast<double>(n_words) * a.d_model;
  const double of_positions = static_cast<double>(learned_positions) * a.d_model;
  return count_parameters(a) + of_words <= most &&
         (a.positions != Positions::learned || of_positions <= most);
}

void put_fitting_weights(std::string_view config, std::string_view words) {
  const auto json = parse_json(config);
  if (!json || !json->is_object() || !json->contains("architecture")) return;
  const auto architecture = architecture_from_json((*json)["architecture"]);
  const auto vocabulary = Vocabulary::from_text(words);
  if (!architecture || !vocabulary) return;
  if (!is_small(*architecture, static_cast<std::size_t>(vocabulary->size()))) return;
  const ParameterLayout layout = layout_of(*architecture, vocabulary->size());
  std::vector<float> numbers(layout.size);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 11) * 0.1F - 0.5F;
  std::vector<TensorView> tensors;
  for (const NamedParameter& p : layout.named) {
    const auto cols = static_cast<std::size_t>(p.cols);
    std::vector<std::size_t> shape{cols};
    if (p.rows != 1) shape.insert(shape.begin(), static_cast<std::size_t>(p.rows));
    tensors.push_back({p.path, shape, {numbers.data() + p.first, p.rows, p.cols, p.stride}});
  }
  require(write_safetensors("model/model.safetensors", tensors, {}).has_value(),
          "the tensors can be written");
}

void check_saved_again(const TrainedModel& model) {
  require(save_model("saved", model).has_value(), "a model that was read can be written");
  fuzzing::next_work();
  const auto again = load_model("saved");
  fuzzing::next_work();
  require(again.has_value(), "a model that was written can be read");
  const TrainedModel& other = **again;
  require(other.model.architecture == model.model.architecture && other.task == model.task &&
              other.steps == model.steps && other.layer == model.layer && other.head == model.head &&
              other.accuracy == model.accuracy && other.vocabulary.words() == model.vocabulary.words(),
          "a model read back is described the same");
  const ParameterLayout layout = layout_of(model.model.architecture, model.vocabulary.size());
  require(parameters_of(model.model, layout) == parameters_of(other.model, layout),
          "a model read back has the same numbers");
}

void check_pass(const std::shared_ptr<const TrainedModel>& model) {
  static Engine engine(1);
  Request request;
  request.sentence = "the animal ___ [pad] it";
  request.target = "[begin] it";
  request.architecture = model->model.architecture;
  request.model = model;
  const auto trace = engine.compute(request, TooLong::cut);
  if (!trace) return fuzzing::require_readable(trace.error().message);
  for (const StageId& id : (*trace)->stages()) {
    const MatrixView values = (*trace)->value(id);
    if (id.kind != StageKind::weights) continue;
    // Numbers beyond the range of float can give weights that are not finite; such weights are not checked.
    bool finite = true;
    for (int r = 0; r < values.rows; ++r) {
      for (int c = 0; c < values.cols; ++c) finite = finite && std::isfinite(values(r, c));
    }
    if (finite) fuzzing::require_weights(values);
  }
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const auto parts = fuzzing::parts_of(fuzzing::text_of(data, size), 3);
  fuzzing::scratch();
  std::filesystem::create_directories("model");
  fuzzing::put("model/config.json", parts[0]);
  fuzzing::put("model/vocab.txt", parts[1]);
  fuzzing::put("model/model.safetensors", parts[2]);
  if (parts[2].empty()) put_fitting_weights(parts[0], parts[1]);
  fuzzing::next_work();
  const auto model = load_model("model");
  fuzzing::next_work();
  if (!model) {
    fuzzing::require_readable(model.error().message);
    return 0;
  }
  check_saved_again(**model);
  if (is_small((*model)->model.architecture, static_cast<std::size_t>((*model)->vocabulary.size()))) {
    check_pass(*model);
  }
  return 0;
}
