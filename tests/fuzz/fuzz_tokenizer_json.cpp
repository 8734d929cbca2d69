// Fuzzes a tokenizer.json and a text that it tokenizes. A NUL separates them.

#include <algorithm>

#include "core/tokenizers/tokenizer_files.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/fuzz/tokenizing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const auto input = fuzzing::parts_of(fuzzing::text_of(data, size), 2);
  auto parts = parse_tokenizer_json(input[0]);
  if (parts) {
    fuzzing::check_tokenizer(std::move(*parts), input[1]);
  } else {
    fuzzing::require_readable(parts.error().message);
  }
  return 0;
}
