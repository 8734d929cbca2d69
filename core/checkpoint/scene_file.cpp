#include "core/checkpoint/scene_file.h"

#include <algorithm>
#include <string>

#include "core/io/atomic_file.h"
#include "core/io/json_text.h"
#include "core/io/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_scene_bytes = std::size_t{16} << 20U;
constexpr int scene_indent = 1;

fs::path weights_of(const fs::path& file) {
  fs::path folder = file;
  folder += ".weights";
  return folder;
}

bool has_loaded_masks(const Session& session) {
  return std::ranges::any_of(subjects_of(session), [](const Session& subject) {
    const AttentionOptions& attention = subject.attention;
    return !attention.mask.loaded.empty() || !attention.target_mask.loaded.empty() ||
           !attention.cross_mask.loaded.empty();
  });
}

}  // namespace

bool is_scene_file(const fs::path& file) {
  return file.extension() == scene_extension;
}

Result<void> write_scene(const fs::path& file, const Session& session) {
  if (has_loaded_masks(session))
    return failure("'" + file.string() +
                   "' was not written: a scene holds no masks that were loaded from files; remove them under "
                   "Mask, or paint them");
  const auto json = kept_session(session, weights_of(file));
  if (!json) return tl::unexpected(json.error());
  const std::string text = json_text(*json, scene_indent) + "\n";
  if (text.size() > most_scene_bytes)
    return failure("'" + file.string() + "' was not written: it would take " +
                   std::to_string(text.size() >> 20U) + " MiB, and a scene has at most " +
                   std::to_string(most_scene_bytes >> 20U) + "; give fewer numbers by hand");
  if (auto written = write_atomically(file, text); !written) return written;
  remove_other_weights(weights_of(file), *json);
  return {};
}

Result<KeptSession> read_scene(const fs::path& file, const ModelPlaces& places, const ModelValue& instead) {
  const auto refused = [&](const std::string& why) {
    return failure("'" + file.string() + "' cannot be opened as a scene: " + why);
  };
  const auto text = read_file(file, most_scene_bytes);
  if (!text) return tl::unexpected(text.error());
  const auto json = parse_json(*text);
  if (!json) return refused(json.error().message);
  auto kept = read_kept_session(*json, weights_of(file), places, instead);
  if (!kept) return refused(kept.error().message);
  return kept;
}

}  // namespace headscope
