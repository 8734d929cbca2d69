#include "core/tensor/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headscope {
namespace {

// These are published values of the XXH64 reference implementation.
TEST(Hash, OfBlocksIsXxh64) {
  EXPECT_EQ(xxh64_hash(""), 0xef46db3751d8e999U);
  EXPECT_EQ(xxh64_hash("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(xxh64_hash("abc"), 0x44bc2cf5ad770999U);
  EXPECT_EQ(xxh64_hash("The quick brown fox jumps over the lazy dog"), 0x0b242d361fda71bcU);
}

TEST(Hash, EveryByteCounts) {
  std::string bytes(100, 'x');
  std::set<std::uint64_t> met{xxh64_hash(bytes), xxh64_hash(bytes, 1)};
  for (char& byte : bytes) {
    byte = 'y';
    met.insert(xxh64_hash(bytes));
    byte = 'x';
  }
  EXPECT_EQ(met.size(), 102U);
}

}  // namespace
}  // namespace headscope
