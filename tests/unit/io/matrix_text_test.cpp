#include "core/io/matrix_text.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <chrono>
#include <clocale>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/exact_text.h"
#include "core/io/csv.h"
#include "tests/unit/io/random_matrix.h"

namespace headscope {
namespace {

constexpr MatrixTextRules scores{.allows_minus_infinity = true};
constexpr std::array all_forms{MatrixFormat::spreadsheet, MatrixFormat::csv,   MatrixFormat::numpy,
                               MatrixFormat::python,      MatrixFormat::latex, MatrixFormat::matlab};

OwnedMatrix matrix_of(int rows, std::vector<float> values) {
  OwnedMatrix matrix(rows, static_cast<int>(values.size()) / rows);
  matrix.values = std::move(values);
  return matrix;
}

void expect_read(std::string_view text, const OwnedMatrix& wanted) {
  const auto read = parse_matrix(text, scores);
  ASSERT_TRUE(read.has_value()) << text << "\n" << read.error().message;
  EXPECT_EQ(*read, wanted) << text;
}

void expect_error(std::string_view text, std::string_view words) {
  const auto read = parse_matrix(text);
  ASSERT_FALSE(read.has_value()) << text << " is read as " << read->rows << " x " << read->cols;
  EXPECT_NE(read.error().message.find(words), std::string::npos) << text << "\n" << read.error().message;
}

bool same_bits(const OwnedMatrix& a, const OwnedMatrix& b) {
  if (a.rows != b.rows || a.cols != b.cols || a.values.size() != b.values.size()) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(a.values[i]) != std::bit_cast<std::uint32_t>(b.values[i])) return false;
  }
  return true;
}

TEST(MatrixText, EveryFormReadsBackToTheBit) {
  std::mt19937 random(7);
  for (int run = 0; run < 400; ++run) {
    OwnedMatrix matrix = random_matrix(random, 1 + run % 5, 1 + run % 7);
    matrix.values[0] = run % 3 == 0 ? -0.0F : run % 3 == 1 ? std::numeric_limits<float>::denorm_min() : 1.0F;
    for (const MatrixFormat form : all_forms) {
      const std::string text = matrix_text(matrix.view(), form);
      const auto read = parse_matrix(text, scores);
      ASSERT_TRUE(read.has_value()) << text << read.error().message;
      ASSERT_TRUE(same_bits(*read, matrix)) << text;
    }
  }
}

TEST(MatrixText, FormsAreThoseOfTheirPrograms) {
  const OwnedMatrix m = matrix_of(2, {1.0F, 0.1F, -2.5e-7F, -std::numeric_limits<float>::infinity()});
  EXPECT_EQ(matrix_text(m.view(), MatrixFormat::spreadsheet), "1\t0.1\n-2.5e-07\t-inf\n");
  EXPECT_EQ(matrix_text(m.view(), MatrixFormat::csv), "1,0.1\n-2.5e-07,-inf\n");
  EXPECT_EQ(matrix_text(m.view(), MatrixFormat::numpy),
            "np.array([[1.0, 0.1],\n          [-2.5e-07, -np.inf]], dtype=np.float32)");
  EXPECT_EQ(matrix_text(m.view(), MatrixFormat::python), "[[1.0, 0.1],\n [-2.5e-07, float(\"-inf\")]]");
  EXPECT_EQ(matrix_text(m.view(), MatrixFormat::latex),
            "\\begin{bmatrix}\n1 & 0.1 \\\\\n-2.5\\times10^{-7} & -\\infty\n\\end{bmatrix}");
  EXPECT_EQ(matrix_text(m.view(), MatrixFormat::matlab), "[1 0.1; -2.5e-07 -Inf]");
}

TEST(MatrixText, ReadsTheIdentityInEveryNotation) {
  const OwnedMatrix identity = matrix_of(2, {1, 0, 0, 1});
  for (const std::string_view text : {
           "1\t0\n0\t1",
           "1\t0\r\n0\t1\r\n",
           "1\t0\r0\t1\r",
           "\ufeff1,0\n0,1\n",
           "1, 0\n0, 1",
           "\"1\",\"0\"\n\"0\",\"1\"\n",
           "1;0\n0;1\n",
           "1 0\n0 1",
           "  1.   0.\n  0.   1.\n\n",
           "[[1. 0.]\n [0. 1.]]",
           "array([[1., 0.],\n       [0., 1.]])",
           "array([[1., 0.],\n       [0., 1.]], dtype=float32)",
           "np.array([[1, 0], [0, 1]], dtype=np.float32)",
           "tensor([[1., 0.],\n        [0., 1.]], device='cuda:0', grad_fn=<AddBackward0>)",
           "tensor([[1., 0.],\n        [0., 1.]], requires_grad=True)",
           "W_Q = torch.tensor([[1, 0], [0, 1]])",
           ">>> w = [[1, 0], [0, 1]]",
           "[[1, 0], [0, 1]]",
           "[[1, 0], [0, 1],]",
           "((1, 0), (0, 1))",
           "{{1, 0}, {0, 1}}",
           "[[[1, 0], [0, 1]]]",
           "[1 0]\n[0 1]",
           "1 0; 0 1",
           "1, 0; 0, 1",
           "[1 0; 0 1]",
           "[1,0;0,1];",
           "W = [1 0\n     0 1]",
           "W = [1, 0\n     0, 1];",
           "1 0;\n0 1;\n",
           "\\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix}",
           "\\[ W_{Q} = \\begin{pmatrix}1&0\\\\0&1\\\\\\end{pmatrix} \\]",
           "$\\left[\\begin{array}{c|c} 1 & 0 \\\\[2pt] \\hline 0 & 1 \\end{array}\\right]$",
           "\\begin{matrix*}[r] {1} & 0 \\\\ 0 & 1 \\end{matrix*}",
           "1 & 0 \\\\ 0 & 1",
           "1/1 0/3\n0 2/2",
       }) {
    expect_read(text, identity);
  }
}

TEST(MatrixText, OneRuleReadsMixedSeparators) {
  const OwnedMatrix m = matrix_of(2, {1, 2, 3, 4});
  for (const std::string_view text : {
           "[1, 2\n3 4]",
           "[1 2; 3, 4]",
           "[1 2];[3,4]",
           "1, 2; 3 4",
           "1 2; 3 4\n",
           "1 2;\n3, 4",
           "[[1, 2]; [3 4]]",
           "([1, 2], [3, 4])",
           "[[\"1\", \"2\"], [\"3\", \"4\"]]",
           "1 & 2; 3 & 4 \\\\",
           "\\left[ 1 & 2 \\\\ 3 & 4 \\right]",
           "\\begin{bmatrix} 1 & 2; 3 & 4 \\end{bmatrix}.",
           "\\begin{array} {cc} 1 & 2 \\\\*[1em] {3} &\n4 \\end{array}",
           "{\\left( \\begin{array}[t]{|l|r|} \\hline 1 & 2 \\\\ 3 & 4 \\\\ \\hline \\end{array} \\right)}",
           "Parameter containing:\ntensor([[1., 2.],\n        [3., 4.]], requires_grad=True)",
           "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)",
       }) {
    expect_read(text, m);
  }
  expect_read("1 0; 0 1\n2 2; 3 3", matrix_of(4, {1, 0, 0, 1, 2, 2, 3, 3}));
  expect_read("\\begin{matrix} 1 \\\\ 2 \\\\ 3 \\end{matrix}", matrix_of(3, {1, 2, 3}));
}

TEST(MatrixText, NothingThatMayBeANumberIsIgnored) {
  expect_error("1.2x 3", "\"1.2x\" is not a number");
  expect_error("[1 2x]", "\"2x\" is not a number");
  expect_error("--5", "\"--5\" is not a number");
  expect_error("1 234\t5", "\"1 234\" is not a number");
  expect_error("1 2, 3 4", "\"1 2\" is not a number");
  expect_error("[a b; 1 2]", "\"a\" is not a number");
  expect_error("\\begin{pmatrix} a & b \\\\ 1 & 2 \\end{pmatrix}", "\"a\" is not a number");
  expect_error("1 & 2 \\\\ & \\\\ 3 & 4", "row 2, column 1 of the text (counted from 1): is empty");
  expect_error("1 & 2 \\\\[3] & 4", "is not computed");
  expect_error("[1 2\n...\n3 4]", "print the whole matrix");
  expect_error("1 ... 2", "print the whole matrix");
  expect_error("-np.array([[1, 2]])", "is not a number");
  expect_error("W = 2*np.array([[1, 2]])", "is not a number");
  expect_error("2 \\left( \\begin{array}{c} 1 \\end{array} \\right)", "\"2  (\" before the matrix");
  expect_error("\\begin{matrix} 1 \\end{matrix}^T =", "\"^T =\" after the matrix");
  expect_error("[1, 2], dtype=float32, [3, 4]", "after the matrix");
  expect_error("[1 2] 3", "\"3\" after the matrix");
  expect_error("\\begin{matrix} 1 & 2 \\end{matrix} 3", "\"3\" after the matrix");
}

TEST(MatrixText, OneRowOrOneNumberIsAMatrixOfOneRow) {
  expect_read("0.5", matrix_of(1, {0.5F}));
  expect_read("1 2 3", matrix_of(1, {1, 2, 3}));
  expect_read("1, 2, 3", matrix_of(1, {1, 2, 3}));
  expect_read("1\t2\t3\n", matrix_of(1, {1, 2, 3}));
  expect_read("[1, 2, 3]", matrix_of(1, {1, 2, 3}));
  expect_read("tensor(0.5)", matrix_of(1, {0.5F}));
  expect_read("1\n2\n3", matrix_of(3, {1, 2, 3}));
  expect_read("[[1], [2]]", matrix_of(2, {1, 2}));
  expect_read("[1; 2]", matrix_of(2, {1, 2}));
}

TEST(MatrixText, ALongRowThatNumPyBreaksIsOneRow) {
  std::string text = "[";
  for (int i = 0; i < 30; ++i)
    text += (i > 0 && i % 10 == 0 ? "\n    " : "   ") + std::to_string(100 + i) + ".";
  const auto read = parse_matrix(text + "]");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->rows, 1);
  EXPECT_EQ(read->cols, 30);
  const auto two = parse_matrix("[" + text + "]\n " + text + "]]");
  ASSERT_TRUE(two.has_value()) << two.error().message;
  EXPECT_EQ(two->rows, 2);
  EXPECT_EQ(two->cols, 30);
  expect_read("[1,\n 2,\n 3]", matrix_of(1, {1, 2, 3}));
}

TEST(MatrixText, ReadsNumbersAsPeopleAndProgramsWriteThem) {
  const auto number = [](std::string_view text) {
    const auto read = parse_matrix(text, scores);
    EXPECT_TRUE(read.has_value() && read->values.size() == 1) << text;
    return read && !read->values.empty() ? read->values[0] : 99.0F;
  };
  EXPECT_EQ(number("+2"), 2.0F);
  EXPECT_EQ(number(".5"), 0.5F);
  EXPECT_EQ(number("-1."), -1.0F);
  EXPECT_EQ(number("−3"), -3.0F);
  EXPECT_EQ(number("1E-3"), 1e-3F);
  EXPECT_EQ(number("1/3"), 1.0F / 3.0F);
  EXPECT_EQ(number("-\\frac{1}{3}"), -1.0F / 3.0F);
  EXPECT_EQ(number("\\begin{matrix}\\dfrac{ 1 }{ 4 }\\end{matrix}"), 0.25F);
  EXPECT_EQ(number("1.5\\times10^{-3}"), 1.5e-3F);
  EXPECT_EQ(number("\\begin{matrix}2 \\cdot 10^3\\end{matrix}"), 2000.0F);
  EXPECT_EQ(number("1" + std::string(400, '0') + "e-400"), 1.0F);
  EXPECT_EQ(number("1e-60"), 0.0F);
  EXPECT_EQ(number("1e-600"), 0.0F);
  EXPECT_EQ(number("-0." + std::string(400, '0') + "1"), 0.0F);
  EXPECT_EQ(number("3.4028235e38"), std::numeric_limits<float>::max());
  for (const std::string_view text : {"-inf", "-Infinity", "-Inf", "-np.inf", "-∞", "-\\infty"}) {
    EXPECT_EQ(number(text), -std::numeric_limits<float>::infinity()) << text;
  }
}

TEST(MatrixText, DecimalCommasAreReadWhereTheyAreCertain) {
  expect_read("0,5\t1,25\n-2\t3,0", matrix_of(2, {0.5F, 1.25F, -2, 3}));
  expect_read("0,5;1,25\n-2;3,0\n", matrix_of(2, {0.5F, 1.25F, -2, 3}));
  expect_read("1,234;5\n0;1", matrix_of(2, {1.234F, 5, 0, 1}));
  expect_read("1,234\t0,5", matrix_of(1, {1.234F, 0.5F}));
  expect_read("\\begin{matrix} 0{,}5 & 1 \\end{matrix}", matrix_of(1, {0.5F, 1}));
  expect_read("\"1,5\",\"2\"", matrix_of(1, {1.5F, 2}));
  expect_read("1,5 & 2 \\\\ 3 & 4", matrix_of(2, {1.5F, 2, 3, 4}));
  expect_read("a\t.\n1,5\t2\n", matrix_of(1, {1.5F, 2}));
  expect_error("1,234\t5,678", "row 1, column 1 of the text (counted from 1): \"1,234\" is ambiguous");
  expect_error("1,5\t2.5", "\"1,5\" is ambiguous");
  expect_error("1.5;2\n1,5;3", "row 2, column 1");
  expect_error("1,5;2,5", "can be read in two ways");
}

TEST(MatrixText, LabelsAreLeftOut) {
  const OwnedMatrix m = matrix_of(2, {1, 2, 3, 4});
  expect_read("query \\ key,[begin],\"a,b\"\r\nit,1,2\r\n7,3,4\r\n", m);
  expect_read(",0,1\n0,1,2\n1,3,4\n", m);
  expect_read("\tThe\tcat\nThe\t1\t2\ncat\t3\t4\n", m);
  expect_read("a,b\n1,2\n3,4\n", m);
  expect_read("name,a,b\nx,1,2\ny,3,4\n", m);
  const std::vector<std::string> tokens{"1", "say \"x\"\n&;"};
  for (const TableStyle& style : {csv_style, clipboard_style}) {
    expect_read(csv_head("query \\ key", 2, tokens, style) + csv_lines(m.view(), 0, tokens, style), m);
  }
  expect_error("a,b\n1,x\n3,4\n", "row 2, column 2");
  expect_error(",a,b\nx,1,2\ny,3,z\n", "row 3, column 3 of the text (counted from 1): \"z\" is not a number");
}

TEST(MatrixText, ErrorsSayWhatWhereAndWhatToDo) {
  expect_error("", "there are no numbers in the text; copy the cells");
  expect_error(" \n\t\n", "there are no numbers");
  expect_error("[[]]", "there are no numbers");
  expect_error("\\begin{matrix}\\end{matrix}", "there are no numbers");
  expect_error("1 2\n3\n", "row 2 of the text (counted from 1) has 1 number, but the rows before it have 2");
  expect_error("[[1, 2], [3, 4, 5]]", "row 2 of the text (counted from 1) has 3 numbers");
  expect_error("1 & 2 \\\\ 3", "row 2 of the text");
  expect_error("1 2\n3 x4\n",
               "row 2, column 2 of the text (counted from 1): \"x4\" is not a number; write one");
  expect_error("1\t\t3", "row 1, column 2 of the text (counted from 1): is empty; write a number");
  expect_error("[1,,3]", "row 1, column 2");
  expect_error("1 nan", "column 2 of the text (counted from 1): is NaN");
  expect_error("1 inf", "is infinite");
  expect_error("1 -inf", "is -inf, which is allowed only for scores");
  expect_error("1 1e39", "\"1e39\" is too large for a 32-bit float");
  expect_error("1 1e999", "is too large");
  expect_error("1 " + std::string(400, '9'), "is too large");
  expect_error("1" + std::string(400, '0') + "e-50", "is too large");
  expect_error("1/0", "divides by 0");
  expect_error("[[0. 1. ... 8. 9.]]",
               "row 1, column 3 of the text (counted from 1): has \"...\" in place of");
  expect_error("[[1. 2.]\n ...\n [3. 4.]]", "print the whole matrix");
  expect_error("\\begin{matrix} 1 & \\cdots \\\\ 2 & 3 \\end{matrix}", "in place of numbers");
  expect_error("[[1, 2], [3, 4]", "an unmatched bracket");
  expect_error("[[[1, 2]], [[3, 4]]]", "more than one matrix");
  expect_error("[[1, 2], 3]", "\"3\" is outside the brackets of the rows");
  expect_error("[1; 2]'", "\"'\" after the matrix");
  expect_error("[[1, 2]].T", "after the matrix");
  expect_error("\\frac{1}{2}\\begin{matrix} 1 \\end{matrix}",
               "\"\\frac{1}{2}\" before the matrix, which is not computed");
  expect_error("\\begin{matrix} 1 \\end{matrix}^T", "which is not computed");
  expect_error("\\begin{matrix} 1 & 2", "\\begin without \\end");
  expect_error("\\begin{matrix} 1 \\end{matrix} \\begin{matrix} 2 \\end{matrix}", "more than one matrix");
  expect_error("hello", "\"hello\" is not a number");
  expect_error("\xff\xfe", "is not a number");
}

TEST(MatrixText, MoreThanTheLimitIsAnError) {
  std::string row;
  for (int i = 0; i < 2000; ++i) row += "1\t";
  row.back() = '\n';
  std::string text;
  for (int i = 0; i < 2000; ++i) text += row;
  const auto most = parse_matrix(text);
  ASSERT_TRUE(most.has_value()) << most.error().message;
  EXPECT_EQ(most->values.size(), max_text_cells);
  expect_error(text + row, "more than 4000000 numbers");
}

TEST(MatrixText, AHundredThousandCellsAreReadInAMoment) {
  std::mt19937 random(3);
  const OwnedMatrix matrix = random_matrix(random, 100, 1000);
  for (const MatrixFormat form : all_forms) {
    const std::string text = matrix_text(matrix.view(), form);
    const auto begin = std::chrono::steady_clock::now();
    const auto read = parse_matrix(text, scores);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(read.has_value());
    EXPECT_LT(seconds.count(), 2.0) << static_cast<int>(form);
    RecordProperty("ms_of_form_" + std::to_string(static_cast<int>(form)),
                   static_cast<int>(1000 * seconds.count()));
  }
}

TEST(MatrixText, ReadsADecimalPointInEveryLocale) {
  const char* set = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
    if (set == nullptr) set = std::setlocale(LC_NUMERIC, name);
  if (set == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  const auto read = parse_matrix("0.5 1.25e0");
  const std::string text = exact_text(0.5F);
  std::setlocale(LC_NUMERIC, "C");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, matrix_of(1, {0.5F, 1.25F}));
  EXPECT_EQ(text, "0.5");
}

TEST(NumberText, IsOneNumberAsItIsTyped) {
  EXPECT_EQ(parse_matrix_number(" 0.5 ").value(), 0.5F);
  EXPECT_EQ(parse_matrix_number("0,5").value(), 0.5F);
  EXPECT_EQ(parse_matrix_number("1234,567").value(), 1234.567F);
  EXPECT_EQ(parse_matrix_number("−1/4").value(), -0.25F);
  EXPECT_EQ(parse_matrix_number("-inf", scores).value(), -std::numeric_limits<float>::infinity());
  const auto message = [](std::string_view text) { return parse_matrix_number(text).error().message; };
  EXPECT_EQ(message("abc"), "\"abc\" is not a number; write one such as 0.25, -1e-3 or 1/3");
  EXPECT_EQ(message(""), "the cell is empty; write a number there, such as 0");
  EXPECT_EQ(message("1,234"),
            "\"1,234\" is ambiguous; write a decimal point (0.5), and thousands without a separator (1234)");
  EXPECT_EQ(message("-inf"), "the cell is -inf, which is allowed only for scores; write a finite number");
}

}  // namespace
}  // namespace headscope
