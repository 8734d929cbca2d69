#include "app/parts/number_buttons.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "app/widgets/controls.h"
#include "app/widgets/number_grid_keys.h"
#include "app/widgets/sentence_field.h"
#include "core/io/npy.h"
#include "core/io/read_file.h"

namespace headscope {
namespace {

OwnedMatrix identity(const MatrixView& like) {
  OwnedMatrix matrix(like.rows, like.cols);
  for (int i = 0; i < std::min(like.rows, like.cols); ++i) matrix.at(i, i) = 1.0F;
  return matrix;
}

OwnedMatrix one_hot(const MatrixView& numbers) {
  OwnedMatrix matrix(numbers.rows, numbers.cols);
  for (int row = 0; row < numbers.rows; ++row) {
    const auto values = numbers.row(row);
    matrix.at(row, static_cast<int>(std::ranges::max_element(values) - values.begin())) = 1.0F;
  }
  return matrix;
}

OwnedMatrix rounded_to(const MatrixView& numbers, int digits) {
  OwnedMatrix matrix = copy_of(numbers);
  const double unit = std::pow(10.0, digits);
  for (float& value : matrix.values) {
    const double rounded = std::round(static_cast<double>(value) * unit) / unit;
    value = static_cast<float>(rounded == 0.0 ? 0.0 : rounded);
  }
  return matrix;
}

/// The matrix with its selected cells, or all cells, set to the number in the cell that keys act on.
OwnedMatrix filled(const NumberGridLook& look, const NumberGridState& state, bool all) {
  OwnedMatrix matrix = copy_of(look.numbers);
  const float value = look.numbers(state.at.row, state.at.col);
  const GridRange selected = selection_of(state);
  for (int row = 0; row < matrix.rows; ++row) {
    for (int col = 0; col < matrix.cols; ++col) {
      if (all || selected.contains(row, col)) matrix.at(row, col) = value;
    }
  }
  return matrix;
}

std::optional<OwnedMatrix> fill_menu(Frame& frame, const NumberGridLook& look, const NumberGridState& state) {
  static const std::array<std::string, 2> fills{"Every cell with the selected cell's number",
                                                "The selected range with its last number"};
  const auto chosen = menu(frame.ui, "Fill…", fills, "The same number in many cells");
  if (!chosen) return std::nullopt;
  return filled(look, state, *chosen == 0);
}

std::optional<OwnedMatrix> round_menu(Frame& frame, const NumberGridLook& look) {
  static const std::array<std::string, 5> digits{"To whole numbers", "To 1 decimal", "To 2 decimals",
                                                 "To 3 decimals", "To 4 decimals"};
  const auto chosen = menu(frame.ui, "Round…", digits, "Numbers that are easy to follow");
  return chosen ? std::optional(rounded_to(look.numbers, *chosen)) : std::nullopt;
}

void copy_menu(Frame& frame, const NumberGridLook& look) {
  static const std::array<std::string, 6> names{"Spreadsheet", "CSV", "NumPy", "Python", "LaTeX", "MATLAB"};
  constexpr std::array forms{MatrixForm::spreadsheet, MatrixForm::csv,   MatrixForm::numpy,
                             MatrixForm::python,      MatrixForm::latex, MatrixForm::matlab};
  const auto chosen = menu(frame.ui, "Copy as…", names, "Copies the whole matrix");
  if (!chosen) return;
  const MatrixForm form = forms.at(static_cast<std::size_t>(*chosen));
  frame.ui.set_clipboard_text(matrix_text(look.numbers, form));
}

bool plain_button(Frame& frame, const char* label, const char* tooltip) {
  const bool clicked = button(frame.ui, label, tooltip);
  ImGui::SameLine();
  return clicked;
}

/// Reads a .npy file, which is recognised by its beginning, or otherwise text.
Result<OwnedMatrix> read_numbers(const std::string& file, const MatrixTextRules& rules) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20U;
  const auto bytes = read_file(file, most_bytes);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!bytes->starts_with("\x93NUMPY")) return read_matrix_text(*bytes, rules);
  const auto array = parse_npy(*bytes, file);
  if (!array) return tl::unexpected(array.error());
  OwnedMatrix matrix;
  const bool is_row = array->shape.size() == 1;
  if (!is_row && array->shape.size() != 2)
    return failure("the array has " + std::to_string(array->shape.size()) + " dimensions; give it two");
  matrix.rows = is_row ? 1 : array->shape[0];
  matrix.cols = array->shape.back();
  matrix.values = array->values;
  if (!std::ranges::all_of(matrix.values, [](float value) { return std::isfinite(value); }))
    return failure("the array has NaN or infinite numbers; give finite ones");
  return matrix;
}

}  // namespace

std::optional<OwnedMatrix> number_buttons(Frame& frame, const NumberGridLook& look, NumberGridState& state) {
  const MatrixView& numbers = look.numbers;
  std::optional<OwnedMatrix> changed;
  if (plain_button(frame, "Zero", "0 in every cell")) changed = OwnedMatrix(numbers.rows, numbers.cols);
  if (plain_button(frame, "Identity", "1 on the diagonal, 0 elsewhere")) changed = identity(numbers);
  if (plain_button(frame, "One-hot", "In each row 1 at its greatest number, 0 elsewhere"))
    changed = one_hot(numbers);
  if (plain_button(
          frame, "Paste",
          "From a spreadsheet, CSV, NumPy, Python, MATLAB or LaTeX: all numbers where the shape fits, else from the selected cell on (Ctrl+V)")) {
    if (auto pasted = pasted_numbers(look, state, frame.ui.clipboard_text())) changed = std::move(pasted);
  }
  if (auto filled_in = fill_menu(frame, look, state)) changed = std::move(filled_in);
  ImGui::SameLine();
  if (auto rounded = round_menu(frame, look)) changed = std::move(rounded);
  ImGui::SameLine();
  copy_menu(frame, look);
  if (changed) {
    state.takes_keyboard = true;
    state.typed.reset();
    state.complaint.clear();
  }
  return changed;
}

std::optional<OwnedMatrix> open_numbers_row(Frame& frame, const NumberGridLook& look,
                                            NumberEditorForm& form) {
  const bool entered = text_entry(frame.ui, "file", form.file, "a .npy or .csv file to open, and Enter",
                                  "Replaces all numbers by those of a file of the same shape");
  if (!entered || form.file.empty()) return std::nullopt;
  auto read = read_numbers(form.file, look.rules);
  if (read && (read->rows != look.numbers.rows || read->cols != look.numbers.cols)) {
    form.grid.complaint = "The file has " + std::to_string(read->rows) + " × " + std::to_string(read->cols) +
                          " numbers, but this matrix is " + std::to_string(look.numbers.rows) + " × " +
                          std::to_string(look.numbers.cols) + "; give a file of that shape.";
    return std::nullopt;
  }
  if (!read) {
    form.grid.complaint = "The file was not read: " + read.error().message + ".";
    return std::nullopt;
  }
  form.grid.takes_keyboard = true;
  form.grid.complaint.clear();
  form.grid.typed.reset();
  return *std::move(read);
}

}  // namespace headscope
