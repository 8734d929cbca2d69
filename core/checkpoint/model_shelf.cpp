#include "core/checkpoint/model_shelf.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/caught.h"
#include "core/checkpoint/capture.h"
#include "core/checkpoint/foreign_model.h"
#include "core/io/gguf.h"
#include "core/io/json_text.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_models = 200;
/// The limit for one folder. Further entries are ignored.
constexpr std::size_t max_entries = 2000;

/// The entries of a folder that are of this type, sorted.
std::vector<fs::path> entries_in(const fs::path& folder, fs::file_type type) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && found.size() < max_entries;
       entry.increment(error)) {
    std::error_code unknown;
    if (entry->status(unknown).type() == type) found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  return entries_in(folder, fs::file_type::directory);
}

std::vector<fs::path> files_in(const fs::path& folder) {
  return entries_in(folder, fs::file_type::regular);
}

std::vector<fs::path> gguf_files_in(const fs::path& folder) {
  std::vector<fs::path> files = files_in(folder);
  std::erase_if(files, [](const fs::path& file) { return file.extension() != ".gguf"; });
  return files;
}

bool holds_model(const fs::path& folder) {
  return has_model_config(folder) || !gguf_files_in(folder).empty();
}

/// The snapshot of a repository in the hub's cache that is to be opened. Empty if there is none.
std::optional<fs::path> snapshot_of(const fs::path& repository) {
  constexpr std::size_t max_bytes = 256;
  if (const auto named = read_file(repository / "refs" / "main", max_bytes)) {
    const fs::path snapshot = repository / "snapshots" / named->substr(0, named->find_first_of("\r\n"));
    if (holds_model(snapshot)) return snapshot;
  }
  std::optional<fs::path> newest;
  fs::file_time_type written;
  for (const fs::path& snapshot : folders_in(repository / "snapshots")) {
    std::error_code unknown;
    const fs::file_time_type time = fs::last_write_time(snapshot, unknown);
    if (unknown || !holds_model(snapshot) || (newest && time <= written)) continue;
    newest = snapshot;
    written = time;
  }
  return newest;
}

/// “models--openai-community--gpt2” is the hub's folder of openai-community/gpt2.
constexpr std::string_view hub_prefix = "models--";

std::string hub_name(const fs::path& repository) {
  std::string name = repository.filename().string().substr(hub_prefix.size());
  if (const std::size_t at = name.find("--"); at != std::string::npos) name.replace(at, 2, "/");
  return name;
}

/// The file of weights that a manifest of Ollama's names. Empty if it names none.
fs::path blob_of(const fs::path& manifest, const fs::path& blobs) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20U;
  const auto json = read_file(manifest, max_bytes).and_then(parse_json);
  if (!json || !json->is_object() || !json->contains("layers") || !(*json)["layers"].is_array()) return {};
  for (const nlohmann::json& layer : (*json)["layers"]) {
    if (!layer.is_object() ||
        layer.value("mediaType", nlohmann::json()) != "application/vnd.ollama.image.model")
      continue;
    const nlohmann::json digest = layer.value("digest", nlohmann::json());
    if (!digest.is_string()) return {};
    constexpr std::string_view plain_letters = "0123456789abcdefghijklmnopqrstuvwxyz-";
    // “sha256:…” is the file sha256-….
    std::string name = digest.get<std::string>();
    std::ranges::replace(name, ':', '-');
    const bool is_plain = name.find_first_not_of(plain_letters) == std::string::npos;
    return is_plain ? blobs / name : fs::path();
  }
  return {};
}

/// “llama3.2:1b” for registry.ollama.ai/library/llama3.2/1b. For other registries or owners, the name
/// includes them.
std::string ollama_name(const fs::path& manifest, const fs::path& manifests) {
  std::string name = manifest.parent_path().lexically_relative(manifests).string();
  for (const std::string_view usual : {"registry.ollama.ai/", "library/"}) {
    if (name.starts_with(usual)) name.erase(0, usual.size());
  }
  return name + ":" + manifest.filename().string();
}

class Shelf {
 public:
  void add_place(const fs::path& place) {
    if (place.extension() == ".gguf" || is_gguf(place)) return add_file(place);
    if (is_capture(place)) return add(place.stem().string(), place, describe_capture);
    if (fs::path manifests = place / "manifests"; !folders_in(manifests).empty())
      return add_manifests(manifests, manifests, place / "blobs");
    if (has_model_config(place)) return add(place.filename().string(), place, describe_folder);
    add_files(place);
    for (const fs::path& inner : folders_in(place)) {
      if (inner.filename().string().starts_with(hub_prefix)) {
        if (const auto snapshot = snapshot_of(inner)) add_snapshot(hub_name(inner), *snapshot);
      } else if (has_model_config(inner)) {
        add(inner.filename().string(), inner, describe_folder);
      } else {
        add_files(inner);
        for (const fs::path& innermost : folders_in(inner)) {
          add_files(innermost);
          if (has_model_config(innermost))
            add(inner.filename().string() + "/" + innermost.filename().string(), innermost, describe_folder);
        }
      }
    }
  }
  std::vector<DiscoveredModel> take() {
    std::ranges::stable_sort(models_, {}, &DiscoveredModel::name);
    return std::move(models_);
  }

 private:
  using Describe = Result<std::string> (*)(const fs::path& path);

  void add_file(const fs::path& file) { add(file.stem().string(), file, describe_gguf); }
  void add_files(const fs::path& folder) {
    for (const fs::path& file : gguf_files_in(folder)) add_file(file);
  }
  void add_snapshot(const std::string& name, const fs::path& snapshot) {
    if (has_model_config(snapshot)) return add(name, snapshot, describe_folder);
    add_files(snapshot);
  }
  /// Manifests lie four folders deep: the registry, the owner, the model, and a file for each tag.
  void add_manifests(const fs::path& folder, const fs::path& manifests, const fs::path& blobs,
                     int depth = 0) {
    constexpr int deepest = 3;
    for (const fs::path& file : files_in(folder)) {
      const fs::path weights = blob_of(file, blobs);
      if (!weights.empty()) add(ollama_name(file, manifests), weights, describe_gguf);
    }
    if (depth == deepest) return;
    for (const fs::path& inner : folders_in(folder)) add_manifests(inner, manifests, blobs, depth + 1);
  }
  void add(std::string name, const fs::path& path, Describe describe) {
    std::error_code unknown;
    if (models_.size() >= max_models || !seen_.insert(fs::weakly_canonical(path, unknown)).second) return;
    DiscoveredModel model{std::move(name), path, {}, {}};
    try {
      auto about = describe(path);
      (about ? model.about : model.problem) = about ? std::move(*about) : about.error().message;
    } catch (...) {
      model.problem = current_exception_message();
    }
    models_.push_back(std::move(model));
  }

  std::vector<DiscoveredModel> models_;
  std::set<fs::path> seen_;
};

}  // namespace

std::vector<DiscoveredModel> models_in(std::span<const fs::path> places) {
  Shelf shelf;
  for (const fs::path& place : places) shelf.add_place(place);
  return shelf.take();
}

}  // namespace headscope
