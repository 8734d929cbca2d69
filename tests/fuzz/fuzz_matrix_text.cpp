// Fuzzes a pasted matrix, which is read and then written in each form. Every form must read back to the same
// bits. The input is the text.

#include <array>
#include <bit>
#include <cmath>

#include "core/io/matrix_text.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

constexpr MatrixTextRules all_allowed{.allows_minus_infinity = true};

bool is_same(const OwnedMatrix& a, const OwnedMatrix& b) {
  if (a.rows != b.rows || a.cols != b.cols || a.values.size() != b.values.size()) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(a.values[i]) != std::bit_cast<std::uint32_t>(b.values[i])) return false;
  }
  return true;
}

void check_read(std::string_view text, const MatrixTextRules& rules) {
  const auto matrix = parse_matrix(text, rules);
  if (!matrix) return fuzzing::require_readable(matrix.error().message);
  require(matrix->rows > 0 && matrix->cols > 0, "a matrix that was read has numbers");
  require(matrix->values.size() ==
              static_cast<std::size_t>(matrix->rows) * static_cast<std::size_t>(matrix->cols),
          "a matrix has as many numbers as its shape says");
  for (const float value : matrix->values) {
    const bool is_allowed = std::isfinite(value) || (rules.allows_minus_infinity && value < 0.0F);
    require(is_allowed, "a matrix that was read is finite but for what the rules allow");
  }
  constexpr std::array forms{MatrixFormat::spreadsheet, MatrixFormat::csv,   MatrixFormat::numpy,
                             MatrixFormat::python,      MatrixFormat::latex, MatrixFormat::matlab};
  for (const MatrixFormat form : forms) {
    const auto again = parse_matrix(matrix_text(matrix->view(), form), all_allowed);
    require(again.has_value() && is_same(*again, *matrix), "what was written reads back the same");
  }
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view text = fuzzing::text_of(data, size);
  check_read(text, {});
  check_read(text, all_allowed);
  const auto number = parse_matrix_number(text);
  if (!number) fuzzing::require_readable(number.error().message);
  return 0;
}
