#pragma once

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace headscope {

/// An error. The message tells the user what went wrong, where, and what to do about it.
struct Error {
  enum class Kind {
    usage,   ///< A wrong option or value. The command line exits with 2.
    failure  ///< A problem with a file, data, memory or a display. The command line exits with 1.
  };
  Kind kind = Kind::failure;
  std::string message;
};

/// A value or an Error. Public functions of core/ neither print nor exit, and return what is wrong with their
/// input as an Error. They may throw only what any input can cause: that memory, a thread or a file system
/// operation was refused (std::bad_alloc, std::system_error). The edges of the program turn this into a
/// message (core/caught.h). Return exactly the declared type: when libexpected 1.0 converts a Result<U> to a
/// Result<T>, it leaks what T{} allocates.
template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string message) {
  return tl::unexpected<Error>(Error{Error::Kind::failure, std::move(message)});
}

inline tl::unexpected<Error> usage_error(std::string message) {
  return tl::unexpected<Error>(Error{Error::Kind::usage, std::move(message)});
}

/// Throws what Result::value() throws. Functions that return no Result report errors in this way: those of a
/// folder of core/ to its public functions, and those of the command line to run_command_line().
[[noreturn]] inline void refuse(tl::unexpected<Error> error) {
  throw tl::bad_expected_access<Error>(std::move(error.value()));
}

/// Throws the error of a check, if it has one.
inline void ensure(const Result<void>& checked) {
  if (!checked) refuse(tl::unexpected(checked.error()));
}

/// Returns the value of a function, or the error that it throws.
template <class Function>
auto result_of(Function&& function) -> Result<decltype(function())> {
  try {
    if constexpr (std::is_void_v<decltype(function())>) {
      function();
      return {};
    } else {
      return function();
    }
  } catch (const tl::bad_expected_access<Error>& thrown) {
    return tl::unexpected(thrown.error());
  }
}

/// The same, except that an error is a failure whose message begins with `before`.
template <class Function>
auto result_of(const std::string& before, Function&& function) -> Result<decltype(function())> {
  auto result = result_of(function);
  if (!result) return failure(before + result.error().message);
  return result;
}

}  // namespace headscope
