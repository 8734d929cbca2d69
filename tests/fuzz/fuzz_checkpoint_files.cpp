// Fuzzes the files of a checkpoint. The input is an index of shards, a NUL, the JSON of a shard, a NUL, and
// the data of the shard, which is called one.safetensors.

#include <cstring>

#include "core/io/checkpoint_files.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

void read(const CheckpointFiles& files) {
  constexpr std::size_t max_numbers = 100'000;
  for (const TensorRef& tensor : files.tensors()) {
    require(files.find(tensor.name) == &tensor, "a tensor is found by its name");
    require(tensor.size() * bytes_of(tensor.type) == tensor.bytes.size(),
            "its bytes are as many as it needs");
    if (!tensor.is_weight() || tensor.size() > max_numbers) continue;
    std::vector<float> numbers(tensor.size());
    read_numbers(tensor, 0, numbers.size(), numbers.data());
    const float* const floats = floats_of(tensor);
    require(floats == nullptr || numbers.empty() ||
                std::memcmp(floats, numbers.data(), numbers.size() * sizeof(float)) == 0,
            "floats are read as they lie");
  }
  require(files.sampled_hash() == files.sampled_hash(), "its hash is always the same");
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const auto parts = fuzzing::parts_of(fuzzing::text_of(data, size), 3);
  fuzzing::scratch();
  std::filesystem::create_directories("shards");
  fuzzing::put("shards/model.safetensors.index.json", parts[0]);
  fuzzing::put("shards/one.safetensors",
               fuzzing::length_bytes(parts[1].size()).append(parts[1]).append(parts[2]));
  const auto files = CheckpointFiles::open("shards");
  if (!files) {
    fuzzing::require_readable(files.error().message);
    return 0;
  }
  read(*files);
  return 0;
}
