#include "core/io/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace headscope {
namespace {

TEST(Base64, IsReadStrictly) {
  EXPECT_EQ(from_base64("YWJj"), "abc");
  EXPECT_EQ(from_base64("YWI="), "ab");
  EXPECT_EQ(from_base64("YQ=="), "a");
  EXPECT_EQ(from_base64(""), "");
  EXPECT_FALSE(from_base64("YWJ"));
  EXPECT_FALSE(from_base64("YW=j"));
  EXPECT_FALSE(from_base64("YW J"));
}

TEST(Base64, IsWrittenAsItIsRead) {
  EXPECT_EQ(to_base64("abc"), "YWJj");
  EXPECT_EQ(to_base64("ab"), "YWI=");
  EXPECT_EQ(to_base64("a"), "YQ==");
  EXPECT_EQ(to_base64("\xFB\xFF\xFE"), "+//+");
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes) << length;
    bytes += static_cast<char>(length * 167);
  }
}

}  // namespace
}  // namespace headscope
