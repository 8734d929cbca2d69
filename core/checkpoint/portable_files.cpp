#include "core/checkpoint/portable_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "core/checkpoint/family.h"
#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/saved_session.h"
#include "core/io/checkpoint_files.h"
#include "core/io/gguf.h"
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
  return failure("together, the files that it needs have more than " + megabytes(max_portable_bytes));
}

/// The files beside the weights that are read when a model is opened.
constexpr std::array<std::string_view, 11> read_beside{
    "*config.json",      "*.index.json",   "special_tokens_map.json",
    "added_tokens.json", "tokenizer.json", "vocab.*",
    "merges.txt",        "*.model",        "*.tiktoken",
    "adapter_model.*",   "*.spm"};

/// The files of a model's folder that are read when it is opened.
std::vector<fs::path> files_of_model(const fs::path& folder) {
  const auto weights = CheckpointFiles::open(folder);
  if (!weights) refuse(failure("its weights cannot be read"));
  std::set<fs::path> found;
  for (const MappedFile& file : weights->files()) found.insert(file.path());
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto fits = [&](std::string_view pattern) { return matches_pattern(name, pattern); };
    std::error_code unknown;
    if (entry->is_regular_file(unknown) && std::ranges::any_of(read_beside, fits))
      found.insert(entry->path());
  }
  if (error) refuse(failure("its folder cannot be read"));
  return {found.begin(), found.end()};
}

/// A configuration without the original path of its model.
std::string without_origin(const std::string& text) {
  auto json = parse_python_json(text);
  if (!json || !json->is_object()) return text;
  const bool has_origin = json->erase("_name_or_path") + json->erase("name_or_path") > 0;
  return has_origin ? json_text(*json) : text;
}

Result<void> add_file(const fs::path& path, const fs::path& name, std::vector<PortableFile>& files) {
  std::error_code error;
  if (fs::file_size(path, error) > max_portable_bytes && !error) return too_large();
  auto bytes = read_file(path);
  if (!bytes) return failure("“" + path.filename().string() + "” cannot be read");
  if (name.filename().string().ends_with("config.json")) *bytes = without_origin(*bytes);
  std::vector<PortableFile> one;
  one.push_back({name.generic_string(), std::move(*bytes)});
  return add_portable(std::move(one), files);
}

/// Adds the files of a model with a name to `folder`. The error says why it cannot be included.
Result<void> add_model(const TrainedModel& model, const fs::path& folder, std::vector<PortableFile>& files) {
  // The weights of a model can stand for its folder.
  fs::path path = model.name;
  std::error_code unknown;
  const bool stands_for_folder = !model.is_capture() && !is_gguf(path) && fs::is_regular_file(path, unknown);
  if (stands_for_folder) return add_portable(path.parent_path(), folder, files);
  const std::string name = (folder / sibling_name(path)).generic_string();
  const bool is_taken = std::ranges::any_of(files, [&](const PortableFile& file) {
    return file.name == name || file.name.starts_with(name + "/");
  });
  if (is_taken) return failure("another model of the same name is sent");
  return add_portable(path, name, files);
}

}  // namespace

Result<void> add_portable(std::vector<PortableFile> more, std::vector<PortableFile>& files) {
  std::size_t n_bytes = 0;
  std::set<std::string> names;
  for (const PortableFile& file : files) {
    n_bytes += file.bytes.size();
    names.insert(file.name);
  }
  for (PortableFile& file : more) {
    if (!names.insert(file.name).second) continue;
    n_bytes += file.bytes.size();
    if (n_bytes > max_portable_bytes) return too_large();
    files.push_back(std::move(file));
  }
  return {};
}

Result<void> add_portable(const fs::path& path, const fs::path& name, std::vector<PortableFile>& files) {
  if (!is_self_contained(path)) return failure("a link in it leads elsewhere, or it cannot be read");
  std::error_code error;
  if (!fs::is_directory(path, error)) return add_file(path, name, files);
  return result_of([&] {
    for (const fs::path& file : files_of_model(path)) ensure(add_file(file, name / file.filename(), files));
  });
}

Result<PortableScene> portable_scene(const Session& session, const fs::path& name) {
  if (n_mask_cells(session) > max_saved_mask_cells) return failure("its masks are too large to be sent");
  const std::vector<Session> subjects = subjects_of(session);
  std::error_code none;
  std::optional<OwnedFolder> staging;
  if (std::ranges::any_of(subjects, has_own_weights)) {
    auto made = OwnedFolder::make(fs::temp_directory_path(none));
    if (!made) return tl::unexpected(made.error());
    staging = std::move(*made);
  }
  const fs::path weights = staging ? weights_of(staging->path() / name.filename()) : fs::path();
  PortableScene sent;
  const auto written = result_of([&] {
    for (const Session& subject : subjects) {
      if (has_own_weights(subject) &&
          subject.model->weights_bytes() > static_cast<double>(max_portable_bytes))
        refuse(too_large());
    }
    const auto json = save_session_json(session, weights, ModelNaming::beside).value();
    sent.files.push_back({name.generic_string(), json_text(json)});
    for (fs::directory_iterator each(weights, none), end; !none && each != end; each.increment(none)) {
      const fs::path place = weights_of(name) / each->path().filename();
      ensure(add_portable(each->path(), place, sent.files));
    }
    std::set<std::string> known;
    for (const Session& subject : subjects) {
      const ModelRef& model = subject.model;
      if (!model || has_own_weights(subject) || is_bundled(model->name) || !known.insert(model->name).second)
        continue;
      const std::size_t before = sent.files.size();
      if (const auto added = add_model(*model, name.parent_path(), sent.files); !added) {
        sent.files.resize(before);
        sent.missing_parts +=
            (sent.missing_parts.empty() ? "" : "; ") + model->title() + ": " + added.error().message;
      }
    }
  });
  if (staging) staging->remove();
  if (!written) return tl::unexpected(written.error());
  return sent;
}

}  // namespace headscope
