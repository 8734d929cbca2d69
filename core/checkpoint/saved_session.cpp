#include "core/checkpoint/saved_session.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/checkpoint/model_folder.h"
#include "core/exact_text.h"
#include "core/io/inside.h"
#include "core/io/json_text.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* session_name = "session.json";
constexpr std::string_view weights_begin = "weights-";
constexpr int session_indent = 1;

std::string hash_of(const TrainedModel& model) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(content_hash(model)));
  return digits.data();
}

constexpr const char* hash_name = "model_hash";

/// Whether the numbers of a model, found by name, have changed since the name was written.
bool has_changed(const Json& subject, const ModelRef& model) {
  if (!model || !subject.is_object()) return false;
  const auto hash = subject.find(hash_name);
  return hash != subject.end() && hash->is_string() && *hash != hash_of(*model);
}

/// Whether a model has the numbers of the model that a subject names.
bool is_same(const Json& subject, const ModelRef& model) {
  return model && subject.contains(hash_name) && !has_changed(subject, model);
}

/// Opens the model that a subject names at its recorded place or else beside the session's file, because both
/// may have been moved. If it is at neither place, returns the error of the first.
Result<ModelRef> named_model(const Json& subject, const std::string& name, const fs::path& beside,
                             const ModelSearchPaths& places, Author author) {
  const auto opened = [&](const std::string& at) {
    return open_model(at, places).map([](const auto& model) { return ModelRef(model); });
  };
  if (is_bundled(name)) return opened(name);
  const auto reached = author == Author::reader ? Result<void>() : check_inside(beside, name, "scene");
  std::error_code refused;
  const bool is_there = fs::exists(name, refused) || refused;
  const bool may_be_read = reached || !is_there || is_self_contained(name);
  const auto found = may_be_read ? opened(name) : Result<ModelRef>(tl::unexpected(reached.error()));
  if (found && (is_same(subject, *found) || (reached && !has_changed(subject, *found)))) return found;
  for (const fs::path& moved : {fs::path(name), fs::path(name).filename()}) {
    std::error_code ignored;
    const auto place = inside(beside, moved, "scene");
    if (!place || !fs::exists(*place, ignored)) continue;
    auto other = opened(place->string());
    if (other && is_same(subject, *other)) return other;
  }
  // Reveals nothing about a file elsewhere, not even why it is no model.
  if (!reached && is_there)
    return failure(reached.error().message + ". It does not have the numbers that the scene was saved with");
  return found;
}

/// The folder of a file, which inside() needs by name.
fs::path parent_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// The trained weights that a subject names. Null if it names none.
Result<ModelRef> model_of(const Json& subject, const fs::path& folder, const ModelSearchPaths& places,
                          Author author, const ModelRef& instead) {
  if (!subject.is_object()) return ModelRef();
  if (const auto weights = subject.find("weights"); weights != subject.end() && weights->is_string()) {
    const auto inside_it = inside(folder, weights->get<std::string>(), "scene");
    const auto place = inside_it ? check_inside(parent_of(folder), *inside_it, "scene") : Result<void>();
    if (!inside_it || !place) return tl::unexpected(inside_it ? place.error() : inside_it.error());
    return load_weights(*inside_it).map([](const auto& model) { return ModelRef(model); });
  }
  const auto name = subject.find("model");
  const bool is_named = name != subject.end() && name->is_string();
  if (!is_named && !subject.contains(hash_name)) return ModelRef();
  const auto named = is_named
                         ? named_model(subject, name->get<std::string>(), parent_of(folder), places, author)
                         : failure("its numbers were made while the program ran and are in no file");
  const bool is_there = named && !has_changed(subject, *named);
  return !is_there && is_same(subject, instead) ? Result<ModelRef>(instead) : named;
}

/// The objects of all subjects in a session's JSON, that of the session itself first.
template <class Object>
std::vector<Object*> subjects_in(Object& session) {
  std::vector<Object*> subjects{&session};
  if (!session.is_object() || !session.contains("held") || !session["held"].is_array()) return subjects;
  for (auto& compared : session["held"]) subjects.push_back(&compared);
  return subjects;
}

/// Names the model of a subject and describes its numbers.
void name_model(const Subject& subject, ModelNaming names, Json& json) {
  if (!subject.model || is_bundled(subject.model->name)) return;
  std::error_code ignored;
  if (!has_own_weights(subject) && names == ModelNaming::absolute)
    json["model"] = fs::absolute(subject.model->name, ignored).string();
  if (!has_own_weights(subject) && names == ModelNaming::beside)
    json["model"] = sibling_name(subject.model->name);
  json[hash_name] = hash_of(*subject.model);
}

/// Writes the weights of a subject that are in no folder, and names the folder of its weights in the JSON.
void keep_weights(const Subject& subject, const fs::path& folder, Json& json) {
  if (!has_own_weights(subject)) return;
  const std::string name = std::string(weights_begin) + json[hash_name].get<std::string>();
  json["weights"] = name;
  json.erase(hash_name);
  std::error_code ignored;
  if (fs::is_symlink(folder, ignored) || fs::is_symlink(folder / name, ignored))
    refuse(failure("the weights were not written to '" + folder.string() +
                   "', because a link has that name: remove it, or choose another name"));
  if (!fs::exists(folder / name, ignored)) ensure(save_model(folder / name, *subject.model));
}

std::string name_of(const ModelRef& model) {
  return model->name.empty() ? "which was trained in Headscope" : model->name;
}

// Masks from files

constexpr const char* masks_name = "masks";

/// The masks of a subject, with their names in the JSON.
constexpr std::array<std::pair<const char*, MaskSpec AttentionOptions::*>, 3> all_masks{
    {{"mask", &AttentionOptions::mask},
     {"target_mask", &AttentionOptions::target_mask},
     {"cross_mask", &AttentionOptions::cross_mask}}};

/// The row of an additive mask: "0,-inf,0.5", each number as the shortest text that reads back as the same
/// float.
std::string added_row(std::span<const float> row) {
  return join_texts(row, ",", [](float value) { return exact_text(value); });
}

/// The row of a boolean mask: "1101".
std::string boolean_row(std::span<const float> row) {
  std::string text;
  for (const float value : row) text += value == 0.0F ? '0' : '1';
  return text;
}

Json json_of(const LoadedMask& mask) {
  const auto cols = static_cast<std::size_t>(mask.cols);
  const std::span<const float> values = mask.values;
  Json rows = Json::array();
  for (std::size_t first = 0; cols > 0 && first + cols <= values.size(); first += cols) {
    const auto row = values.subspan(first, cols);
    rows.push_back(mask.additive ? added_row(row) : boolean_row(row));
  }
  return {{"name", mask.name},
          {"axes", mask.axes},
          {"additive", mask.additive},
          {"heads_or_sequences", mask.heads_or_sequences},
          {"shape", {mask.n_sequences, mask.n_heads, mask.rows, mask.cols}},
          {"rows", std::move(rows)}};
}

bool read_added_row(std::string_view text, LoadedMask& mask) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view number = text.substr(0, end);
    float value = MaskValue::minus_infinity;
    if (number != "-inf") {
      const auto [read, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (error != std::errc{} || read != number.data() + number.size() || !std::isfinite(value))
        return false;
    }
    mask.values.push_back(value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

bool read_boolean_row(std::string_view text, LoadedMask& mask) {
  if (text.find_first_not_of("01") != std::string_view::npos) return false;
  for (const char letter : text) mask.values.push_back(letter == '1' ? 1.0F : 0.0F);
  return true;
}

/// Appends the numbers of a row of `cols` cells. Returns false if it holds anything else.
bool read_row(const std::string& row, std::size_t cols, LoadedMask& mask) {
  const std::size_t before = mask.values.size();
  return (mask.additive ? read_added_row(row, mask) : read_boolean_row(row, mask)) &&
         mask.values.size() - before == cols;
}

/// Reads what json_of() wrote. Returns false if the numbers do not match the shape.
bool read_mask(const Json& json, LoadedMask& mask) try {
  for (const auto& [key, text] : {std::pair("name", &mask.name), std::pair("axes", &mask.axes)})
    *text = json.at(key).get<std::string>();
  mask.additive = json.at("additive").get<bool>();
  mask.heads_or_sequences = json.at("heads_or_sequences").get<bool>();
  const std::array sides{&mask.n_sequences, &mask.n_heads, &mask.rows, &mask.cols};
  if (json.at("shape").size() != sides.size()) return false;
  double n_rows = 1.0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    constexpr std::int64_t most = 1 << 20;
    const Json& number = json["shape"].at(i);
    const auto side = number.is_number_integer() ? number.get<std::int64_t>() : 0;
    if (side < 1 || side > most) return false;
    *sides[i] = static_cast<int>(side);
    if (i + 1 < sides.size()) n_rows *= static_cast<double>(side);
  }
  const Json& rows = json.at("rows");
  return rows.is_array() && static_cast<double>(rows.size()) == n_rows &&
         std::ranges::all_of(rows, [&](const Json& row) {
           return read_row(row.get<std::string>(), static_cast<std::size_t>(mask.cols), mask);
         });
} catch (const Json::exception&) {
  return false;
}

/// Writes masks from files into the JSON of a subject. Each row is a text, such as "1101" for a boolean mask
/// and "0,-inf,0.5" for an additive one.
void save_masks(const AttentionOptions& attention, Json& subject) {
  for (const auto& [name, spec] : all_masks) {
    for (const auto& mask : (attention.*spec).loaded) subject[masks_name][name].push_back(json_of(*mask));
  }
}

/// Reduces the paths of these masks to file names, for JSON that leaves the machine.
void shorten_mask_names(Json& subject) {
  const auto shorten = [](Json& masks) {
    if (!masks.is_array()) return;
    for (Json& mask : masks) {
      if (mask.is_object() && mask.contains("name") && mask["name"].is_string())
        mask["name"] = std::filesystem::path(mask["name"].get<std::string>()).filename().string();
    }
  };
  if (subject.contains(masks_name))
    for (Json& masks : subject[masks_name]) shorten(masks);
  if (!subject.contains("attention")) return;
  for (auto& [key, value] : subject["attention"].items())
    if (key.ends_with("mask_files")) shorten(value);
}

/// Replaces masks with equal ones of `other`, so that subjects share them.
void share_masks(AttentionOptions& attention, const AttentionOptions& other) {
  for (const auto& [name, spec] : all_masks) {
    for (auto& mask : (attention.*spec).loaded) {
      for (const auto& [other_name, other_spec] : all_masks) {
        const auto& known = (other.*other_spec).loaded;
        const auto same = std::ranges::find_if(known, [&](const auto& each) { return *each == *mask; });
        if (same != known.end()) mask = *same;
      }
    }
  }
}

/// Reads what save_masks() wrote. It is an error if a mask's numbers do not match its shape.
void read_masks(const Json& subject, AttentionOptions& attention) {
  if (!subject.is_object() || !subject.contains(masks_name)) return;
  const Json& masks = subject[masks_name];
  if (!masks.is_object()) refuse(failure("“" + std::string(masks_name) + "” is not an object"));
  for (const auto& [name, spec] : all_masks) {
    if (!masks.contains(name)) continue;
    if (!masks[name].is_array()) refuse(failure("“masks." + std::string(name) + "” is not a list"));
    for (const Json& each : masks[name]) {
      LoadedMask mask;
      if (!read_mask(each, mask))
        refuse(failure("a mask in it does not hold the numbers that its shape announces"));
      (attention.*spec).loaded.push_back(std::make_shared<const LoadedMask>(std::move(mask)));
    }
  }
}

/// Whether a subject names masks from files without their numbers, as the session JSON in traces does.
bool omits_masks(const Json& session) {
  const Json::json_pointer names("/attention/mask_files");
  return std::ranges::any_of(subjects_in(session), [&](const Json* each) {
    return each->is_object() && each->contains(names) && !each->contains("masks");
  });
}

/// Sets the masks from files of every subject of a session.
void read_masks_of_all(const Json& json, Session& session) {
  const std::vector<const Json*> objects = subjects_in(json);
  for (std::size_t i = 0; i < objects.size() && i <= session.compared.size(); ++i) {
    Subject& subject = i == 0 ? static_cast<Subject&>(session) : session.compared[i - 1];
    read_masks(*objects[i], subject.attention);
    if (i > 0) share_masks(subject.attention, session.attention);
  }
}

/// The session as JSON. Masks from files are embedded, unless they have more than `max_saved_mask_cells`
/// cells. Models are stored as name and hash of their numbers; weights that are in no folder as hash only.
Json session_with_model_names(const Session& session, ModelNaming names) {
  Json json = parse_json(to_json(session)).value();
  const std::vector<Json*> objects = subjects_in(json);
  const std::vector<Session> subjects = subjects_of(session);
  const bool keeps_masks = n_mask_cells(session) <= max_saved_mask_cells;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    name_model(subjects[i], names, *objects[i]);
    if (keeps_masks) save_masks(subjects[i].attention, *objects[i]);
    if (keeps_masks && names != ModelNaming::absolute) shorten_mask_names(*objects[i]);
  }
  return json;
}

}  // namespace

bool has_no_file(const ModelRef& model) {
  std::error_code unknown;
  return model && model->is_capture() && !fs::exists(model->name, unknown);
}

bool has_own_weights(const Subject& subject) {
  return subject.model && (subject.model->name.empty() || has_no_file(subject.model));
}

bool is_self_contained(const fs::path& model) {
  std::error_code error;
  const fs::path place = fs::canonical(model, error);
  if (error) return false;
  const fs::path root = fs::is_directory(place, error) ? place : place.parent_path();
  const bool is_snapshot = root.parent_path().filename() == "snapshots";
  return check_inside(is_snapshot ? root.parent_path().parent_path() : root, place, "model").has_value();
}

std::string sibling_name(const fs::path& model) {
  return (model.has_filename() ? model : model.parent_path()).filename().string();
}

std::size_t n_mask_cells(const Session& session) {
  std::size_t n = 0;
  for (const Session& subject : subjects_of(session)) {
    for (const auto& [name, spec] : all_masks) {
      for (const auto& mask : (subject.attention.*spec).loaded) n += mask->values.size();
    }
  }
  return n;
}

Result<Json> save_session_json(const Session& session, const fs::path& folder, ModelNaming names) {
  return result_of([&] {
    Json json = session_with_model_names(session, names);
    const std::vector<Json*> objects = subjects_in(json);
    const std::vector<Session> subjects = subjects_of(session);
    for (std::size_t i = 0; i < objects.size(); ++i) keep_weights(subjects[i], folder, *objects[i]);
    return json;
  });
}

Result<LoadedSession> read_saved_session(const Json& json, const fs::path& folder,
                                         const ModelSearchPaths& places, Author author,
                                         const ModelRef& instead) try {
  LoadedSession kept;
  std::vector<ModelRef> models;
  for (const Json* subject : subjects_in(json)) {
    const auto model = model_of(*subject, folder, places, author, instead);
    models.push_back(model.value_or(ModelRef()));
    if (model && has_changed(*subject, *model) && kept.complaint.empty())
      kept.complaint = "The weights of " + (*model)->name + " have changed since this was saved";
    if (model || !kept.complaint.empty()) continue;
    kept.has_model = false;
    kept.complaint = "Its model could not be opened: " + model.error().message;
  }
  kept.session = session_from_json(json_text(json), models).value();
  read_masks_of_all(json, kept.session);
  const std::vector<Session> subjects = subjects_of(kept.session);
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!models[i] || subjects[i].model == models[i] || !kept.complaint.empty()) continue;
    kept.complaint = "Its model, " + name_of(models[i]) + ", now has a different architecture: open it again";
  }
  if (omits_masks(json)) {
    kept.complaint += kept.complaint.empty() ? "" : ". ";
    kept.complaint += "It names mask files without their numbers: drop them on the window again";
  }
  return kept;
} catch (const tl::bad_expected_access<Error>& thrown) {
  return tl::unexpected(thrown.error());
}

namespace {

/// The names of the weights that a session's JSON names as save_session_json() does.
std::set<std::string> weights_named_in(const Json& session) {
  std::set<std::string> names;
  for (const Json* subject : subjects_in(session)) {
    if (!subject->is_object() || !subject->contains("weights") || !(*subject)["weights"].is_string())
      continue;
    auto name = (*subject)["weights"].get<std::string>();
    if (name.starts_with(weights_begin) && name.find('/') == std::string::npos) names.insert(std::move(name));
  }
  return names;
}

}  // namespace

void remove_stale_weights(const fs::path& folder, const Json& before, const Json& kept) {
  std::error_code unknown;
  if (fs::is_symlink(folder, unknown)) return;
  const std::set<std::string> own = weights_named_in(kept);
  for (const std::string& name : weights_named_in(before)) {
    if (!own.contains(name) && holds_only_a_model(folder / name)) remove_folder(folder / name);
  }
}

Result<void> save_session(const fs::path& folder, const Session& session) {
  const fs::path file = folder / session_name;
  return save_session_json(session, folder).and_then([&](const Json& json) {
    const auto before = read_file(file).and_then(parse_json);
    return write_atomically(file, json_text(json, session_indent) + "\n").map([&] {
      if (before) remove_stale_weights(folder, *before, json);
    });
  });
}

bool has_session(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / session_name, ignored);
}

std::string saved_sentence(const fs::path& folder) {
  const auto json = read_file(folder / session_name).and_then(parse_json);
  if (!json || !json->is_object()) return {};
  const auto sentence = json->find("sentence");
  return sentence != json->end() && sentence->is_string() ? sentence->get<std::string>() : std::string();
}

fs::file_time_type saved_at(const fs::path& folder) {
  std::error_code error;
  const auto time = fs::last_write_time(folder / session_name, error);
  return error ? fs::file_time_type::min() : time;
}

Result<LoadedSession> load_session(const fs::path& folder, const ModelSearchPaths& places) {
  return read_file(folder / session_name).and_then([&](const std::string& text) -> Result<LoadedSession> {
    const auto json = parse_json(text);
    if (json) return read_saved_session(*json, folder, places, Author::reader);
    return failure("'" + (folder / session_name).string() + "' cannot be read: " + json.error().message);
  });
}

namespace {

constexpr std::size_t max_scene_bytes = std::size_t{16} << 20U;
constexpr int scene_indent = 1;

}  // namespace

fs::path weights_of(const fs::path& file) {
  fs::path folder = file;
  folder += ".weights";
  return folder;
}

bool is_scene_file(const fs::path& file) {
  return file.extension() == scene_extension;
}

Result<void> write_scene(const fs::path& file, const Session& session, bool is_new) {
  if (n_mask_cells(session) > max_saved_mask_cells)
    return failure("'" + file.string() + "' was not written: a scene holds masks from files of at most " +
                   std::to_string(max_saved_mask_cells) +
                   " cells together; remove the larger ones under Mask, or paint them");
  const auto json = save_session_json(session, weights_of(file));
  if (!json) return tl::unexpected(json.error());
  const std::string text = json_text(*json, scene_indent) + "\n";
  if (text.size() > max_scene_bytes)
    return failure("'" + file.string() + "' was not written: it would take " +
                   std::to_string(text.size() >> 20U) + " MiB, and a scene has at most " +
                   std::to_string(max_scene_bytes >> 20U) +
                   "; give fewer numbers by hand, and smaller masks");
  const auto write = [&](const fs::path& path) { return write_atomically(path, text); };
  if (is_new) return write_new_file(file, write);
  const auto before = read_file(file).and_then(parse_json);
  if (auto written = write(file); !written) return written;
  if (before) remove_stale_weights(weights_of(file), *before, *json);
  return {};
}

Result<std::string> scene_text(const Session& session, const nlohmann::json& figure) {
  if (n_mask_cells(session) > max_saved_mask_cells) return failure("its masks are too large");
  auto json = result_of([&] { return session_with_model_names(session, ModelNaming::as_given); });
  if (!json) return tl::unexpected(json.error());
  if (!figure.is_null()) (*json)["figure"] = figure;
  constexpr bool is_ascii = true;
  std::string text = json->dump(-1, ' ', is_ascii, nlohmann::json::error_handler_t::replace);
  // The only control character that JSON does not escape. Not every file may hold it.
  for (std::size_t at = 0; (at = text.find('\x7f', at)) != std::string::npos;) text.replace(at, 1, "\\u007f");
  if (text.size() > max_scene_bytes)
    return failure("it takes more than " + std::to_string(max_scene_bytes >> 20U) + " MiB");
  return text;
}

Result<LoadedSession> read_scene_text(std::string_view text, const fs::path& picture,
                                      const ModelSearchPaths& places, const ModelRef& instead) {
  auto kept = parse_json(text).and_then([&](const Json& json) {
    return read_saved_session(json, weights_of(picture), places, Author::anyone, instead);
  });
  if (!kept)
    return failure("'" + picture.string() + "' cannot be opened as a scene: " + kept.error().message);
  return kept;
}

Result<LoadedSession> read_scene(const fs::path& file, const ModelSearchPaths& places,
                                 const ModelRef& instead) {
  return read_file(file).and_then(
      [&](const std::string& text) { return read_scene_text(text, file, places, instead); });
}

}  // namespace headscope
