// Fuzzes a GGUF file: its metadata, the numbers of its tensors, the tokenizer that its metadata describes,
// and the model made from its tensors.

#include <cstring>

#include "core/checkpoint/foreign_model.h"
#include "core/io/gguf.h"
#include "core/tokenizers/open_tokenizer.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

void check_lists(const Gguf& gguf) {
  for (const auto& [key, value] : gguf.metadata()) {
    const auto* const list = std::get_if<GgufList>(&value);
    if (list == nullptr) continue;
    require(gguf.texts(key).size() + gguf.numbers(key).size() == list->size, "a list has all of its values");
  }
}

void check_tensors(const Gguf& gguf, std::string_view file) {
  constexpr std::size_t max_numbers = 100'000;
  std::size_t all_bytes = 0;
  for (const TensorRef& tensor : gguf.tensors()) {
    const BlockSize block = block_of(tensor.type);
    require(tensor.size() / block.numbers * block.bytes == tensor.bytes.size(),
            "a tensor's bytes are as many as it needs");
    all_bytes += tensor.bytes.size();
    if (!tensor.is_weight() || tensor.size() > max_numbers) continue;
    std::vector<float> numbers(tensor.size());
    read_numbers(tensor, 0, numbers.size(), numbers.data());
    std::vector<float> rest(numbers.size() - numbers.size() / 3);
    read_numbers(tensor, numbers.size() / 3, rest.size(), rest.data());
    require(std::memcmp(rest.data(), numbers.data() + numbers.size() / 3, rest.size() * sizeof(float)) == 0,
            "a part of the numbers is read as in all of them");
  }
  require(all_bytes <= file.size(), "tensors share no bytes");
}

void check_tokenizer_of(const Gguf& gguf) {
  const std::string text = "The animal didn't cross the [SEP] street, 1234 <s> é漢字\n";
  const auto tokenizer = gguf_tokenizer(gguf);
  fuzzing::next_work();
  if (!tokenizer) return fuzzing::require_readable(tokenizer.error().message);
  const auto tokens = (*tokenizer)->encode(text);
  if (!tokens) return fuzzing::require_readable(tokens.error().message);
  for (const ModelToken& token : *tokens) {
    require(token.token.span.begin <= token.token.span.end && token.token.span.end <= text.size(),
            "a span is in its text");
    require(fuzzing::is_utf8(token.token.text), "what is shown is UTF-8");
  }
}

void check_model(std::string_view file) {
  fuzzing::scratch();
  fuzzing::put("model.gguf", file);
  const auto described = describe_gguf("model.gguf");
  fuzzing::next_work();
  const auto model = open_gguf("model.gguf", "model");
  require(described.has_value() || !model.has_value(), "a model that opens can be described");
  if (!model) fuzzing::require_readable(model.error().message);
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view file = fuzzing::text_of(data, size);
  const auto gguf = Gguf::parse(file);
  if (!gguf) {
    fuzzing::require_readable(gguf.error().message);
    return 0;
  }
  check_lists(*gguf);
  check_tensors(*gguf, file);
  fuzzing::next_work();
  check_tokenizer_of(*gguf);
  fuzzing::next_work();
  check_model(file);
  return 0;
}
