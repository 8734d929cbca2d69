#pragma once

#include <cstddef>

#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

inline constexpr std::size_t default_trace_bytes = std::size_t{1} << 30U;

/// All that a pass depends on. Two equal requests give equal traces.
struct Request {
  std::string sentence;
  TokenizerKind tokenizer = TokenizerKind::word;
  Architecture architecture;
  AttentionOptions attention;
  std::size_t max_bytes = default_trace_bytes;
  bool operator==(const Request&) const = default;
};

Request request_of(const Session& session);

/// The most tokens whose trace fits into `max_bytes` with these sizes.
int max_tokens(const Architecture& architecture, std::size_t max_bytes);

}  // namespace headscope
