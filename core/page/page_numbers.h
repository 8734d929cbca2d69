#pragma once

#include <filesystem>
#include <string>

#include "core/page/page.h"

namespace headscope {

/// Computes the numbers of a page that do not belong to a stage, at full precision, such as the effect of
/// each head on a prediction. Blocks until everything is computed. It is a usage error if the page has no
/// such numbers; the message names the pages that do.
PageNumbers numbers_of_page(const PageInputs& in, PageName name);

/// The tables as JSON: "page", "session" (to_json of core/session/session.h), and "tables", each an array of
/// objects with a member per column. A member is null if its number is missing or not finite. Numbers
/// round-trip.
std::string json_of_numbers(const std::vector<DataTable>& tables, PageName page, const Session& session);

/// The tables as one CSV table (RFC 4180) with a header of column names. If there are several, the first
/// column names the table of a row, and columns of other tables are empty. Numbers that are not finite are
/// written as inf, -inf and nan.
std::string csv_of_numbers(const std::vector<DataTable>& tables);

/// Checks, before anything is computed, that a page has such numbers and that the file name ends in .json or
/// .csv. Errors are usage errors.
Result<void> check_page_numbers(PageName name, const std::filesystem::path& out);

/// Writes the numbers of a page to F.json or F.csv. On failure, nothing is written. Errors include those of
/// check_page_numbers().
Result<void> write_page_numbers(const PageInputs& in, PageName name, const std::filesystem::path& out);

}  // namespace headscope
