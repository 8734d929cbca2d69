#include "core/checkpoint/model_shelf.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/caught.h"
#include "core/checkpoint/foreign_folder.h"
#include "core/io/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_models = 200;
/// The limit for one folder. Further entries are ignored.
constexpr std::size_t most_entries = 2000;

bool is_model(const fs::path& folder) {
  std::error_code unknown;
  return fs::is_regular_file(folder / "config.json", unknown);
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && found.size() < most_entries; entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_directory(unknown)) found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

/// The snapshot of a repository in the hub's cache that is to be opened. Empty if there is none.
std::optional<fs::path> snapshot_of(const fs::path& repository) {
  constexpr std::size_t most_bytes = 256;
  if (const auto named = read_file(repository / "refs" / "main", most_bytes)) {
    const fs::path snapshot = repository / "snapshots" / named->substr(0, named->find_first_of("\r\n"));
    if (is_model(snapshot)) return snapshot;
  }
  std::optional<fs::path> newest;
  fs::file_time_type written;
  for (const fs::path& snapshot : folders_in(repository / "snapshots")) {
    std::error_code unknown;
    const fs::file_time_type time = fs::last_write_time(snapshot, unknown);
    if (unknown || !is_model(snapshot) || (newest && time <= written)) continue;
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

class Shelf {
 public:
  void add_folder(const fs::path& folder) {
    if (is_model(folder)) return add(folder.filename().string(), folder);
    for (const fs::path& inner : folders_in(folder)) {
      if (inner.filename().string().starts_with(hub_prefix)) {
        if (const auto snapshot = snapshot_of(inner)) add(hub_name(inner), *snapshot);
      } else if (is_model(inner)) {
        add(inner.filename().string(), inner);
      } else {
        for (const fs::path& innermost : folders_in(inner)) {
          if (is_model(innermost))
            add(inner.filename().string() + "/" + innermost.filename().string(), innermost);
        }
      }
    }
  }
  std::vector<ShelvedModel> take() {
    std::ranges::stable_sort(models_, {}, &ShelvedModel::name);
    return std::move(models_);
  }

 private:
  void add(std::string name, const fs::path& folder) {
    std::error_code unknown;
    if (models_.size() >= most_models || !seen_.insert(fs::weakly_canonical(folder, unknown)).second) return;
    ShelvedModel model{std::move(name), folder, {}, {}};
    try {
      auto about = describe_folder(folder);
      (about ? model.about : model.problem) = about ? std::move(*about) : about.error().message;
    } catch (...) {
      model.problem = caught_text();
    }
    models_.push_back(std::move(model));
  }

  std::vector<ShelvedModel> models_;
  std::set<fs::path> seen_;
};

}  // namespace

std::vector<ShelvedModel> models_in(std::span<const fs::path> folders) {
  Shelf shelf;
  for (const fs::path& folder : folders) shelf.add_folder(folder);
  return shelf.take();
}

}  // namespace headscope
