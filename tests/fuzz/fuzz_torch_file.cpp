// Fuzzes a file of torch.save(): a zip archive, or pickles followed by storages. The input is read twice: as
// the file, and after the beginning of the older format, as the pickle of a dictionary and what follows it.

#include "core/io/torch_file.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

void read(std::string_view file) {
  constexpr std::size_t max_numbers = 100'000;
  const auto tensors = torch_tensors(file);
  if (!tensors) return fuzzing::require_readable(tensors.error().message);
  for (const TensorRef& tensor : *tensors) {
    const bool is_inside = tensor.bytes.data() >= file.data() &&
                           tensor.bytes.data() + tensor.bytes.size() <= file.data() + file.size();
    require(is_inside, "the bytes of a tensor are those of its file");
    require(tensor.strides.empty() || tensor.strides.size() == tensor.shape.size(),
            "each axis has a stride, or none has");
    const std::size_t size = tensor.size();
    require(size * bytes_of(tensor.type) <= file.size(), "a tensor claims no more numbers than its file has");
    if (!tensor.is_weight() || size > max_numbers) continue;
    std::vector<float> numbers(size);
    read_numbers(tensor, 0, size, numbers.data());
  }
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view input = fuzzing::text_of(data, size);
  read(input);
  fuzzing::next_work();
  std::string behind("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.\x80\x02M\xE9\x03.\x80\x02}.",
                     25);
  read(behind.append(input));
  return 0;
}
