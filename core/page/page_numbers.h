#pragma once

#include <filesystem>
#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Computes the numbers of a page that do not belong to a stage, with all their digits: for example, the
/// effect of each head on a prediction. Everything is computed before the function returns. It is a usage
/// error if the page has no such numbers; the message names the pages that do.
PageNumbers numbers_of_page(const PageInputs& in, PageName name);

/// The tables as JSON: "page", "session" (to_json of core/session/session.h), and "tables", in which each
/// table is an array of objects with a member for each column. A member is null if its number is missing or
/// not finite. Numbers have enough digits to read back the same value.
std::string json_of_numbers(const std::vector<DataTable>& tables, PageName page, const Session& session);

/// The tables as one table in CSV (RFC 4180), which begins with the names of the columns. If there are
/// several tables, the first column says to which of them a row belongs, and columns that this one lacks are
/// empty in it. Numbers that are not finite are written as inf, -inf and nan.
std::string csv_of_numbers(const std::vector<DataTable>& tables);

/// Checks that a page has such numbers and that the name of the file ends in .json or .csv, so that mistakes
/// are found before anything is computed. Errors are usage errors.
Result<void> check_page_numbers(PageName name, const std::filesystem::path& out);

/// Writes the numbers of a page to F.json or F.csv. On failure, nothing is written. Errors include those of
/// check_page_numbers().
Result<void> write_page_numbers(const PageInputs& in, PageName name, const std::filesystem::path& out);

}  // namespace headscope
