#include "core/io/checkpoint_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include "core/io/safetensors.h"
#include "core/io/torch_file.h"
#include "core/system/atomic_file.h"
#include "core/tensor/floats.h"
#include "tests/unit/each_target.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

const std::filesystem::path fixtures =
    std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/checkpoints";

std::string framed(const std::string& json, const std::string& data) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(json.size() >> (8 * i) & 0xFFU);
  return bytes + json + data;
}

std::vector<float> numbers_of(const TensorRef& tensor) {
  std::vector<float> numbers(tensor.size());
  read_numbers(tensor, 0, numbers.size(), numbers.data());
  return numbers;
}

void put(const std::filesystem::path& file, const std::string& bytes) {
  ASSERT_TRUE(write_atomically(file, bytes).has_value());
}

std::string torch_error(const std::string& torch_file) {
  const auto tensors = torch_tensors(torch_file);
  return tensors ? "" : tensors.error().message;
}

TEST(HalfFloats, AreEveryNumberExactly) {
  // The first one lies alone, so that the others end in an incomplete register.
  std::vector<std::uint16_t> halves(65536);
  std::iota(halves.begin(), halves.end(), std::uint16_t{0});
  for_each_target([&](std::int64_t) {
    std::vector<float> floats(halves.size()), upper(halves.size());
    const auto* from = reinterpret_cast<const std::byte*>(halves.data());
    const auto convert = [&](auto* function, std::vector<float>& to) {
      function(from, 1, to.data());
      function(from + sizeof(std::uint16_t), halves.size() - 1, to.data() + 1);
    };
    convert(float16_to_float, floats);
    convert(bfloat16_to_float, upper);
    for (unsigned bits = 0; bits < 65536; ++bits) {
      const float number = floats[bits];
      const int exponent = static_cast<int>(bits >> 10U & 31U);
      const double fraction = bits & 1023U;
      const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
      double expected =
          sign * std::ldexp(exponent == 0 ? fraction : 1024.0 + fraction, std::max(exponent, 1) - 25);
      if (exponent == 31) expected = fraction == 0.0 ? sign * INFINITY : std::nan("");
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(number)) << bits;
      } else {
        EXPECT_EQ(number, static_cast<float>(expected)) << bits;
        EXPECT_EQ(std::signbit(number), sign < 0.0) << bits;
      }
      EXPECT_EQ(std::bit_cast<std::uint32_t>(upper[bits]), bits << 16U);
    }
  });
}

class TorchFile : public testing::TestWithParam<const char*> {};

TEST_P(TorchFile, HoldsWhatPyTorchSaved) {
  const std::string bytes = content_of(fixtures / GetParam());
  const auto tensors = torch_tensors(bytes);
  ASSERT_TRUE(tensors.has_value()) << tensors.error().message;
  const auto expected = read_safetensors(fixtures / "torch.safetensors");
  ASSERT_TRUE(expected.has_value()) << expected.error().message;
  EXPECT_EQ(tensors->size(), expected->tensors.size() + 1);
  for (const TensorRef& tensor : *tensors) {
    if (tensor.name == "position_ids") {
      EXPECT_EQ(tensor.type, NumberType::i64);
      EXPECT_EQ(tensor.shape, (std::vector<std::size_t>{1, 8}));
      continue;
    }
    const Tensor* const same = expected->find(tensor.name);
    ASSERT_NE(same, nullptr) << tensor.name;
    EXPECT_EQ(tensor.shape, same->shape) << tensor.name;
    EXPECT_EQ(numbers_of(tensor), same->values) << tensor.name;
  }
}

TEST_P(TorchFile, CutOffAnywhereIsAnError) {
  const std::string bytes = content_of(fixtures / GetParam());
  for (std::size_t n = 0; n + 1 < bytes.size(); n += 1 + n / 97)
    EXPECT_NE(torch_error(bytes.substr(0, n)), "") << n;
}

TEST_P(TorchFile, DamagedAnywhereIsReadOrRefused) {
  const std::string bytes = content_of(fixtures / GetParam());
  std::mt19937 random(5);
  for (int run = 0; run < 3000; ++run) {
    std::string damaged = bytes;
    for (int n = 0; n < 1 + run % 3; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto tensors = torch_tensors(damaged);
    if (!tensors) continue;
    for (const TensorRef& tensor : *tensors) {
      if (tensor.is_weight()) numbers_of(tensor);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, TorchFile, testing::Values("zip.bin", "legacy.bin"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

/// A file in the format before PyTorch 1.6 that contains this pickle in place of its dictionary.
std::string legacy_with(const std::string& pickle) {
  const std::string magic("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.", 15);
  return magic + std::string("\x80\x02M\xE9\x03.", 6) + std::string("\x80\x02}.", 4) + pickle +
         std::string("\x80\x02].", 4);
}

TEST(Pickles, NothingIsCarriedOut) {
  EXPECT_NE(torch_error(legacy_with("cposix\nsystem\n(X\x02\0\0\0lstR.")).find("posix.system"),
            std::string::npos);
  EXPECT_NE(torch_error(legacy_with("cbuiltins\neval\n.")).find("builtins.eval"), std::string::npos);
  EXPECT_NE(
      torch_error(legacy_with(std::string("X\x02\0\0\0osX\x06\0\0\0system\x93.", 20))).find("os.system"),
      std::string::npos);
  EXPECT_NE(torch_error(legacy_with("ctorch._utils\n_rebuild_tensor\n.")).find("_rebuild_tensor"),
            std::string::npos);
  for (const char* operations :
       {"(ios\nsystem\n.", "(os.", "S'text'\n.", "I1\n.", "P1\n.", "2.", "\x81.", "\x92.", "\x97."})
    EXPECT_NE(torch_error(legacy_with(operations)).find("operation"), std::string::npos) << operations;
}

TEST(Pickles, SenselessOnesAreRefused) {
  for (const char* operations :
       {".", "t.", "u.", "}(K\x01u.", "h\x07.", "0.", "R.", "b.", "Q.", "q", "e.", "}]s.", "K"})
    EXPECT_NE(torch_error(legacy_with(operations)), "") << operations;
}

/// Reading a value that contains itself must neither hang nor leak memory.
TEST(Pickles, MayBePartOfThemselves) {
  EXPECT_EQ(torch_error(legacy_with("}q\x01X\x01" + std::string("\0\0\0a", 4) + "h\x01s.")),
            "it holds no dictionary of tensors");
}

TEST(Checkpoint, TakesTensorsOfSeveralTypes) {
  const TemporaryFolder folder;
  put(folder / "model.safetensors",
      framed(
          R"({"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"i":{"dtype":"I64","shape":[1],"data_offsets":[4,12]},)"
          R"("b":{"dtype":"BF16","shape":[1],"data_offsets":[12,14]}})",
          std::string("\x00\x3C\x00\xC0\0\0\0\0\0\0\0\0\x80\x3F", 14)));
  const auto files = CheckpointFiles::open(folder / "");
  ASSERT_TRUE(files.has_value()) << files.error().message;
  EXPECT_EQ(numbers_of(*files->find("h")), (std::vector<float>{1.0F, -2.0F}));
  EXPECT_EQ(numbers_of(*files->find("b")), (std::vector<float>{1.0F}));
  EXPECT_FALSE(files->find("i")->is_weight());
  EXPECT_EQ(files->find("x"), nullptr);
}

TEST(Checkpoint, RefusesWhatLies) {
  const std::string four(4, '\0');
  for (const auto& [json, part] :
       {std::pair(R"({"a":{"dtype":"F16","shape":[4],"data_offsets":[0,4]}})", "shape"),
        std::pair(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,4]}})", "shape"),
        std::pair(R"({"a":{"dtype":"F4","shape":[1],"data_offsets":[0,4]}})", "F4"),
        std::pair(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", "outside"),
        std::pair(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"F16",
                                                "shape":[1],"data_offsets":[2,4]}})",
                  "overlaps"),
        std::pair(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})", "cover")}) {
    const TemporaryFolder folder;
    put(folder / "model.safetensors", framed(json, four));
    const auto files = CheckpointFiles::open(folder / "");
    ASSERT_FALSE(files.has_value()) << json;
    EXPECT_NE(files.error().message.find(part), std::string::npos) << files.error().message;
    EXPECT_NE(files.error().message.find("model.safetensors"), std::string::npos);
  }
}

TEST(Checkpoint, ShardsStayInTheFolderAndHoldWhatTheIndexPromises) {
  const std::string one =
      framed(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", std::string(4, '\0'));
  const auto opened = [&](const std::string& index) {
    const TemporaryFolder folder;
    put(folder / "one.safetensors", one);
    put(folder / "same.safetensors", one);
    put(folder / "model-00002-of-00002.safetensors", "no shard of the index, which is not read");
    put(folder / "model.safetensors.index.json", index);
    const auto files = CheckpointFiles::open(folder / "");
    return files ? "" : files.error().message;
  };
  EXPECT_EQ(opened(R"({"weight_map":{"a":"one.safetensors"}})"), "");
  for (const auto& [index, part] :
       {std::pair(R"({"weight_map":{"a":"../one.safetensors"}})", "not in the same folder"),
        std::pair(R"({"weight_map":{"a":"/etc/passwd"}})", "not in the same folder"),
        std::pair(R"({"weight_map":{"a":""}})", "not in the same folder"),
        std::pair(R"({"weight_map":{"a":".."}})", "not in the same folder"),
        std::pair(R"({"weight_map":{"a":"two.safetensors"}})", "is missing"),
        std::pair(R"({"weight_map":{"b":"one.safetensors"}})", "lists"),
        std::pair(R"({"weight_map":{"a":"one.safetensors","b":"same.safetensors"}})", "lists"),
        std::pair(R"({"weight_map":{}})", "empty"), std::pair(R"({"weight_map":{"a":1}})", "not a string"),
        std::pair("{}", "weight_map"), std::pair("[", "not an index")})
    EXPECT_NE(opened(index).find(part), std::string::npos) << index << ": " << opened(index);
}

TEST(Checkpoint, TwoShardsMayNotHaveOneTensor) {
  const TemporaryFolder folder;
  const std::string one =
      framed(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", std::string(4, '\0'));
  const std::string two =
      framed(R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"F32","shape":[1],)"
             R"("data_offsets":[0,4]}})",
             std::string(4, '\0'));
  put(folder / "one.safetensors", one);
  put(folder / "two.safetensors", two);
  put(folder / "model.safetensors.index.json",
      R"({"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  const auto files = CheckpointFiles::open(folder / "");
  ASSERT_FALSE(files.has_value());
  EXPECT_NE(files.error().message.find("twice"), std::string::npos) << files.error().message;
}

TEST(Checkpoint, TellsThatAFileBecameShorter) {
  const TemporaryFolder folder;
  put(folder / "model.safetensors",
      framed(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", std::string(4, '\0')));
  const auto files = CheckpointFiles::open(folder / "");
  ASSERT_TRUE(files.has_value());
  EXPECT_TRUE(files->check_unchanged().has_value());
  ASSERT_EQ(::truncate((folder / "model.safetensors").c_str(), 10), 0);
  EXPECT_FALSE(files->check_unchanged().has_value());
}

TEST(Checkpoint, ItsHashDependsOnNamesAndNumbers) {
  const auto hash = [](const std::string& name, char number) {
    const TemporaryFolder folder;
    put(folder / "model.safetensors",
        framed("{\"" + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
               std::string(4, number)));
    return CheckpointFiles::open(folder / "")->sampled_hash();
  };
  EXPECT_EQ(hash("a", 'x'), hash("a", 'x'));
  EXPECT_NE(hash("a", 'x'), hash("b", 'x'));
  EXPECT_NE(hash("a", 'x'), hash("a", 'y'));
}

}  // namespace
}  // namespace headscope
