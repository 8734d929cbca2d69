#include "core/io/gguf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/io/npy.h"
#include "core/system/mapped_file.h"
#include "tests/unit/io/gguf_writer.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/stored_npz.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

const fs::path reference = fs::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference/checkpoints/gguf";

std::vector<float> numbers_in(const TensorRef& tensor) {
  std::vector<float> numbers(tensor.size());
  read_numbers(tensor, 0, numbers.size(), numbers.data());
  return numbers;
}

void expect_same_bits(const std::vector<float>& numbers, const std::vector<float>& expected,
                      const std::string& what) {
  ASSERT_EQ(numbers.size(), expected.size()) << what;
  EXPECT_EQ(std::memcmp(numbers.data(), expected.data(), numbers.size() * sizeof(float)), 0) << what;
}

TEST(GgufReference, BlocksAreDequantisedBitForBit) {
  if (!fs::exists(reference)) GTEST_SKIP() << "no reference data at " << reference;
  const auto file = MappedFile::open(reference / "ggml-quants.gguf");
  ASSERT_TRUE(file) << file.error().message;
  const auto gguf = Gguf::parse(file->bytes());
  ASSERT_TRUE(gguf) << gguf.error().message;
  const auto index =
      nlohmann::json::parse(content_of(reference / "expected/ggml-quants/index.json"), nullptr, false);
  ASSERT_EQ(gguf->tensors().size(), 11U);
  for (const TensorRef& tensor : gguf->tensors()) {
    EXPECT_EQ(index[tensor.name]["type"], name_of(tensor.type));
    const auto expected = read_npy(reference / "expected/ggml-quants" / (tensor.name + ".dequantised.npy"));
    ASSERT_TRUE(expected) << expected.error().message;
    EXPECT_EQ(tensor.shape[0], static_cast<std::size_t>(expected->shape[0])) << "the outermost axis is first";
    expect_same_bits(numbers_in(tensor), expected->values, tensor.name);
    for (const auto& [first, n] :
         {std::pair<std::size_t, std::size_t>{0, 1}, {1, 30}, {31, 2}, {33, 95}, {5, 0}}) {
      std::vector<float> part(n);
      read_numbers(tensor, first, n, part.data());
      const auto begin = expected->values.begin() + static_cast<std::ptrdiff_t>(first);
      expect_same_bits(part, {begin, begin + static_cast<std::ptrdiff_t>(n)}, tensor.name);
    }
  }
}

TEST(GgufReference, ModelsAreDequantisedBitForBit) {
  if (!fs::exists(reference)) GTEST_SKIP() << "no reference data at " << reference;
  for (const char* name : {"stories260K-f16", "stories260K-q8_0", "rand-llama256-q4_k"}) {
    const auto file = MappedFile::open(reference / (std::string(name) + ".gguf"));
    ASSERT_TRUE(file) << file.error().message;
    const auto gguf = Gguf::parse(file->bytes());
    ASSERT_TRUE(gguf) << gguf.error().message;
    const auto expected = stored_npz(reference / "expected" / name / "dequantised.npz");
    EXPECT_FALSE(expected.empty());
    for (const TensorRef& tensor : gguf->tensors()) {
      if (tensor.type == NumberType::f32) continue;
      ASSERT_TRUE(expected.contains(tensor.name)) << tensor.name;
      expect_same_bits(numbers_in(tensor), expected.at(tensor.name).values, tensor.name);
    }
  }
}

/// A file with an entry of each type and two tensors, the second with the blocks of Q8_0.
GgufWriter small_file() {
  GgufWriter writer;
  writer.text("general.architecture", "test");
  writer.whole("whole", 7);
  writer.entry("negative", GgufType::int8, GgufWriter::bytes_of<std::int8_t>(-3));
  writer.entry("large", GgufType::uint64, GgufWriter::bytes_of(std::numeric_limits<std::uint64_t>::max()));
  writer.entry("signed", GgufType::int64, GgufWriter::bytes_of<std::int64_t>(9));
  writer.decimal("decimal", 0.5F);
  writer.flag("flag", true);
  writer.texts("texts", {"a", "", "Ġthe"});
  writer.numbers<float>("scores", GgufType::float32, {1.5F, -2.0F});
  writer.numbers<std::int16_t>("kinds", GgufType::int16, {3, -1});
  writer.floats("first", {2, 3}, {1, 2, 3, 4, 5, 6});
  std::string block(34, '\x01');
  block[0] = '\0';
  block[1] = '\x3C';  // 1.0
  writer.tensors.push_back({"second", {1, 32}, 8, block});
  return writer;
}

std::string gguf_error(const std::string& bytes) {
  const auto gguf = Gguf::parse(bytes);
  return gguf ? "" : gguf.error().message;
}

TEST(Gguf, HoldsMetadataAndTensors) {
  for (const std::uint32_t version : {2U, 3U}) {
    GgufWriter writer = small_file();
    writer.version = version;
    const std::string bytes = writer.bytes();
    const auto gguf = Gguf::parse(bytes);
    ASSERT_TRUE(gguf) << gguf.error().message;
    EXPECT_EQ(gguf->text("general.architecture"), "test");
    EXPECT_EQ(gguf->whole("whole"), 7U);
    EXPECT_EQ(gguf->whole("negative"), std::nullopt);
    EXPECT_EQ(gguf->whole("large"), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(gguf->whole("signed"), 9U);
    EXPECT_EQ(std::get<double>(*gguf->find("decimal")), 0.5);
    EXPECT_EQ(gguf->flag("flag"), true);
    EXPECT_EQ(gguf->texts("texts"), (std::vector<std::string_view>{"a", "", "Ġthe"}));
    EXPECT_EQ(gguf->numbers("scores"), (std::vector<double>{1.5, -2.0}));
    EXPECT_EQ(gguf->numbers("kinds"), (std::vector<double>{3, -1}));
    EXPECT_EQ(gguf->text("whole"), std::nullopt);
    EXPECT_TRUE(gguf->texts("scores").empty());
    EXPECT_TRUE(gguf->numbers("missing").empty());
    ASSERT_EQ(gguf->tensors().size(), 2U);
    EXPECT_EQ(gguf->tensors()[0].shape, (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(numbers_in(gguf->tensors()[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(numbers_in(gguf->tensors()[1]), std::vector<float>(32, 1.0F));
  }
}

TEST(Gguf, AlignsAsItsMetadataSays) {
  GgufWriter writer = small_file();
  writer.alignment = 64;
  writer.whole("general.alignment", 64);
  const std::string bytes = writer.bytes();
  const auto gguf = Gguf::parse(bytes);
  ASSERT_TRUE(gguf) << gguf.error().message;
  EXPECT_EQ(numbers_in(gguf->tensors()[0])[5], 6.0F);
  for (const std::uint32_t wrong : {0U, 4U, 24U, 1U << 30U}) {
    writer.whole("general.alignment", wrong);
    EXPECT_NE(gguf_error(writer.bytes()).find("general.alignment is " + std::to_string(wrong)),
              std::string::npos)
        << gguf_error(writer.bytes());
  }
  writer.text("general.alignment", "wide");
  EXPECT_NE(gguf_error(writer.bytes()).find("general.alignment must be"), std::string::npos);
}

TEST(Gguf, RefusesAFileThatIsCutOffAnywhere) {
  const std::string bytes = small_file().bytes();
  // Only padding follows the last tensor.
  const std::size_t needed = bytes.size() - 30;
  ASSERT_EQ(gguf_error(bytes.substr(0, needed)), "");
  for (std::size_t size = 0; size < needed; ++size) {
    const std::string message = gguf_error(bytes.substr(0, size));
    EXPECT_NE(message.find(size < 4 ? "does not begin with GGUF" : "cut off"), std::string::npos)
        << size << ": " << message;
  }
}

TEST(Gguf, NamesWhatItDoesNotRead) {
  const auto of_version = [](std::uint32_t version) {
    GgufWriter writer = small_file();
    writer.version = version;
    return gguf_error(writer.bytes());
  };
  EXPECT_NE(of_version(1).find("version 1"), std::string::npos);
  EXPECT_NE(of_version(4).find("version 4"), std::string::npos);
  EXPECT_NE(of_version(0x03000000).find("big-endian"), std::string::npos);
  const auto of_type = [](std::uint32_t type) {
    GgufWriter writer = small_file();
    writer.tensors[1].type = type;
    return gguf_error(writer.bytes());
  };
  EXPECT_NE(of_type(16).find("second has the type IQ2_XXS, but only these types"), std::string::npos);
  EXPECT_NE(of_type(34).find("TQ1_0"), std::string::npos);
  EXPECT_NE(of_type(77).find("the type number 77"), std::string::npos);
  EXPECT_NE(of_type(12).find("blocks of 256"), std::string::npos) << of_type(12);
}

TEST(Gguf, BelievesNoCountOrPlaceThatDoesNotFit) {
  const std::uint64_t many = std::uint64_t{1} << 62U;
  const auto replaced = [](std::string bytes, std::size_t at, const auto& number) {
    std::memcpy(bytes.data() + at, &number, sizeof number);
    return gguf_error(bytes);
  };
  GgufWriter writer = small_file();
  const std::string bytes = writer.bytes();
  constexpr std::size_t tensor_count = 8, value_count = 16, first_key = 24;
  EXPECT_NE(replaced(bytes, tensor_count, many), "");
  EXPECT_NE(replaced(bytes, value_count, many), "");
  EXPECT_NE(replaced(bytes, first_key, many).find("would end beyond"), std::string::npos);
  // The description of the first tensor begins here.
  const std::size_t described = bytes.find("first") + 5;
  const std::size_t sides = described + 4, type = sides + 16, offset = type + 4;
  EXPECT_NE(replaced(bytes, described, std::uint32_t{9}).find("9 axes"), std::string::npos);
  EXPECT_NE(replaced(bytes, sides, many).find("more than the file can hold"), std::string::npos);
  EXPECT_NE(replaced(bytes, sides, std::uint64_t{0}).find("empty"), std::string::npos);
  EXPECT_NE(replaced(bytes, offset, std::uint64_t{8}).find("not a multiple of its alignment"),
            std::string::npos);
  EXPECT_NE(replaced(bytes, offset, std::uint64_t{32}).find("first and second share bytes"),
            std::string::npos);
  EXPECT_NE(replaced(bytes, offset, many).find("the file ends after"), std::string::npos);

  writer.entry("list", GgufType::list, GgufWriter::bytes_of<std::uint32_t>(5) + GgufWriter::bytes_of(many));
  EXPECT_NE(gguf_error(writer.bytes()).find("the list list of 4611686018427387904 values"),
            std::string::npos);
  writer.entry("list", GgufType::list, GgufWriter::bytes_of<std::uint32_t>(9) + GgufWriter::bytes_of(many));
  EXPECT_NE(gguf_error(writer.bytes()).find("a list of lists"), std::string::npos);
  writer.entry("list", static_cast<GgufType>(99), "");
  EXPECT_NE(gguf_error(writer.bytes()).find("the unknown type 99"), std::string::npos);
  writer.remove("list");
  writer.text("no spaces", "");
  EXPECT_NE(gguf_error(writer.bytes()).find("not printable ASCII"), std::string::npos);
}

/// The blocks of llama.cpp that the reference file lacks, by their definitions in ggml-common.h.
TEST(Gguf, ReadsBlocksOfUnevenStepsAndOfFourBitFloats) {
  constexpr std::array<int, 16> steps{-127, -104, -83, -65, -49, -35, -22, -10,
                                      1,    13,   25,  38,  53,  69,  89,  113};
  constexpr std::array<float, 8> halves{0, 1, 2, 3, 4, 6, 8, 12};
  std::string uneven(136, '\0'), four(17, '\0');
  for (std::size_t i = 2; i < uneven.size(); ++i) uneven[i] = static_cast<char>(i * 37 % 251);
  uneven[1] = '\x38';  // d = 0.5
  for (std::size_t i = 1; i < four.size(); ++i) four[i] = static_cast<char>(i * 53 % 256);
  four[0] = '\x7C';
  GgufWriter writer;
  writer.text("general.architecture", "test");
  writer.tensors.push_back({"uneven", {1, 256}, 23, uneven});
  writer.tensors.push_back({"four", {1, 32}, 39, four});
  const std::string bytes = writer.bytes();
  const auto gguf = Gguf::parse(bytes);
  ASSERT_TRUE(gguf) << gguf.error().message;
  const auto byte = [](const std::string& block, std::size_t at) {
    return static_cast<unsigned>(static_cast<unsigned char>(block[at]));
  };
  const std::vector<float> read = numbers_in(gguf->tensors()[0]);
  for (std::size_t i = 0; i < read.size(); ++i) {
    const std::size_t part = i / 32;
    const unsigned high = byte(uneven, 2) | byte(uneven, 3) << 8U;
    const unsigned low = byte(uneven, 4 + part / 2) >> 4 * (part % 2) & 15U;
    const int scale = static_cast<int>(low | (high >> 2 * part & 3U) << 4U) - 32;
    const unsigned bits = byte(uneven, 8 + part * 16 + i % 16) >> (i % 32 < 16 ? 0 : 4) & 15U;
    EXPECT_EQ(read[i], 0.5F * static_cast<float>(scale) * static_cast<float>(steps[bits])) << i;
  }
  const std::vector<float> floats = numbers_in(gguf->tensors()[1]);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const unsigned bits = byte(four, 1 + i % 16) >> (i < 16 ? 0 : 4) & 15U;
    EXPECT_EQ(floats[i], std::ldexp(bits < 8 ? halves[bits] : -halves[bits - 8], 0x7C - 128)) << i;
  }
}

TEST(Gguf, ScalesThatAreNotFiniteAreRead) {
  GgufWriter writer = small_file();
  writer.tensors[1].bytes[1] = '\x7E';  // NaN
  const std::string bytes = writer.bytes();
  const auto gguf = Gguf::parse(bytes);
  ASSERT_TRUE(gguf) << gguf.error().message;
  EXPECT_TRUE(std::isnan(numbers_in(gguf->tensors()[1])[0]));
}

TEST(Gguf, IsKnownByItsFirstBytes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "sha256-1234") << small_file().bytes();
  std::ofstream(folder / "short.gguf") << "GG";
  EXPECT_TRUE(is_gguf(folder / "sha256-1234"));
  EXPECT_FALSE(is_gguf(folder / "short.gguf"));
  EXPECT_FALSE(is_gguf(folder / "missing"));
  EXPECT_FALSE(is_gguf(folder / ""));
}

}  // namespace
}  // namespace headscope
