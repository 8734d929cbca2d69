#pragma once

#include <concepts>
#include <variant>

namespace headscope {

template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Alternatives>
inline constexpr bool is_alternative<T, std::variant<Alternatives...>> = (std::same_as<T, Alternatives> ||
                                                                          ...);

/// Satisfied if T is one of the alternatives of the variant.
template <class T, class Variant>
concept AlternativeOf = is_alternative<T, Variant>;

}  // namespace headscope
