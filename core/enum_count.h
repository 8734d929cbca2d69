#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace headscope {

/// Whether `value` is a named enumerator. The compiler prints an unnamed value as a cast, "(Enum)3".
template <auto value>
consteval bool is_enumerator() {
  constexpr std::string_view written = __PRETTY_FUNCTION__;
  const std::size_t cast = written.rfind(')');
  const std::size_t given = written.rfind("value = ");
  if (cast == std::string_view::npos || cast < given || cast + 1 >= written.size()) return true;
  const char next = written[cast + 1];
  return next != '-' && (next < '0' || next > '9');
}

/// The number of enumerators of an enumeration whose values are 0, 1, 2, …; the size of a table indexed by
/// it. Counted by the compiler, so a new last enumerator cannot be forgotten.
template <class Enum, std::size_t from = 0>
inline constexpr std::size_t enum_count = [] {
  if constexpr (is_enumerator<static_cast<Enum>(from)>()) {
    return enum_count<Enum, from + 1>;
  } else {
    return from;
  }
}();

/// Makes a table with exactly one entry per enumerator, in order.
template <class Enum, class Value, class... Entries>
requires(
    sizeof...(Entries) ==
    enum_count<Enum>) constexpr std::array<Value, enum_count<Enum>> make_enum_table(Entries&&... entries) {
  return {Value(std::forward<Entries>(entries))...};
}

/// The index of an enumerator in such a table.
template <class Enum>
constexpr std::size_t index_of(Enum value) {
  return static_cast<std::size_t>(value);
}

}  // namespace headscope
