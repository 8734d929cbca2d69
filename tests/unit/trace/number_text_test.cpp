#include "core/text/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace headscope {
namespace {

TEST(NumberText, is_what_a_person_reads) {
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(1.0), "1");
  EXPECT_EQ(number_text(0.62), "0.62");
  EXPECT_EQ(number_text(-0.42), "−0.42");
  EXPECT_EQ(number_text(30.776, 4), "30.78");
  EXPECT_EQ(number_text(12345.6, 3), "12346");
  EXPECT_EQ(number_text(100.0), "100");
  EXPECT_EQ(number_text(0.00051234, 2), "0.00051");
  EXPECT_EQ(number_text(2.06e-7, 2), "2.1e−7");
  EXPECT_EQ(number_text(-1e9), "−1e9");
  EXPECT_EQ(number_text(1.5e12), "1.5e12");
}

TEST(NumberText, never_rounds_to_what_it_is_not) {
  EXPECT_EQ(number_text(0.9996, 2), "0.9996");
  EXPECT_EQ(number_text(-0.9996, 2), "−0.9996");
  EXPECT_EQ(number_text(0.9964, 2), "0.996");
  EXPECT_EQ(number_text(0.9999999999, 2), ">0.9999");
  EXPECT_EQ(number_text(-0.9999999999, 2), "<−0.9999");
  EXPECT_NE(number_text(1e-40, 2), "0");
}

TEST(NumberText, has_no_digits_for_what_is_no_number) {
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "−∞");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(number_text(std::nan("")), "NaN");
}

/// Reads a text back as a double after replacing its minus signs with ASCII ones.
double read_back(std::string text) {
  for (auto at = text.find("−"); at != std::string::npos; at = text.find("−")) {
    text.replace(at, std::string("−").size(), "-");
  }
  return std::strtod(text.c_str(), nullptr);
}

TEST(NumberText, reads_back_within_its_digits_over_all_magnitudes) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> mantissa(-10.0, 10.0);
  std::uniform_int_distribution<int> exponent(-30, 30);
  std::uniform_int_distribution<int> digits(1, 9);
  for (int i = 0; i < 5000; ++i) {
    const double value = mantissa(random) * std::pow(10.0, exponent(random));
    const int n = digits(random);
    const std::string text = number_text(value, n);
    if (text.find_first_of("<>") != std::string::npos) continue;
    EXPECT_NEAR(read_back(text), value, std::fabs(value) * 0.51 * std::pow(10.0, 1 - n)) << text;
    EXPECT_EQ(text.find('-'), std::string::npos) << text;
    if (text.find('.') != std::string::npos && text.find('e') == std::string::npos) {
      EXPECT_NE(text.back(), '0') << text;
    }
    EXPECT_NE(text.back(), '.') << text;
  }
}

TEST(NumberText, ColumnsHaveAFixedNumberOfDecimals) {
  EXPECT_EQ(decimals_text(39.8, 2), "39.80");
  EXPECT_EQ(decimals_text(-36.264, 2), "−36.26");
  EXPECT_EQ(decimals_text(-3.0, 2), "−3") << "integers have none";
  EXPECT_EQ(decimals_text(-0.001, 2), "0.00") << "no zero has a sign";
  EXPECT_EQ(decimals_text(-std::numeric_limits<double>::infinity(), 2), "−∞");
  EXPECT_EQ(decimals_text(2.5e6, 2), number_text(2.5e6));
}

}  // namespace
}  // namespace headscope
