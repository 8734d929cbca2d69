#pragma once

#include <string>
#include <tl/expected.hpp>

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

/// A value or an Error. Public functions of core/ neither throw, print nor exit. Return exactly the declared
/// type: when libexpected 1.0 converts a Result<U> to a Result<T>, it leaks what T{} allocates.
template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string message) {
  return tl::unexpected<Error>(Error{Error::Kind::failure, std::move(message)});
}

inline tl::unexpected<Error> usage_error(std::string message) {
  return tl::unexpected<Error>(Error{Error::Kind::usage, std::move(message)});
}

}  // namespace headscope
