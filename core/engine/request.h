#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

inline constexpr std::size_t default_trace_bytes = std::size_t{1} << 30U;

/// All that a pass depends on. Two equal requests give equal traces.
struct Request {
  std::string sentence;            ///< the only one, or the source
  std::string target;              ///< of the decoder, where there are two stacks
  std::vector<std::string> batch;  ///< sentences padded to one length; empty: there is no batch
  int sequence = 0;                ///< the one of the batch that is traced, instead of `sentence`
  TokenizerKind tokenizer = TokenizerKind::word;
  Architecture architecture;
  AttentionOptions attention;
  std::size_t max_bytes = default_trace_bytes;
  bool operator==(const Request&) const = default;
};

Request request_of(const Session& session);

/// The most tokens whose trace fits into `max_bytes` with these sizes: of each sentence, where there are two.
int max_tokens(const Architecture& architecture, std::size_t max_bytes);

}  // namespace headscope
