#include "core/io/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/system/atomic_file.h"
#include "tests/unit/io/random_matrix.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/system/full_disk.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

std::string bits(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string framed(const std::string& json, std::size_t n_data_bytes) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(json.size() >> (8 * i) & 0xFFU);
  return bytes + json + std::string(n_data_bytes, 'x');
}

TEST(Safetensors, RoundTripsRandomTensors) {
  const TemporaryFolder folder;
  std::mt19937 random(61);
  for (int run = 0; run < 40; ++run) {
    std::vector<OwnedMatrix> matrices;
    for (int i = 0; i < run % 6; ++i)
      matrices.push_back(random_matrix(random, int(random() % 5), int(random() % 9)));
    std::vector<TensorView> tensors;
    for (const OwnedMatrix& matrix : matrices) {
      tensors.push_back({"encoder.layers.0.\"é\"." + std::to_string(tensors.size()),
                         {1, std::size_t(matrix.rows), std::size_t(matrix.cols)},
                         matrix.view()});
    }
    TensorMetadata metadata;
    if (run % 2 == 0) metadata = {{"tokens", R"(["it","동물"])"}, {"session", "{\"version\": 1}"}};
    ASSERT_TRUE(write_safetensors(folder / "t.safetensors", tensors, metadata).has_value());
    const Result<Safetensors> file = read_safetensors(folder / "t.safetensors");
    ASSERT_TRUE(file.has_value()) << file.error().message;
    EXPECT_EQ(file->metadata, metadata);
    ASSERT_EQ(file->tensors.size(), tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Tensor* tensor = file->find(tensors[i].name);
      ASSERT_NE(tensor, nullptr);
      EXPECT_EQ(tensor->shape, tensors[i].shape);
      EXPECT_EQ(bits(tensor->values), bits(matrices[i].values));
    }
    EXPECT_EQ(file->find("none"), nullptr);
  }
}

TEST(Safetensors, WritesABlockOfALargerMatrix) {
  const TemporaryFolder folder;
  std::mt19937 random(62);
  const OwnedMatrix matrix = random_matrix(random, 900, 800);
  const std::vector<TensorView> tensors{{"block", {800, 700}, matrix.view().block(50, 60, 800, 700)}};
  ASSERT_TRUE(write_safetensors(folder / "t", tensors, {}).has_value());
  const Result<Safetensors> file = read_safetensors(folder / "t");
  ASSERT_TRUE(file.has_value());
  const std::vector<float>& values = file->tensors[0].values;
  for (int row = 0; row < 800; ++row)
    for (int col = 0; col < 700; ++col)
      ASSERT_EQ(values[std::size_t(row * 700 + col)], matrix.at(row + 50, col + 60));
}

/// Checks the requirements of the format's description without our own reader.
TEST(Safetensors, FollowsTheFormat) {
  const TemporaryFolder folder;
  std::mt19937 random(63);
  const OwnedMatrix a = random_matrix(random, 3, 5);
  const OwnedMatrix b = random_matrix(random, 2, 2);
  const std::vector<TensorView> tensors{{"z", {3, 5}, a.view()}, {"a", {4}, b.view()}};
  ASSERT_TRUE(write_safetensors(folder / "t", tensors, {{"key", "value"}}).has_value());
  const std::string bytes = content_of(folder / "t");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U);
  const Json header = Json::parse(bytes.substr(8, length));
  EXPECT_EQ(header, Json::parse(R"({"__metadata__": {"key": "value"},
      "z": {"dtype": "F32", "shape": [3, 5], "data_offsets": [0, 60]},
      "a": {"dtype": "F32", "shape": [4], "data_offsets": [60, 76]}})"));
  EXPECT_EQ(bytes.substr(8 + length), bits(a.values) + bits(b.values));
}

TEST(Safetensors, RefusesNamesAndShapesThatDoNotHold) {
  const TemporaryFolder folder;
  const OwnedMatrix matrix(2, 2);
  for (const std::vector<TensorView>& tensors :
       {std::vector<TensorView>{{"a", {4}, matrix.view()}, {"a", {4}, matrix.view()}},
        std::vector<TensorView>{{"a", {5}, matrix.view()}},
        std::vector<TensorView>{{"a", {SIZE_MAX, 4}, matrix.view()}},
        std::vector<TensorView>{{"__metadata__", {4}, matrix.view()}}}) {
    const Result<void> written = write_safetensors(folder / "t", tensors, {});
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().kind, Error::Kind::usage);
  }
  EXPECT_EQ(folder.n_files(), 0U);
}

TEST(Safetensors, InvalidTextDoesNotThrow) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_safetensors(folder / "t", {}, {{"bad", "\xFF"}}).has_value());
  EXPECT_EQ(read_safetensors(folder / "t")->metadata.at("bad"), "\uFFFD");
}

TEST(Safetensors, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "t", "old").has_value());
  const OwnedMatrix matrix(100, 100);
  const std::vector<TensorView> tensors{{"a", {100, 100}, matrix.view()}};
  Result<void> written;
  {
    const FullDisk disk(4096);
    written = write_safetensors(folder / "t", tensors, {});
  }
  ASSERT_FALSE(written.has_value());
  EXPECT_NE(written.error().message.find("free some space"), std::string::npos);
  EXPECT_EQ(content_of(folder / "t"), "old");
  EXPECT_EQ(folder.n_files(), 1U);
  EXPECT_FALSE(write_safetensors("/dev/full", tensors, {}).has_value());
}

TEST(Safetensors, HostileHeadersAreErrorsThatNameTheFile) {
  const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  ASSERT_TRUE(parse_safetensors(framed(good, 8), "good").has_value());
  const auto entry = [](const std::string& fields) { return framed("{\"a\":{" + fields + "}}", 8); };
  const std::vector<std::string> hostile{
      "",
      "short",
      framed("", 0),
      framed("[]", 0),
      framed("{", 0),
      framed(std::string(5000, '['), 0),
      framed(good, 7),
      framed(good, 9),
      framed("{}", 8),
      std::string(8, '\xFF') + "{}",
      std::string("\x10\0\0\0\0\0\0\0{}", 10),
      framed(R"({"a":1})", 8),
      framed(R"({"__metadata__":{"k":1}})", 0),
      framed(R"({"__metadata__":[]})", 0),
      entry(R"("dtype":"F16","shape":[4],"data_offsets":[0,8])"),
      entry(R"("dtype":32,"shape":[2],"data_offsets":[0,8])"),
      entry(R"("shape":[2],"data_offsets":[0,8])"),
      entry(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"),
      entry(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"),
      entry(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"),
      entry(R"("dtype":"F32","shape":"2","data_offsets":[0,8])"),
      entry(R"("dtype":"F32","shape":[4611686018427387906],"data_offsets":[0,8])"),
      entry(R"("dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,8])"),
      entry(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"),
      entry(R"("dtype":"F32","shape":[2],"data_offsets":[0])"),
      entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,8,16])"),
      entry(R"("dtype":"F32","shape":[2],"data_offsets":[18446744073709551608,18446744073709551615])"),
      entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"),
      framed(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
             R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
             8)};
  for (const std::string& bytes : hostile) {
    const Result<Safetensors> file = parse_safetensors(bytes, "bad.safetensors");
    ASSERT_FALSE(file.has_value()) << bytes;
    EXPECT_NE(file.error().message.find("bad.safetensors"), std::string::npos);
  }
}

TEST(Safetensors, DamagedBytesNeverCrash) {
  std::mt19937 random(64);
  const std::string good =
      framed(R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
             R"("b":{"dtype":"F32","shape":[3],"data_offsets":[8,20]}})",
             20);
  for (int run = 0; run < 20000; ++run) {
    std::string bytes = good;
    for (auto n = 1 + random() % 3; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (run % 5 == 0) bytes.resize(random() % bytes.size());
    const Result<Safetensors> file = parse_safetensors(bytes, "damaged");
    if (!file) continue;
    for (const Tensor& tensor : file->tensors) {
      std::size_t count = 1;
      for (const std::size_t size : tensor.shape) count *= size;
      ASSERT_EQ(tensor.values.size(), count);
    }
  }
}

TEST(Safetensors, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  for (const std::filesystem::path& path : {folder / "none", folder / ""}) {
    const Result<Safetensors> file = read_safetensors(path);
    ASSERT_FALSE(file.has_value());
    EXPECT_NE(file.error().message.find(path.string()), std::string::npos);
  }
}

}  // namespace
}  // namespace headscope
