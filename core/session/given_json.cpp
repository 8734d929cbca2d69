#include "core/session/given_json.h"

#include <cmath>
#include <memory>
#include <utility>

#include "core/trace/given_stage.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

std::string index_text(std::size_t index) {
  return '[' + std::to_string(index) + ']';
}

/// Reads rows of equal length with finite numbers.
std::optional<WrongGiven> take_matrix(const Json& rows, const std::string& item, OwnedMatrix& matrix) {
  if (!rows.is_array() || rows.empty()) return WrongGiven{item, &rows, "a list of rows"};
  const std::size_t width = rows.front().is_array() ? rows.front().size() : 0;
  std::vector<float> numbers;
  numbers.reserve(rows.size() * width);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Json& row = rows[r];
    if (!row.is_array() || row.empty() || row.size() != width)
      return WrongGiven{item + index_text(r), &row, "a list of numbers, as many in every row"};
    for (std::size_t c = 0; c < width; ++c) {
      const float number = row[c].is_number() ? row[c].get<float>() : NAN;
      if (!std::isfinite(number))
        return WrongGiven{item + index_text(r) + index_text(c), &row[c], "a finite number"};
      numbers.push_back(number);
    }
  }
  matrix.rows = static_cast<int>(rows.size());
  matrix.cols = static_cast<int>(width);
  matrix.values = std::move(numbers);
  return {};
}

}  // namespace

nlohmann::json json_of_given(const GivenNumbers& given) {
  Json object;
  for (const GivenMatrix& each : given.all) {
    Json rows = Json::array();
    for (int row = 0; row < each.numbers->rows; ++row) {
      Json numbers = Json::array();
      for (const float number : each.numbers->view().row(row)) numbers.push_back(number);
      rows.push_back(std::move(numbers));
    }
    object[each.path] = std::move(rows);
  }
  return object;
}

std::optional<WrongGiven> take_given(const nlohmann::json& object, GivenNumbers& given) {
  if (!object.is_object()) return WrongGiven{"", &object, "an object of matrices by their paths"};
  GivenNumbers taken;
  for (const auto& [path, rows] : object.items()) {
    const auto id = parse_path(path);
    if (!id || !can_be_given(id->kind))
      return WrongGiven{"." + path, &rows, "left out: no numbers can be given for this path"};
    OwnedMatrix matrix;
    if (auto wrong = take_matrix(rows, "." + path, matrix)) return wrong;
    taken = with_given(std::move(taken), {path, std::make_shared<const OwnedMatrix>(std::move(matrix))});
  }
  given = std::move(taken);
  return {};
}

}  // namespace headscope
