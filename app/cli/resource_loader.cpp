#include "app/cli/resource_loader.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "app/cli/figure_session.h"
#include "app/cli/set_option.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/mask_file.h"
#include "core/model/trained_model.h"
#include "core/system/process.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

/// Several pictures may each tokenize a batch again, which takes up to two seconds at this size.
constexpr std::size_t max_batch_bytes = std::size_t{128} << 10U;

/// The masks of the subjects, in the order in which options name them.
std::vector<std::shared_ptr<const LoadedMask>> masks_of(const std::vector<Session>& subjects) {
  std::vector<std::shared_ptr<const LoadedMask>> masks;
  for (const Session& subject : subjects) {
    const AttentionOptions& attention = subject.attention;
    for (const MaskSpec* mask : {&attention.mask, &attention.target_mask, &attention.cross_mask})
      masks.insert(masks.end(), mask->loaded.begin(), mask->loaded.end());
  }
  return masks;
}

}  // namespace

ResourceLoader files() {
  return {[](const std::string& name) { return open_model(name, bundled_model_folders()); },
          [](const std::string& file, const std::string& axes) { return read_mask(file, axes); },
          [](const std::string& file) { return read_to_end(file, max_batch_bytes); },
          [](const std::string& file) { return read_session_file(file); }, read_number_file};
}

ResourceLoader session_loader(const Session& session) {
  using Model = Result<std::shared_ptr<const TrainedModel>>;
  using Mask = Result<std::shared_ptr<const LoadedMask>>;
  ResourceLoader loader;
  const std::vector<Session> subjects = subjects_of(session);
  loader.model = [subjects](const std::string& name) -> Model {
    const auto found = std::ranges::find_if(
        subjects, [&](const Subject& subject) { return subject.model && subject.model->name == name; });
    if (found != subjects.end()) return found->model.shared();
    return failure("there is no model '" + name + "'");
  };
  loader.mask = [masks = masks_of(subjects)](const std::string& file, const std::string& axes) -> Mask {
    const auto found = std::ranges::find_if(
        masks, [&](const auto& mask) { return mask->name == file && (axes.empty() || mask->axes == axes); });
    if (found != masks.end()) return *found;
    return failure("there is no mask '" + file + "'");
  };
  const auto none = [](const std::string& file) { return failure("there is no '" + file + "'"); };
  loader.scene = none;
  loader.batch = none;
  loader.numbers = none;
  return loader;
}

Result<std::vector<std::string>> batch_of(const std::string& file, const ResourceLoader& loader) {
  const Result<std::string> text = loader.batch(file);
  if (!text)
    return failure(text.error().message +
                   ": a batch is a text file with one sentence per line; split a larger one");
  std::vector<std::string> sentences;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (!tokenize(line, TokenizerKind::word).empty()) sentences.push_back(line);
  }
  if (sentences.empty()) return failure("the batch '" + file + "' has no words: write one sentence per line");
  return sentences;
}

}  // namespace headscope
