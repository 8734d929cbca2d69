#include "core/io/json_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

namespace headscope {
namespace {

std::string error_of(const std::string& text) {
  const auto parsed = parse_json(text);
  return parsed ? "" : parsed.error().message;
}

TEST(JsonText, ReadsBackWhatItWrites) {
  const nlohmann::json value{{"a", {1, 2.5, nullptr, true}}, {"ü", "x\ny"}};
  EXPECT_EQ(*parse_json(json_text(value)), value);
  EXPECT_EQ(*parse_json(json_text(value, 2)), value);
}

TEST(JsonText, SaysWhereItIsNoJson) {
  EXPECT_NE(error_of("{\n  \"a\": 1,\n  b}").find("line 3, column 3"), std::string::npos)
      << error_of("{\n  \"a\": 1,\n  b}");
  for (const char* text : {"", "{", "[1,]", "nul", "\"\xFF\"", "1e999", "\"\\ud800\"", "1 2"})
    EXPECT_NE(error_of(text), "") << text;
}

TEST(JsonText, DeepNestingIsRefusedHoweverDeep) {
  const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_EQ(error_of(nested(max_nesting_depth, "[", "]")), "");
  for (const std::size_t depth :
       {std::size_t{max_nesting_depth} + 1, std::size_t{80'000}, std::size_t{1'000'000}}) {
    EXPECT_NE(error_of(nested(depth, "[", "]")).find("deeper"), std::string::npos);
    EXPECT_NE(error_of(nested(depth, "{\"a\":", "}")).find("deeper"), std::string::npos);
    EXPECT_NE(error_of(std::string(depth, '[')), "");
  }
}

TEST(JsonText, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(json_text(nlohmann::json("m\xFF")), "\"m\uFFFD\"");
}

TEST(JsonText, BracketsInStringsDoNotCount) {
  const std::string text = "[\"" + std::string(200, '[') + "\\\"" + std::string(200, '{') + "\"]";
  EXPECT_EQ(error_of(text), "");
}

TEST(JsonText, ManyMembersAreReadInAboutTheTimeOfTheirNumber) {
  const auto seconds = [](int n) {
    std::string text = "{";
    for (int i = 0; i < n; ++i) text += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) + "\":{\"shape\":[1]}";
    text += "}";
    double least = 1e9;
    for (int run = 0; run < 5; ++run) {
      const std::clock_t begin = std::clock();
      EXPECT_EQ(error_of(text), "");
      least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return least;
  };
  const double few = seconds(5'000);
  EXPECT_LT(seconds(50'000), 40.0 * few + 0.05)
      << "ten times as many; a hundred times the time would be quadratic";
}

}  // namespace
}  // namespace headscope
