#include "core/enum_count.h"

#include <gtest/gtest.h>

#include "core/model/stage.h"

namespace headscope {
namespace {

enum class Three { zero, one, two };
enum class Alone : std::uint8_t { only };
enum class Numbered { a1, a2 };  ///< the names end like a cast

TEST(EnumCount, counts_every_name) {
  static_assert(enum_count<Three> == 3);
  static_assert(enum_count<Alone> == 1);
  static_assert(enum_count<Numbered> == 2);
  EXPECT_EQ(all_stage_kinds().size(), enum_count<StageKind>);
  EXPECT_FALSE(is_enumerator<static_cast<Three>(3)>());
  EXPECT_FALSE(is_enumerator<static_cast<Three>(-1)>());
}

template <class Enum, class... Entries>
constexpr bool makes_a_table = requires(Entries... entries) {
  make_enum_table<Enum, int>(entries...);
};

TEST(EnumCount, a_table_takes_one_entry_for_each_name) {
  static_assert(makes_a_table<Three, int, int, int>);
  static_assert(!makes_a_table<Three, int, int>);
  static_assert(!makes_a_table<Three, int, int, int, int>);
  constexpr auto table = make_enum_table<Three, int>(7, 8, 9);
  EXPECT_EQ(table.at(index_of(Three::two)), 9);
}

}  // namespace
}  // namespace headscope
