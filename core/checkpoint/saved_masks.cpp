#include "core/checkpoint/saved_masks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/exact_text.h"
#include "core/io/matrix_text.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr const char* masks_name = "masks";

/// The masks of a subject, with their names in the JSON.
constexpr std::array<std::pair<const char*, MaskSpec AttentionOptions::*>, 3> all_masks{
    {{"mask", &AttentionOptions::mask},
     {"target_mask", &AttentionOptions::target_mask},
     {"cross_mask", &AttentionOptions::cross_mask}}};

/// The row of an additive mask: "0,-inf,0.5", each number as the shortest text that reads back as the same
/// float.
std::string added_row(std::span<const float> row) {
  std::string text;
  for (const float value : row) text += (text.empty() ? "" : ",") + exact_text(value);
  return text;
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
bool read_row(const Json& row, std::size_t cols, LoadedMask& mask) {
  const auto* text = row.get_ptr<const std::string*>();
  const std::size_t before = mask.values.size();
  if (text == nullptr) return false;
  return (mask.additive ? read_added_row(*text, mask) : read_boolean_row(*text, mask)) &&
         mask.values.size() - before == cols;
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

std::size_t mask_cells(const AttentionOptions& attention) {
  std::size_t n = 0;
  for (const auto& [name, spec] : all_masks) {
    for (const auto& mask : (attention.*spec).loaded) n += mask->values.size();
  }
  return n;
}

void save_masks(const AttentionOptions& attention, Json& subject) {
  for (const auto& [name, spec] : all_masks) {
    for (const auto& mask : (attention.*spec).loaded) subject[masks_name][name].push_back(json_of(*mask));
  }
}

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
