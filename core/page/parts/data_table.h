#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"

namespace headscope {

/// A number, a text, or nothing where there is no number.
using TableCell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Some of the numbers that a page shows, in full, with a name for each column. All rows have a cell for each
/// column.
struct DataTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<TableCell>> rows;
};

/// The tables of a page, or why the session has no such numbers.
using PageNumbers = Result<std::vector<DataTable>>;

}  // namespace headscope
