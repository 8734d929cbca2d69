#pragma once

// What the standard library of Debian's emscripten (libc++ 13) lacks of C++20, for the build of the web page.
// Every source is compiled with this header included first. Only the overloads that the program calls are
// here; each behaves as the standard describes, except that algorithms on temporaries return plain iterators.

#include <double-conversion/double-conversion.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <experimental/coroutine>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <ranges>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace std {

using experimental::coroutine_handle;
using experimental::coroutine_traits;
using experimental::suspend_always;
using experimental::suspend_never;

template <class To, class From>
requires(sizeof(To) == sizeof(From)) constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

/// Reads a decimal number as the standard's from_chars() does: no leading blank or plus sign, and the longest
/// beginning that is a number.
template <class Number>
requires is_floating_point_v<Number> from_chars_result from_chars(const char* first, const char* last,
                                                                  Number& value,
                                                                  chars_format = chars_format::general) {
  using double_conversion::StringToDoubleConverter;
  if (first == last || *first == '+') return {first, errc::invalid_argument};
  const StringToDoubleConverter reader(StringToDoubleConverter::ALLOW_TRAILING_JUNK, 0.0,
                                       numeric_limits<double>::quiet_NaN(), "inf", "nan");
  const auto word_is = [&](const char* begin, const char* word) {
    const auto n = strlen(word);
    return static_cast<size_t>(last - begin) >= n && strncasecmp(begin, word, n) == 0;
  };
  const char* digits = *first == '-' ? first + 1 : first;
  const double sign = *first == '-' ? -1.0 : 1.0;
  if (word_is(digits, "inf") || word_is(digits, "nan")) {
    value = static_cast<Number>(sign * (word_is(digits, "inf") ? numeric_limits<double>::infinity()
                                                               : numeric_limits<double>::quiet_NaN()));
    return {digits + (word_is(digits, "infinity") ? 8 : 3), errc{}};
  }
  // A number begins with a digit, or with a point before one.
  const auto is_digit = [&](const char* at) { return at < last && *at >= '0' && *at <= '9'; };
  if (!is_digit(digits) && !(digits < last && *digits == '.' && is_digit(digits + 1)))
    return {first, errc::invalid_argument};
  int n_read = 0;
  Number read{};
  if constexpr (is_same_v<Number, float>) {
    read = reader.StringToFloat(first, static_cast<int>(last - first), &n_read);
  } else {
    read = reader.StringToDouble(first, static_cast<int>(last - first), &n_read);
  }
  const bool is_zero_written = all_of(digits, first + n_read, [seen_exponent = false](char c) mutable {
    seen_exponent = seen_exponent || c == 'e' || c == 'E';
    return seen_exponent || c == '0' || c == '.';
  });
  if (isinf(read) || (read == Number{} && !is_zero_written))
    return {first + n_read, errc::result_out_of_range};
  value = read;
  return {first + n_read, errc{}};
}

/// The shortest text that reads back as the same number, in the shorter of both notations.
template <class Number>
requires is_floating_point_v<Number> to_chars_result to_chars(char* first, char* last, Number value) {
  using double_conversion::DoubleToStringConverter;
  const auto text_of = [&]() -> string {
    if (isnan(value)) return signbit(value) ? "-nan" : "nan";
    if (isinf(value)) return value < 0 ? "-inf" : "inf";
    array<char, DoubleToStringConverter::kBase10MaximalLength + 1> digits{};
    bool is_negative = false;
    int n = 0, point = 0;
    DoubleToStringConverter::DoubleToAscii(static_cast<double>(value),
                                           is_same_v<Number, float> ? DoubleToStringConverter::SHORTEST_SINGLE
                                                                    : DoubleToStringConverter::SHORTEST,
                                           0, digits.data(), static_cast<int>(digits.size()), &is_negative,
                                           &n, &point);
    const string number(digits.data(), static_cast<size_t>(n));
    string scientific = number.substr(0, 1) + (n > 1 ? "." + number.substr(1) : "");
    const int exponent = value == 0 ? 0 : point - 1;
    array<char, 8> written{};
    snprintf(written.data(), written.size(), "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    scientific += written.data();
    string fixed;
    if (value == 0) {
      fixed = "0";
    } else if (point <= 0) {
      fixed = "0." + string(static_cast<size_t>(-point), '0') + number;
    } else if (point >= n) {
      // Digits beyond the shortest ones are those of the exact value, not zeros.
      array<char, 400> exact{};
      snprintf(exact.data(), exact.size(), "%.0f", abs(static_cast<double>(value)));
      fixed = exact.data();
    } else {
      fixed = number.substr(0, static_cast<size_t>(point)) + "." + number.substr(static_cast<size_t>(point));
    }
    return (is_negative ? "-" : "") + (fixed.size() <= scientific.size() ? fixed : scientific);
  };
  const string text = text_of();
  if (static_cast<size_t>(last - first) < text.size()) return {last, errc::value_too_large};
  return {copy(text.begin(), text.end(), first), errc{}};
}

/// Writes the same text as printf() does in the C locale.
inline to_chars_result to_chars(char* first, char* last, double value, chars_format format, int precision) {
  array<char, 512> text{};
  const char* pattern = format == chars_format::fixed        ? "%.*f"
                        : format == chars_format::scientific ? "%.*e"
                                                             : "%.*g";
  const int n = snprintf(text.data(), text.size(), pattern, precision, value);
  if (n < 0 || n >= static_cast<int>(text.size()) || last - first < n) return {last, errc::value_too_large};
  return {copy(text.begin(), text.begin() + n, first), errc{}};
}

namespace ranges {

template <class In, class Out>
struct in_out_result {
  In in;
  Out out;
};
template <class In1, class In2>
struct in_in_result {
  In1 in1;
  In2 in2;
};

/// The value that an algorithm compares: the element or its projection.
template <class Element>
constexpr Element&& seen(Element&& element) {
  return forward<Element>(element);
}
template <class Element, class Projection>
constexpr decltype(auto) seen(Element&& element, const Projection& projection) {
  return std::invoke(projection, forward<Element>(element));
}

/// Algorithms of one range: `Algorithm` is what they do between two iterators.
template <class Algorithm>
struct of_one_range {
  Algorithm algorithm;

  constexpr of_one_range(Algorithm algorithm) : algorithm(algorithm) {}
  template <range Range, class... Arguments>
  constexpr auto operator()(Range&& all, Arguments&&... arguments) const {
    return algorithm(ranges::begin(all), ranges::end(all), forward<Arguments>(arguments)...);
  }
  template <input_or_output_iterator First, sentinel_for<First> Last, class... Arguments>
  constexpr auto operator()(First first, Last last, Arguments&&... arguments) const {
    return algorithm(first, last, forward<Arguments>(arguments)...);
  }
};

/// Compares two elements by what is projected from them.
template <class Compare, class Projection>
constexpr auto projected_by(Compare& compare, Projection& projection) {
  return [&](auto&& a, auto&& b) -> bool {
    return invoke(compare, invoke(projection, forward<decltype(a)>(a)),
                  invoke(projection, forward<decltype(b)>(b)));
  };
}

/// Algorithms of one range that compare elements, in whose calls `{}` may stand for the usual order.
template <class Algorithm, class Usual = ranges::less>
struct of_ordered_range {
  Algorithm algorithm;

  constexpr of_ordered_range(Algorithm algorithm, Usual = {}) : algorithm(algorithm) {}
  template <range Range, class Compare = Usual, class Projection = identity>
  constexpr auto operator()(Range&& all, Compare compare = {}, Projection projection = {}) const {
    return algorithm(ranges::begin(all), ranges::end(all), projected_by(compare, projection));
  }
  template <input_or_output_iterator First, sentinel_for<First> Last, class Compare = Usual,
            class Projection = identity>
  constexpr auto operator()(First first, Last last, Compare compare = {}, Projection projection = {}) const {
    return algorithm(first, last, projected_by(compare, projection));
  }
};

/// The same for algorithms that order the elements before a place.
template <class Algorithm>
struct of_range_up_to {
  Algorithm algorithm;

  constexpr of_range_up_to(Algorithm algorithm) : algorithm(algorithm) {}
  template <range Range, class Compare = ranges::less, class Projection = identity>
  constexpr void operator()(Range&& all, iterator_t<Range> place, Compare compare = {},
                            Projection projection = {}) const {
    algorithm(ranges::begin(all), place, ranges::end(all), projected_by(compare, projection));
  }
};

/// The same for searches in sorted ranges.
template <class Algorithm>
struct of_sorted_range {
  Algorithm algorithm;

  constexpr of_sorted_range(Algorithm algorithm) : algorithm(algorithm) {}
  template <range Range, class Value, class Compare = ranges::less, class Projection = identity>
  constexpr auto operator()(Range&& all, const Value& value, Compare compare = {},
                            Projection projection = {}) const {
    const auto is_below = [&](auto&& element, const Value& wanted) -> bool {
      return invoke(compare, invoke(projection, element), wanted);
    };
    const auto is_above = [&](const Value& wanted, auto&& element) -> bool {
      return invoke(compare, wanted, invoke(projection, element));
    };
    return algorithm(ranges::begin(all), ranges::end(all), value, is_below, is_above);
  }
};

inline constexpr of_one_range find_if{[](auto first, auto last, auto test, const auto&... projection) {
  while (first != last && !invoke(test, seen(*first, projection...))) ++first;
  return first;
}};
inline constexpr of_one_range find{[](auto first, auto last, const auto& value, const auto&... projection) {
  while (first != last && !(seen(*first, projection...) == value)) ++first;
  return first;
}};
inline constexpr of_one_range any_of{
    [](auto first, auto last, const auto&... test) { return find_if(first, last, test...) != last; }};
inline constexpr of_one_range none_of{
    [](auto first, auto last, const auto&... test) { return find_if(first, last, test...) == last; }};
inline constexpr of_one_range all_of{[](auto first, auto last, auto test, const auto&... projection) {
  return find_if(first, last, not_fn(test), projection...) == last;
}};
inline constexpr of_one_range count_if{[](auto first, auto last, auto test, const auto&... projection) {
  iter_difference_t<decltype(first)> n = 0;
  for (; first != last; ++first) n += invoke(test, seen(*first, projection...)) ? 1 : 0;
  return n;
}};
inline constexpr of_one_range count{[](auto first, auto last, const auto& value, const auto&... projection) {
  iter_difference_t<decltype(first)> n = 0;
  for (; first != last; ++first) n += seen(*first, projection...) == value ? 1 : 0;
  return n;
}};
inline constexpr of_one_range for_each{
    [](auto first, auto last, auto function) { std::for_each(first, last, function); }};
inline constexpr of_one_range copy{[](auto first, auto last, auto out) {
  out = std::copy(first, last, out);
  return in_out_result<decltype(last), decltype(out)>{last, out};
}};
inline constexpr of_one_range move{[](auto first, auto last, auto out) {
  out = std::move(first, last, out);
  return in_out_result<decltype(last), decltype(out)>{last, out};
}};
inline constexpr of_one_range copy_if{
    [](auto first, auto last, auto out, auto test) { std::copy_if(first, last, out, test); }};
inline constexpr of_one_range fill{
    [](auto first, auto last, const auto& value) { std::fill(first, last, value); }};
inline constexpr of_one_range generate{
    [](auto first, auto last, auto function) { std::generate(first, last, function); }};
inline constexpr of_one_range replace{
    [](auto first, auto last, const auto& old, const auto& by) { std::replace(first, last, old, by); }};
inline constexpr of_one_range replace_if{
    [](auto first, auto last, auto test, const auto& by) { std::replace_if(first, last, test, by); }};
inline constexpr of_one_range reverse{[](auto first, auto last) { std::reverse(first, last); }};

struct transform_fn {
  template <range Range, class Out, class Function>
  requires(!range<Out>) constexpr void operator()(Range&& all, Out out, Function function) const {
    auto first = ranges::begin(all);
    for (const auto last = ranges::end(all); first != last; ++first, ++out) *out = invoke(function, *first);
  }
  template <range Range, range Other, class Out, class Function>
  constexpr void operator()(Range&& all, Other&& others, Out out, Function function) const {
    auto first = ranges::begin(all);
    auto other = ranges::begin(others);
    for (; first != ranges::end(all) && other != ranges::end(others); ++first, ++other, ++out)
      *out = invoke(function, *first, *other);
  }
};
inline constexpr transform_fn transform;

struct mismatch_fn {
  template <range Range, range Other, class Equal = ranges::equal_to, class Projection = identity,
            class OtherProjection = identity>
  constexpr auto operator()(Range&& all, Other&& others, Equal equal = {}, Projection projection = {},
                            OtherProjection of_other = {}) const {
    auto first = ranges::begin(all);
    auto other = ranges::begin(others);
    while (first != ranges::end(all) && other != ranges::end(others) &&
           invoke(equal, invoke(projection, *first), invoke(of_other, *other)))
      ++first, ++other;
    return in_in_result<decltype(first), decltype(other)>{first, other};
  }
};
inline constexpr mismatch_fn mismatch;

struct equal_fn {
  template <range Range, range Other, class Equal = ranges::equal_to, class Projection = identity,
            class OtherProjection = identity>
  constexpr bool operator()(Range&& all, Other&& others, Equal equal = {}, Projection projection = {},
                            OtherProjection of_other = {}) const {
    const auto stop = mismatch(all, others, equal, projection, of_other);
    return stop.in1 == ranges::end(all) && stop.in2 == ranges::end(others);
  }
};
inline constexpr equal_fn equal;

inline constexpr auto set_difference = [](auto&& all, auto&& others, auto out) {
  std::set_difference(ranges::begin(all), ranges::end(all), ranges::begin(others), ranges::end(others), out);
};

inline constexpr of_ordered_range sort{[](auto first, auto last, auto compare) {
  std::sort(first, last, compare);
  return last;
}};
inline constexpr of_ordered_range stable_sort{[](auto first, auto last, auto compare) {
  std::stable_sort(first, last, compare);
  return last;
}};
inline constexpr of_ordered_range push_heap{
    [](auto first, auto last, auto compare) { std::push_heap(first, last, compare); }};
inline constexpr of_ordered_range pop_heap{
    [](auto first, auto last, auto compare) { std::pop_heap(first, last, compare); }};
inline constexpr of_ordered_range sort_heap{
    [](auto first, auto last, auto compare) { std::sort_heap(first, last, compare); }};
inline constexpr of_ordered_range max_element{
    [](auto first, auto last, auto compare) { return std::max_element(first, last, compare); }};
inline constexpr of_ordered_range min_element{
    [](auto first, auto last, auto compare) { return std::min_element(first, last, compare); }};
inline constexpr of_ordered_range max{[](auto first, auto last, auto compare) {
  return iter_value_t<decltype(first)>(*std::max_element(first, last, compare));
}};
inline constexpr of_ordered_range min{[](auto first, auto last, auto compare) {
  return iter_value_t<decltype(first)>(*std::min_element(first, last, compare));
}};
inline constexpr of_ordered_range adjacent_find{
    [](auto first, auto last, auto equal) { return std::adjacent_find(first, last, equal); },
    ranges::equal_to{}};
inline constexpr of_range_up_to partial_sort{[](auto first, auto middle, auto last, auto compare) {
  std::partial_sort(first, middle, last, compare);
}};
inline constexpr of_range_up_to nth_element{
    [](auto first, auto nth, auto last, auto compare) { std::nth_element(first, nth, last, compare); }};

/// A part of a range: for unique() what is left over, so that begin() is the new end; for equal_range() what
/// it found.
template <class Iterator>
struct rest_of_range {
  Iterator first, last;
  constexpr Iterator begin() const { return first; }
  constexpr Iterator end() const { return last; }
};
inline constexpr of_ordered_range unique{
    [](auto first, auto last, auto equal) {
      return rest_of_range<decltype(first)>{std::unique(first, last, equal), last};
    },
    ranges::equal_to{}};

inline constexpr of_sorted_range lower_bound{
    [](auto first, auto last, const auto& value, auto is_below, auto) {
      return std::lower_bound(first, last, value, is_below);
    }};
inline constexpr of_sorted_range upper_bound{
    [](auto first, auto last, const auto& value, auto, auto is_above) {
      return std::upper_bound(first, last, value, is_above);
    }};
inline constexpr of_sorted_range equal_range{
    [](auto first, auto last, const auto& value, auto is_below, auto is_above) {
      return rest_of_range<decltype(first)>{std::lower_bound(first, last, value, is_below),
                                            std::upper_bound(first, last, value, is_above)};
    }};
inline constexpr of_sorted_range binary_search{
    [](auto first, auto last, const auto& value, auto is_below, auto is_above) {
      const auto found = std::lower_bound(first, last, value, is_below);
      return found != last && !is_above(value, *found);
    }};

}  // namespace ranges
}  // namespace std
