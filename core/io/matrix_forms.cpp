#include <array>
#include <charconv>
#include <cmath>

#include "core/io/matrix_text.h"

namespace headscope {
namespace {

/// The texts that a form puts around and between its numbers, and its names of ∞, −∞ and NaN.
struct FormWords {
  std::string_view begin;
  std::string_view row_begin;
  std::string_view between;
  std::string_view row_end;
  std::string_view between_rows;
  std::string_view end;
  std::string_view infinity;
  std::string_view minus_infinity;
  std::string_view nan;
};

constexpr FormWords words_of_form(MatrixForm form) {
  switch (form) {
    case MatrixForm::csv:
      return {"", "", ",", "", "\n", "\n", "inf", "-inf", "nan"};
    case MatrixForm::numpy:
      return {"np.array([",           "[",      ", ",      "]",     ",\n          ",
              "], dtype=np.float32)", "np.inf", "-np.inf", "np.nan"};
    case MatrixForm::python:
      return {"[", "[", ", ", "]", ",\n ", "]", "float(\"inf\")", "float(\"-inf\")", "float(\"nan\")"};
    case MatrixForm::latex:
      return {"\\begin{bmatrix}\n", "", " & ", "", " \\\\\n", "\n\\end{bmatrix}", "\\infty", "-\\infty",
              "\\mathrm{NaN}"};
    case MatrixForm::matlab:
      return {"[", "", " ", "", "; ", "]", "Inf", "-Inf", "NaN"};
    case MatrixForm::spreadsheet:
      break;
  }
  return {"", "", "\t", "", "\n", "\n", "inf", "-inf", "nan"};
}

/// Writes 1e-05 as 1\times10^{-5} in LaTeX, and 1 as 1.0 in Python, where 1 would be an integer.
std::string decimal_of_form(float value, MatrixForm form) {
  std::string decimal = shortest_decimal(value);
  const std::size_t e = decimal.find('e');
  if (form == MatrixForm::latex && e != std::string::npos) {
    int exponent = 0;
    const std::size_t digits = e + (decimal[e + 1] == '+' ? 2 : 1);
    std::from_chars(decimal.data() + digits, decimal.data() + decimal.size(), exponent);
    return decimal.substr(0, e) + "\\times10^{" + std::to_string(exponent) + "}";
  }
  const bool is_python = form == MatrixForm::numpy || form == MatrixForm::python;
  if (is_python && decimal.find_first_of(".e") == std::string::npos) decimal += ".0";
  return decimal;
}

void append_form_number(std::string& text, float value, MatrixForm form) {
  const FormWords words = words_of_form(form);
  if (std::isnan(value)) {
    text += words.nan;
  } else if (std::isinf(value)) {
    text += value > 0.0F ? words.infinity : words.minus_infinity;
  } else {
    text += decimal_of_form(value, form);
  }
}

}  // namespace

std::string shortest_decimal(float value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::string(text.data(), end) : std::string();
}

std::string matrix_text(const MatrixView& values, MatrixForm form) {
  const FormWords words = words_of_form(form);
  std::string text(words.begin);
  for (int row = 0; row < values.rows; ++row) {
    if (row > 0) text += words.between_rows;
    text += words.row_begin;
    for (int col = 0; col < values.cols; ++col) {
      if (col > 0) text += words.between;
      append_form_number(text, values(row, col), form);
    }
    text += words.row_end;
  }
  text += words.end;
  return text;
}

}  // namespace headscope
