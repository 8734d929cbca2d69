#pragma once

namespace headscope {

/// Whether this is a build for AddressSanitizer or ThreadSanitizer, about ten times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_instrumented = true;
#else
inline constexpr bool is_instrumented = false;
#endif

/// The number of repetitions of a randomized test: a tenth of `usual` in such a build.
constexpr int rounds(int usual) {
  constexpr int slower = 10;
  return is_instrumented ? usual / slower : usual;
}

}  // namespace headscope
