#include "core/io/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "core/system/atomic_file.h"
#include "tests/unit/io/random_matrix.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/io/written_matrix.h"

namespace headscope {
namespace {

std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  const int n_length_bytes = version == 1 ? 2 : 4;
  for (int i = 0; i < n_length_bytes; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xFFU);
  return bytes + header + data;
}

std::string header(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  std::string literal = "{'descr': '";
  literal.append(descr).append("', 'fortran_order': ").append(order);
  return literal.append(", 'shape': ").append(shape).append(", }\n");
}

template <class Element>
std::string raw(const std::vector<Element>& values) {
  std::string bytes(values.size() * sizeof(Element), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Npy, RoundTripsRandomMatrices) {
  const TemporaryFolder folder;
  std::mt19937 random(51);
  for (int run = 0; run < 50; ++run) {
    const OwnedMatrix matrix = random_matrix(random, run % 5, run % 7);
    ASSERT_TRUE(write_npy(folder / "m.npy", matrix.view()).has_value());
    const Result<NpyArray> array = read_npy(folder / "m.npy");
    ASSERT_TRUE(array.has_value()) << array.error().message;
    EXPECT_EQ(array->type, "float32");
    EXPECT_EQ(array->shape, (std::vector<int>{matrix.rows, matrix.cols}));
    EXPECT_EQ(raw(array->values), raw(matrix.values));
  }
}

TEST(Npy, WritesABlockOfALargerMatrix) {
  std::mt19937 random(52);
  const OwnedMatrix matrix = random_matrix(random, 6, 8);
  const MatrixView block = matrix.view().block(2, 3, 3, 4);
  const TemporaryFolder folder;
  ASSERT_TRUE(write_npy(folder / "block.npy", block).has_value());
  const Result<NpyArray> array = read_npy(folder / "block.npy");
  ASSERT_TRUE(array.has_value());
  for (int row = 0; row < 3; ++row)
    for (int col = 0; col < 4; ++col) EXPECT_EQ(array->values[std::size_t(row * 4 + col)], block(row, col));
  EXPECT_EQ(npy_bytes(block).find('\n') % 64, 63U) << "the data begins at a multiple of 64 bytes";
}

TEST(Npy, WritesTheShapeAsATuple) {
  EXPECT_NE(npy_header({}).find("'shape': (), }"), std::string::npos);
  EXPECT_NE(npy_header({4}).find("'shape': (4,), }"), std::string::npos);
  EXPECT_NE(npy_header({2, 4}).find("'shape': (2, 4), }"), std::string::npos);
  const Result<NpyArray> array = parse_npy(npy_header({4}) + raw(std::vector<float>{1, 2, 3, 4}), "vector");
  ASSERT_TRUE(array.has_value()) << array.error().message;
  EXPECT_EQ(array->shape, std::vector<int>{4});
}

TEST(Npy, ReadsEveryTypeAndVersion) {
  const auto values_of = [](const std::string& descr, const std::string& data, char version) {
    const Result<NpyArray> array = parse_npy(npy(header(descr, "(3,)"), data, version), "a");
    return array ? array->values : std::vector<float>{};
  };
  const std::vector<float> expected{1.0F, 0.0F, -2.0F};
  for (const char version : {'\1', '\2', '\3'}) {
    EXPECT_EQ(values_of("<f2", raw<std::uint16_t>({0x3C00, 0, 0xC000}), version), expected);
    EXPECT_EQ(values_of("<f4", raw<float>({1, 0, -2}), version), expected);
    EXPECT_EQ(values_of("<f8", raw<double>({1, 0, -2}), version), expected);
    EXPECT_EQ(values_of("<i2", raw<std::int16_t>({1, 0, -2}), version), expected);
    EXPECT_EQ(values_of("<i4", raw<std::int32_t>({1, 0, -2}), version), expected);
    EXPECT_EQ(values_of("<i8", raw<std::int64_t>({1, 0, -2}), version), expected);
    EXPECT_EQ(values_of("|i1", raw<std::int8_t>({1, 0, -2}), version), expected);
    EXPECT_EQ(values_of("|u1", raw<std::uint8_t>({1, 0, 254}), version), (std::vector<float>{1, 0, 254}));
    EXPECT_EQ(values_of("<u2", raw<std::uint16_t>({1, 0, 65535}), version),
              (std::vector<float>{1, 0, 65535}));
    EXPECT_EQ(values_of("<u4", raw<std::uint32_t>({1, 0, 1U << 31U}), version),
              (std::vector<float>{1, 0, 2147483648.0F}));
    EXPECT_EQ(values_of("<u8", raw<std::uint64_t>({1, 0, std::uint64_t{1} << 63U}), version),
              (std::vector<float>{1, 0, 9223372036854775808.0F}));
    EXPECT_EQ(values_of("|b1", raw<std::uint8_t>({1, 0, 7}), version), (std::vector<float>{1, 0, 1}));
  }
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_EQ(parse_npy(npy(header("<f4", "()"), raw<float>({5})), "a")->values, std::vector<float>{5});
  EXPECT_TRUE(parse_npy(npy(header("<f4", "(0, 2147483647, 2147483647)"), ""), "a")->values.empty());
}

TEST(Npy, TransposesFortranOrder) {
  const Result<NpyArray> array =
      parse_npy(npy(header("<f4", "(2, 3)", "True"), raw<float>({1, 4, 2, 5, 3, 6})), "a");
  ASSERT_TRUE(array.has_value());
  EXPECT_EQ(array->values, (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, ReadsOnlyTheEnd) {
  const TemporaryFolder folder;
  const auto end_of = [&](const std::string& bytes, std::size_t most) {
    EXPECT_TRUE(write_atomically(folder / "a.npy", bytes).has_value());
    const auto array = read_end_of_npy(folder / "a.npy", most);
    return array ? array->values : std::vector<float>{-1};
  };
  const std::string numbers = raw<float>({1, 2, 3, 4});
  EXPECT_EQ(end_of(npy(header("<f4", "(2, 2)"), numbers), 3), (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(end_of(npy(header("<f4", "(2, 2)"), numbers), 9), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(end_of(npy(header("<f4", "(2, 2)", "True"), numbers), 2), std::vector<float>{-1});
}

TEST(Npy, ADoubleBeyondFloatIsInfinite) {
  const Result<NpyArray> array = parse_npy(npy(header("<f8", "(2,)"), raw<double>({1e300, -1e300})), "a");
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(array->values, (std::vector<float>{infinity, -infinity}));
}

TEST(Npy, HostileFilesAreErrorsThatNameThem) {
  const std::string four = raw<float>({1, 2, 3, 4});
  const std::string good = npy(header("<f4", "(2, 2)"), four);
  ASSERT_TRUE(parse_npy(good, "good").has_value());
  for (std::size_t size = 0; size < good.size(); ++size)
    ASSERT_FALSE(parse_npy(std::string_view(good).substr(0, size), "cut").has_value()) << size;
  const std::vector<std::string> hostile{
      "not numpy at all",
      npy(header("<f4", "(2147483647, 2147483647, 2147483647)"), four),
      npy(header("<f4", "(1073741824, 4, 4, 4, 4)"), four),
      npy(header("<f4", "(99999999999999999999,)"), four),
      npy(header("<f4", "(-1, 2)"), four),
      npy(header("<f4", "(2, 2"), four),
      npy(header("<f4", "2"), four),
      npy(header("<f4", "(2.5,)"), four),
      npy(header(">f4", "(2, 2)"), four),
      npy(header("<c8", "(2,)"), four),
      npy(header("|O", "(2, 2)"), four),
      npy(header("<f4", "(2, 2)", "Maybe"), four),
      npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2), }", four),
      npy("{'descr': '<f4', 'shape': (2, 2), }", four),
      npy("{'descr': '<f4", four),
      npy("{", four),
      npy("", four),
      npy(header("<f4", "(2, 2)"), four, 4),
      npy(header("<f4", std::string(200, '(')), four),
      "\x93NUMPY\x02" + std::string("\0\xFF\xFF\xFF\xFF", 5) + four};
  for (const std::string& bytes : hostile) {
    const Result<NpyArray> array = parse_npy(bytes, "bad.npy");
    ASSERT_FALSE(array.has_value()) << bytes;
    EXPECT_NE(array.error().message.find("bad.npy"), std::string::npos);
  }
}

TEST(Npy, DamagedBytesNeverCrash) {
  std::mt19937 random(53);
  const std::string good = npy(header("<i4", "(3, 4)", "True"), std::string(48, 'x'));
  for (int run = 0; run < 20000; ++run) {
    std::string bytes = good;
    for (auto n = 1 + random() % 4; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
    const Result<NpyArray> array = parse_npy(bytes, "damaged");
    if (!array) continue;
    std::size_t count = 1;
    for (const int size : array->shape) count *= static_cast<std::size_t>(size);
    ASSERT_EQ(array->values.size(), count);
  }
}

/// Compares our files with what NumPy reads and writes, if it is installed.
class NumPy : public testing::Test {
 protected:
  void SetUp() override {
    if (run("import numpy") != 0) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
  }
  int run(const std::string& code) const {
    std::ofstream(folder_ / "script.py") << "import sys\n" << code << "\n";
    return std::system(("cd " + (folder_ / "").string() + " && /usr/bin/python3 script.py 2>stderr").c_str());
  }
  TemporaryFolder folder_;
};

TEST_F(NumPy, ReadsWhatWeWrite) {
  OwnedMatrix matrix(2, 3);
  matrix.values = {0.1F, -2.0F, -std::numeric_limits<float>::infinity(), 1e30F, 0.0F, 7.0F};
  ASSERT_TRUE(write_npy(folder_ / "ours.npy", matrix.view()).has_value());
  EXPECT_EQ(
      run("import numpy as np\n"
          "a = np.load('ours.npy')\n"
          "b = np.array([[0.1, -2, -np.inf], [1e30, 0, 7]], dtype='f4')\n"
          "sys.exit(0 if a.dtype == b.dtype and a.flags['C_CONTIGUOUS'] and np.array_equal(a, b) else 1)"),
      0)
      << content_of(folder_ / "stderr");
}

TEST_F(NumPy, WritesWhatWeRead) {
  ASSERT_EQ(
      run("import numpy as np\n"
          "for t in ['?', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f4', 'f8']:\n"
          "  for order in 'CF':\n"
          "    a = (np.arange(24).reshape(2, 3, 4) % 2 if t == '?' else np.arange(24).reshape(2, 3, 4))\n"
          "    np.save(np.dtype(t).name + order, np.array(a.astype(t), order=order))\n"),
      0)
      << content_of(folder_ / "stderr");
  for (const char* type : {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                           "float32", "float64"}) {
    for (const char* order : {"C", "F"}) {
      const Result<NpyArray> array = read_npy(folder_ / (std::string(type) + order + ".npy"));
      ASSERT_TRUE(array.has_value()) << array.error().message;
      EXPECT_EQ(array->type, type);
      EXPECT_EQ(array->shape, (std::vector<int>{2, 3, 4}));
      for (int i = 0; i < 24; ++i)
        EXPECT_EQ(array->values[std::size_t(i)], static_cast<float>(std::string(type) == "bool" ? i % 2 : i));
    }
  }
}

}  // namespace
}  // namespace headscope
