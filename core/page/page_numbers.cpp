#include "core/page/page_numbers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/exact_text.h"
#include "core/io/csv.h"
#include "core/io/json_text.h"
#include "core/page/page_record.h"
#include "core/page/parts/covered.h"
#include "core/session/names.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"

namespace headscope {
namespace {

nlohmann::ordered_json json_of_cell(const TableCell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  if (const auto* number = std::get_if<double>(&cell); number != nullptr && std::isfinite(*number))
    return *number;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

std::string csv_of_cell(const TableCell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr) return {};
  return exact_text(*number);
}

Result<void> check_has_numbers(PageName name) {
  if (page_record(name).numbers != nullptr) return {};
  std::vector<std::string_view> names;
  for (const PageRecord& page : page_records())
    if (page.numbers != nullptr) names.push_back(enum_name(page.name));
  return usage_error(
      "the page " + std::string(enum_name(name)) +
      " shows the numbers of stages, which --stage writes: choose a page with numbers of its own (" +
      join_texts(names, ", ") + ")");
}

}  // namespace

PageNumbers numbers_of_page(const PageInputs& in, PageName name) {
  const PageRecord& page = page_record(name);
  if (auto ok = check_has_numbers(name); !ok) return tl::unexpected(ok.error());
  if (const std::string_view nothing = why_empty(in.session, name); !nothing.empty())
    return failure(std::string(nothing));
  PageMemo memo;
  const MeasureText without_letters = [](std::string_view, Font, float) { return TextSize{}; };
  PageTools tools{without_letters, 0, memo};
  if (std::string reason = reason_covered(in, name, tools); !reason.empty())
    return failure(std::move(reason));
  PageNumbers tables = page.numbers(in, tools);
  if (tables) std::erase_if(*tables, [](const DataTable& table) { return table.rows.empty(); });
  return tables;
}

std::string json_of_numbers(const std::vector<DataTable>& tables, PageName page, const Session& session) {
  nlohmann::ordered_json json;
  json["page"] = enum_name(page);
  json["session"] = nlohmann::ordered_json::parse(to_json(session));
  for (const DataTable& table : tables) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const std::vector<TableCell>& row : table.rows) {
      nlohmann::ordered_json& entry = rows.emplace_back();
      for (std::size_t i = 0; i < table.columns.size(); ++i) entry[table.columns[i]] = json_of_cell(row[i]);
    }
    json["tables"][table.name] = std::move(rows);
  }
  constexpr int indent = 1;
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string csv_of_numbers(const std::vector<DataTable>& tables) {
  std::vector<std::string> columns;
  for (const DataTable& table : tables) {
    for (const std::string& column : table.columns) {
      if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
    }
  }
  const bool names_tables = tables.size() > 1;
  std::string csv = names_tables ? "table" : "";
  const auto add = [&csv](const std::string& field, bool is_first) { csv += (is_first ? "" : ",") + field; };
  const auto end_line = [&csv] { csv += "\r\n"; };
  for (std::size_t i = 0; i < columns.size(); ++i) add(columns[i], i == 0 && !names_tables);
  end_line();
  for (const DataTable& table : tables) {
    for (const std::vector<TableCell>& row : table.rows) {
      if (names_tables) csv += table.name;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto at = std::ranges::find(table.columns, columns[i]) - table.columns.begin();
        const bool has_cell = at < std::ssize(row);
        add(has_cell ? csv_of_cell(row[static_cast<std::size_t>(at)]) : "", i == 0 && !names_tables);
      }
      end_line();
    }
  }
  return csv;
}

Result<void> check_page_numbers(PageName name, const std::filesystem::path& out) {
  if (out.extension() != ".json" && out.extension() != ".csv")
    return usage_error("--out " + out.string() + ": the numbers of a page are written to F.json or F.csv");
  return check_has_numbers(name);
}

Result<void> write_page_numbers(const PageInputs& in, PageName name, const std::filesystem::path& out) {
  if (auto ok = check_page_numbers(name, out); !ok) return ok;
  const bool is_json = out.extension() == ".json";
  const PageNumbers tables = numbers_of_page(in, name);
  if (!tables) return tl::unexpected(tables.error());
  if (auto ok = in.check_files(); !ok) return ok;
  return write_atomically(out,
                          is_json ? json_of_numbers(*tables, name, in.session) : csv_of_numbers(*tables));
}

}  // namespace headscope
