#include "core/textbook/origin_json.h"

#include <limits>
#include <string>
#include <vector>

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr int most_counted = std::numeric_limits<int>::max();

/// The stage with this path, or the stage of this name at the selected place.
StageId stage_named(const JsonFields& fields, const std::string& name, const Selection& selection) {
  if (const auto whole = parse_path(name)) return *whole;
  if (const auto kind = kind_named(name)) return selection.at(*kind);
  fields.refuse("there is no stage “" + name + "”");
  return {};
}

origin::Stages read_stages(const JsonFields& fields, const Selection& selection) {
  origin::Stages origin;
  const std::vector<std::string> names = fields.texts("stage");
  if (names.empty()) fields.refuse(fields.name("stage") + " is empty: name at least one stage");
  origin.stages.reserve(names.size());
  for (const std::string& name : names) origin.stages.push_back(stage_named(fields, name, selection));
  return origin;
}

origin::Visible read_visible(const JsonFields& fields, const Selection& selection) {
  const std::string name = fields.text("visible");
  const StageId stage = stage_named(fields, name, selection);
  if (!is_map(stage.kind))
    fields.refuse(fields.name("visible") + " is “" + name +
                  "”, but must be a map of queries and keys, such as masked");
  return {stage};
}

origin::Tile read_tile(const JsonFields& fields, const Selection& selection) {
  origin::Tile origin;
  const std::string what = fields.text("of");
  const auto known = value_named<origin::Tile::What>(what);
  if (!known) fields.refuse(fields.name("of") + " is “" + what + "”, but must be maximum, sum or output");
  origin.what = known.value_or(origin.what);
  origin.scores = selection.at(StageKind::masked);
  origin.step = fields.whole("step", 1, 1, most_counted);
  fields.refuse_others();
  return origin;
}

origin::Count read_count(const JsonFields& fields) {
  origin::Count origin;
  const std::vector<std::string> names = fields.texts("kinds");
  origin.kinds.reserve(names.size());
  for (const std::string& name : names) {
    // A name is the last part of a path. If a stage and a parameter have the same name, the whole path is
    // needed.
    const auto whole = parse_path(name);
    const auto kind = whole ? std::optional(whole->kind) : kind_named(name);
    if (!kind) fields.refuse("there is no parameter “" + name + "”");
    origin.kinds.push_back(kind.value_or(StageKind::w_query));
  }
  origin.under = fields.text("under", "");
  origin.words = fields.whole("words", 0, 0, most_counted);
  fields.refuse_others();
  return origin;
}

origin::Cache::Filled read_cache(const JsonFields& fields) {
  const auto whole = [&](const char* key, std::int64_t missing) -> std::int64_t {
    return fields.whole(key, static_cast<int>(missing), 0, most_counted);
  };
  origin::Cache::Filled origin;
  origin.shape.layers = whole("layers", 1);
  origin.shape.window = whole("window", 0);
  const std::int64_t full = whole("full_a_group", 1);
  if (const int windows = fields.whole("windows_a_group", 0, 0, most_counted); windows > 0)
    origin.shape.window_layers = window_layers(origin.shape.layers, windows, full);
  origin.shape.kv_heads = whole("kv_heads", 1);
  origin.shape.key_width = whole("key_width", 1);
  origin.shape.value_width = whole("value_width", origin.shape.key_width);
  origin.load.tokens = whole("tokens", 0);
  origin.load.batch = whole("batch", 1);
  origin.load.bytes_per_number = whole("bytes_per_number", origin.load.bytes_per_number);
  fields.refuse_others();
  return origin;
}

/// Reads one cache or a list of caches.
origin::Cache read_caches(const JsonFields& fields) {
  const std::vector<JsonFields> list = fields.objects("cache");
  if (list.empty()) fields.refuse(fields.name("cache") + " is empty, but must describe at least one cache");
  origin::Cache origin;
  origin.caches.reserve(list.size());
  for (const JsonFields& each : list) origin.caches.push_back(read_cache(each));
  return origin;
}

}  // namespace

Origin read_origin(const JsonFields& fields, const Selection& selection) {
  if (fields.find("stage") != nullptr) return read_stages(fields, selection);
  if (fields.find("visible") != nullptr) return read_visible(fields, selection);
  if (fields.find("candidates") != nullptr) {
    const std::string what = fields.text("candidates");
    if (what != "logits" && what != "probabilities")
      fields.refuse(fields.name("candidates") + " is “" + what + "”, but must be logits or probabilities");
    return origin::Candidates{what == "logits", fields.whole("after", 0, 0, most_counted)};
  }
  if (fields.find("tile") != nullptr) return read_tile(fields.inside("tile"), selection);
  if (fields.find("count") != nullptr) return read_count(fields.inside("count"));
  if (fields.find("cache") != nullptr) return read_caches(fields);
  fields.refuse(fields.name("stage") +
                " is missing, and so are visible, candidates, tile, count and cache: give one of them");
  return origin::Stages{};
}

}  // namespace headscope
