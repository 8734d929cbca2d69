// Fuzzes a SentencePiece model and a text that it tokenizes. The input is a byte that gives the length of the
// text, the text, and the model.

#include <algorithm>
#include <array>
#include <string>

#include "core/tokenizers/sentencepiece_model.h"
#include "core/tokenizers/tokenizer_files.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/fuzz/tokenizing.h"

namespace headscope {
namespace {

void read_model(std::string_view bytes, std::string_view text) {
  constexpr std::array families{"", "llama", "t5", "xlmroberta"};
  for (const char* const family : families) {
    fuzzing::next_work();
    auto model = parse_sentencepiece(bytes);
    if (!model) return fuzzing::require_readable(model.error().message);
    ModelConfiguration configuration;
    configuration.family = family;
    auto parts = sentencepiece_parts(std::move(*model), configuration);
    if (parts) {
      fuzzing::check_tokenizer(std::move(*parts), text);
    } else {
      fuzzing::require_readable(parts.error().message);
    }
  }
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  if (size == 0) return 0;
  const std::string_view input = fuzzing::text_of(data + 1, size - 1);
  const std::size_t length = std::min<std::size_t>(data[0], input.size());
  read_model(input.substr(length), input.substr(0, length));
  const auto ranks = parse_tiktoken(input.substr(length), input.substr(0, length));
  if (!ranks) fuzzing::require_readable(ranks.error().message);
  return 0;
}
