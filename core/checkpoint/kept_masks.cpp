#include "core/checkpoint/kept_masks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr const char* masks_name = "masks";

/// The masks of a subject, with their names in the JSON.
constexpr std::array<std::pair<const char*, MaskSpec AttentionOptions::*>, 3> all_masks{
    {{"mask", &AttentionOptions::mask},
     {"target_mask", &AttentionOptions::target_mask},
     {"cross_mask", &AttentionOptions::cross_mask}}};

Json json_of(const LoadedMask& mask) {
  const auto cols = static_cast<std::size_t>(mask.cols);
  Json rows = Json::array();
  for (std::size_t first = 0; first + cols <= mask.values.size() && cols > 0; first += cols) {
    Json numbers = Json::array();
    std::string letters;
    for (std::size_t i = first; i < first + cols; ++i) {
      const float value = mask.values[i];
      if (!mask.additive) letters += value == 0.0F ? '0' : '1';
      if (mask.additive) numbers.push_back(std::isinf(value) ? Json() : Json(value));
    }
    rows.push_back(mask.additive ? std::move(numbers) : Json(letters));
  }
  return {{"name", mask.name},
          {"axes", mask.axes},
          {"additive", mask.additive},
          {"heads_or_sequences", mask.heads_or_sequences},
          {"shape", {mask.n_sequences, mask.n_heads, mask.rows, mask.cols}},
          {"rows", std::move(rows)}};
}

/// Appends the numbers of a row of `cols` cells. Returns false if it holds anything else.
bool read_row(const Json& row, std::size_t cols, LoadedMask& mask) {
  if (!mask.additive) {
    const auto* letters = row.get_ptr<const std::string*>();
    if (letters == nullptr || letters->size() != cols) return false;
    if (letters->find_first_not_of("01") != std::string::npos) return false;
    for (const char letter : *letters) mask.values.push_back(letter == '1' ? 1.0F : 0.0F);
    return true;
  }
  if (!row.is_array() || row.size() != cols) return false;
  for (const Json& number : row) {
    constexpr double most = std::numeric_limits<float>::max();
    if (!number.is_null() && !(number.is_number() && std::abs(number.get<double>()) <= most)) return false;
    mask.values.push_back(number.is_null() ? MaskValue::minus_infinity : number.get<float>());
  }
  return true;
}

bool read_shape(const Json& shape, LoadedMask& mask) {
  if (!shape.is_array() || shape.size() != 4) return false;
  std::vector<int> sides;
  for (const Json& side : shape) {
    constexpr std::int64_t most = 1 << 20;
    const bool is_side =
        side.is_number_integer() && side.get<std::int64_t>() > 0 && side.get<std::int64_t>() <= most;
    if (!is_side) return false;
    sides.push_back(side.get<int>());
  }
  mask.n_sequences = sides[0];
  mask.n_heads = sides[1];
  mask.rows = sides[2];
  mask.cols = sides[3];
  return true;
}

Result<std::shared_ptr<const LoadedMask>> mask_of(const Json& json) {
  const auto refused = failure("a mask in it does not hold the numbers that its shape announces");
  if (!json.is_object()) return refused;
  LoadedMask mask;
  const auto text = [&](const char* key, std::string& to) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) return false;
    to = found->get<std::string>();
    return true;
  };
  const auto flag = [&](const char* key, bool& to) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_boolean()) return false;
    to = found->get<bool>();
    return true;
  };
  const bool has_all =
      text("name", mask.name) && text("axes", mask.axes) && flag("additive", mask.additive) &&
      flag("heads_or_sequences", mask.heads_or_sequences) && json.contains("shape") && json.contains("rows");
  if (!has_all || !read_shape(json["shape"], mask) || !json["rows"].is_array()) return refused;
  const double n_rows = double{1} * mask.n_sequences * mask.n_heads * mask.rows;
  if (static_cast<double>(json["rows"].size()) != n_rows) return refused;
  for (const Json& row : json["rows"]) {
    if (!read_row(row, static_cast<std::size_t>(mask.cols), mask)) return refused;
  }
  return std::make_shared<const LoadedMask>(std::move(mask));
}

}  // namespace

void keep_masks(const AttentionOptions& attention, Json& subject) {
  for (const auto& [name, spec] : all_masks) {
    for (const auto& mask : (attention.*spec).loaded) subject[masks_name][name].push_back(json_of(*mask));
  }
}

Result<void> read_masks(const Json& subject, AttentionOptions& attention) {
  if (!subject.is_object() || !subject.contains(masks_name)) return {};
  const Json& masks = subject[masks_name];
  if (!masks.is_object()) return failure("“" + std::string(masks_name) + "” is not an object");
  for (const auto& [name, spec] : all_masks) {
    if (!masks.contains(name)) continue;
    if (!masks[name].is_array()) return failure("“masks." + std::string(name) + "” is not a list");
    for (const Json& each : masks[name]) {
      auto mask = mask_of(each);
      if (!mask) return tl::unexpected(mask.error());
      (attention.*spec).loaded.push_back(std::move(*mask));
    }
  }
  return {};
}

}  // namespace headscope
