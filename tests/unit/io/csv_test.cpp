#include "core/io/csv.h"

#include <gtest/gtest.h>

#include <charconv>
#include <clocale>

#include "tests/unit/io/random_matrix.h"
#include "tests/unit/io/written_matrix.h"

namespace headscope {
namespace {

using Table = std::vector<std::vector<std::string>>;

/// A reader of RFC 4180 that is independent of the writer.
Table parse(const std::string& csv) {
  Table table{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    std::string& field = table.back().back();
    if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      field += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      table.back().emplace_back();
    } else if (!quoted && c == '\r' && i + 1 < csv.size() && csv[i + 1] == '\n') {
      table.push_back({""});
      ++i;
    } else {
      field += c;
    }
  }
  table.pop_back();
  return table;
}

TEST(Csv, WritesLabelsAndNumbers) {
  OwnedMatrix matrix(2, 2);
  matrix.values = {0.5F, -std::numeric_limits<float>::infinity(), 0.1F, -3.0F};
  const std::vector<std::string> rows{"it", "was"};
  const std::vector<std::string> cols{"a,b", "say \"x\""};
  EXPECT_EQ(csv_text(matrix.view(), "query \\ key", rows, cols),
            "query \\ key,\"a,b\",\"say \"\"x\"\"\"\r\n"
            "it,0.5,-inf\r\n"
            "was,0.100000001,-3\r\n");
}

TEST(Csv, MissingLabelsAreIndices) {
  const OwnedMatrix matrix(2, 2);
  const std::vector<std::string> cols{"x"};
  EXPECT_EQ(csv_text(matrix.view(), "", {}, cols), ",x,1\r\n0,0,0\r\n1,0,0\r\n");
  EXPECT_EQ(csv_text(MatrixView{}, "axes", {}, {}), "axes\r\n");
}

TEST(Csv, EveryNumberReadsBackTheSameAndLabelsToo) {
  std::mt19937 random(41);
  const std::string alphabet = "a,\"\r\n é;";
  for (int run = 0; run < 300; ++run) {
    const OwnedMatrix matrix = random_matrix(random, 1 + run % 4, 1 + run % 7);
    std::vector<std::string> labels(8);
    for (std::string& label : labels)
      for (int i = 0; i < 5; ++i) label += alphabet[random() % alphabet.size()];
    const Table table = parse(csv_text(matrix.view(), labels[7], labels, labels));
    ASSERT_EQ(table.size(), static_cast<std::size_t>(matrix.rows) + 1);
    ASSERT_EQ(table[0][0], labels[7]);
    for (int row = 0; row < matrix.rows; ++row) {
      const std::vector<std::string>& line = table[static_cast<std::size_t>(row) + 1];
      ASSERT_EQ(line.size(), static_cast<std::size_t>(matrix.cols) + 1);
      const std::string& label = labels[static_cast<std::size_t>(row)];
      ASSERT_EQ(line[0], label.starts_with('\r') ? "'" + label : label);
      for (int col = 0; col < matrix.cols; ++col) {
        const std::string& text = line[static_cast<std::size_t>(col) + 1];
        float value = 0.0F;
        ASSERT_EQ(std::from_chars(text.data(), text.data() + text.size(), value).ec, std::errc{}) << text;
        ASSERT_EQ(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(matrix.at(row, col)))
            << text;
      }
    }
  }
}

TEST(Csv, HasADecimalPointInEveryLocale) {
  const char* set = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
    if (set == nullptr) set = std::setlocale(LC_NUMERIC, name);
  if (set == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  OwnedMatrix matrix(1, 1);
  matrix.values = {0.5F};
  const std::string csv = csv_text(matrix.view(), "", {}, {});
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(csv, ",0\r\n0,0.5\r\n");
}

TEST(Csv, NoLabelIsAFormula) {
  const OwnedMatrix values(1, 1);
  const std::vector<std::string> rows{"-1"};
  for (const char* label : {"=1+1", "+1", "-", "@SUM(1)", "\t=1", "\r=1", "−2", "＝1"}) {
    const std::vector<std::string> columns{label};
    const Table table = parse(csv_text(values.view(), "a", rows, columns));
    EXPECT_EQ(table[0][1], std::string("'") + label);
    EXPECT_EQ(table[1][0], "'-1");
  }
  const std::vector<std::string> columns{"a=1", "'"};
  const OwnedMatrix two(1, 2);
  EXPECT_TRUE(csv_text(two.view(), "a", {}, columns).starts_with("a,a=1,'\r\n0,"))
      << "nothing else is touched";
}

}  // namespace
}  // namespace headscope
