#include "core/checkpoint/sent_files.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <system_error>

#include "core/checkpoint/bundled_models.h"
#include "core/checkpoint/kept_masks.h"
#include "core/checkpoint/saved_session.h"
#include "core/checkpoint/scene_file.h"
#include "core/io/json_text.h"
#include "core/system/owned_folder.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

std::string megabytes(double bytes) {
  return std::to_string(static_cast<long long>(bytes / 1e6)) + " MB";
}

tl::unexpected<Error> too_large() {
  return failure("together, the files that it needs have more than " + megabytes(most_sent_bytes));
}

/// Whether the file of a model holds its weights in a format that safetensors files stand beside.
bool is_other_format(const fs::path& file) {
  constexpr std::array<std::string_view, 6> endings{".bin", ".pt", ".pth", ".h5", ".msgpack", ".onnx"};
  return std::ranges::find(endings, file.extension().string()) != endings.end();
}

Result<void> add_file(const fs::path& path, const fs::path& name, std::vector<SentFile>& files) {
  std::size_t n_bytes = 0;
  for (const SentFile& file : files) n_bytes += file.bytes.size();
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (!error && size > most_sent_bytes - std::min(n_bytes, most_sent_bytes)) return too_large();
  auto bytes = read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  if (bytes->size() > most_sent_bytes - std::min(n_bytes, most_sent_bytes)) return too_large();
  files.push_back({name.generic_string(), std::move(*bytes)});
  return {};
}

/// Adds the files of a model that has a name to `folder`. The error says why it cannot be sent.
Result<void> add_model(const TrainedModel& model, const fs::path& folder, std::vector<SentFile>& files) {
  const std::string name = (folder / name_beside(model.name)).generic_string();
  const bool is_taken = std::ranges::any_of(
      files, [&](const SentFile& file) { return file.name == name || file.name.starts_with(name + "/"); });
  if (is_taken) return failure("another model of the same name is sent");
  return add_sent(model.name, name, files);
}

}  // namespace

Result<void> add_sent(const fs::path& path, const fs::path& name, std::vector<SentFile>& files) {
  if (!is_alone(path)) return failure("a link in it leads elsewhere, or it cannot be read");
  std::error_code error;
  if (!fs::is_directory(path, error)) return add_file(path, name, files);
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    const bool is_hidden = entry->path().filename().string().starts_with(".");
    if (!is_hidden && entry->is_regular_file(unknown)) found.push_back(entry->path());
  }
  if (error) return failure("'" + path.string() + "' cannot be read: " + error.message());
  const auto is_safetensors = [](const fs::path& file) { return file.extension() == ".safetensors"; };
  if (std::ranges::any_of(found, is_safetensors)) std::erase_if(found, is_other_format);
  std::ranges::sort(found);
  for (const fs::path& file : found) {
    if (auto added = add_file(file, name / file.filename(), files); !added) return added;
  }
  return {};
}

Result<SentScene> sent_scene(const Session& session, const fs::path& name) {
  if (n_mask_cells(session) > most_kept_mask_cells) return failure("its masks are too large to be sent");
  auto apart = OwnedFolder::make(fs::temp_directory_path() / "headscope-sent");
  if (!apart) return tl::unexpected(apart.error());
  const fs::path weights = weights_of(apart->path() / name.filename());
  SentScene sent;
  const auto write = [&]() -> Result<void> {
    const std::vector<Session> subjects = subjects_of(session);
    for (const Session& subject : subjects) {
      if (!subject.model || !subject.model->name.empty()) continue;
      if (subject.model->weights_bytes() > static_cast<double>(most_sent_bytes)) return too_large();
    }
    const auto json = kept_session(session, weights, ModelNames::beside);
    if (!json) return tl::unexpected(json.error());
    sent.files.push_back({name.generic_string(), json_text(*json)});
    std::error_code none;
    for (fs::directory_iterator each(weights, none), end; !none && each != end; each.increment(none)) {
      const fs::path place = weights_of(name) / each->path().filename();
      if (auto added = add_sent(each->path(), place, sent.files); !added) return added;
    }
    std::set<std::string> known;
    for (const Session& subject : subjects) {
      const ModelValue& model = subject.model;
      if (!model || model->name.empty() || is_bundled(model->name) || !known.insert(model->name).second)
        continue;
      const std::size_t before = sent.files.size();
      if (const auto added = add_model(*model, name.parent_path(), sent.files); !added) {
        sent.files.resize(before);
        sent.lacks += (sent.lacks.empty() ? "" : "; ") + model->title() + ": " + added.error().message;
      }
    }
    return {};
  };
  const auto written = write();
  apart->remove();
  if (!written) return tl::unexpected(written.error());
  return sent;
}

}  // namespace headscope
