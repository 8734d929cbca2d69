#pragma once

#include <string>
#include <tl/expected.hpp>

namespace headscope {

/// What went wrong, in words for the user: what, where and what to do about it.
struct Error {
  enum class Kind {
    usage,   ///< a wrong option or value: the command line leaves with 2
    failure  ///< a file, data, memory or a display: the command line leaves with 1
  };
  Kind kind = Kind::failure;
  std::string message;
};

/// A value, or the reason for its absence. Nothing in core/ throws across its interface, prints or exits.
template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(std::string message) {
  return tl::unexpected<Error>(Error{Error::Kind::failure, std::move(message)});
}

inline tl::unexpected<Error> usage_error(std::string message) {
  return tl::unexpected<Error>(Error{Error::Kind::usage, std::move(message)});
}

}  // namespace headscope
