#include "core/engine/mask_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <limits>

#include "core/system/atomic_file.h"

namespace headscope {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

class MaskFile : public testing::Test {
 protected:
  ~MaskFile() override { std::filesystem::remove(file_); }

  /// Writes a .npy file of format 1.0.
  template <class Number>
  Result<std::shared_ptr<const LoadedMask>> mask(const std::string& type, const std::string& shape,
                                                 const std::vector<Number>& values,
                                                 std::string_view axes = {}) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    while ((header.size() + 11) % 64 != 0) header += ' ';
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() % 256);
    bytes += static_cast<char>(header.size() / 256);
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
    EXPECT_TRUE(write_atomically(file_, bytes));
    return read_mask(file_, axes);
  }

  void expect_refused(const Result<std::shared_ptr<const LoadedMask>>& mask, const std::string& words) {
    ASSERT_FALSE(mask);
    EXPECT_EQ(mask.error().kind, Error::Kind::failure);
    EXPECT_NE(mask.error().message.find(words), std::string::npos) << mask.error().message;
    EXPECT_NE(mask.error().message.find(file_.string()), std::string::npos) << mask.error().message;
  }

  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("headscope-mask-" + std::to_string(::getpid()) + ".npy");
};

TEST_F(MaskFile, BooleanAndIntegersSayWhoMayAttend) {
  const std::vector<std::uint8_t> bytes{1, 0, 1, 1, 1, 0};
  for (const char* type : {"|b1", "|u1", "|i1"}) {
    const auto read = mask(type, "(2, 3)", bytes);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_FALSE((*read)->additive);
    EXPECT_EQ((*read)->n_heads, 1);
    EXPECT_EQ((*read)->rows, 2);
    EXPECT_EQ((*read)->cols, 3);
    EXPECT_EQ((*read)->values, (std::vector<float>{1, 0, 1, 1, 1, 0}));
  }
  const auto expect_boolean = [](const Result<std::shared_ptr<const LoadedMask>>& wide) {
    ASSERT_TRUE(wide) << wide.error().message;
    EXPECT_FALSE((*wide)->additive);
    EXPECT_EQ((*wide)->values, (std::vector<float>{0, 1}));
  };
  expect_boolean(mask("<i2", "(1, 2)", std::vector<std::int16_t>{0, 1}));
  expect_boolean(mask("<u2", "(1, 2)", std::vector<std::uint16_t>{0, 1}));
  expect_boolean(mask("<i4", "(1, 2)", std::vector<std::int32_t>{0, 1}));
  expect_boolean(mask("<u4", "(1, 2)", std::vector<std::uint32_t>{0, 1}));
  expect_boolean(mask("<i8", "(1, 2)", std::vector<std::int64_t>{0, 1}));
  expect_boolean(mask("<u8", "(1, 2)", std::vector<std::uint64_t>{0, 1}));
}

TEST_F(MaskFile, TheBatchComesBeforeTheHeads) {
  const auto read = mask("|b1", "(2, 1, 1, 3)", std::vector<std::uint8_t>{1, 1, 0, 1, 0, 0});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)->n_sequences, 2);
  EXPECT_EQ((*read)->n_heads, 1);
  EXPECT_EQ((*read)->rows, 1);
  EXPECT_EQ((*read)->cols, 3);
  EXPECT_FALSE((*read)->heads_or_sequences);
}

TEST_F(MaskFile, OnlyThreeDimensionsMayCountHeadsOrSequences) {
  const std::vector<std::uint8_t> bytes{1, 0, 1, 1, 0, 0};
  struct Case {
    const char* shape;
    bool either;
  };
  for (const auto& [shape, either] : {Case{"(3, 1, 2)", true}, Case{"(1, 3, 1, 2)", false},
                                      Case{"(3, 1, 1, 2)", false}, Case{"(3, 2)", false}}) {
    const auto read = mask("|b1", shape, bytes);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ((*read)->heads_or_sequences, either) << shape;
  }
}

/// Every number of the file is the index of its own cell, so each cell (b, h, i, j) shows where it came from.
TEST_F(MaskFile, AxesAreTakenInTheOrderThatIsSaid) {
  std::vector<float> numbers(24);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const auto transposed_batch = mask("<f4", "(2, 3, 4)", numbers, "bji");  // [N, T_kv, T_q]
  ASSERT_TRUE(transposed_batch) << transposed_batch.error().message;
  const LoadedMask& m = **transposed_batch;
  EXPECT_EQ((std::vector{m.n_sequences, m.n_heads, m.rows, m.cols}), (std::vector{2, 1, 4, 3}));
  EXPECT_FALSE(m.heads_or_sequences);
  for (int b = 0; b < 2; ++b) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 3; ++j) {
        EXPECT_EQ(m.values[static_cast<std::size_t>((b * 4 + i) * 3 + j)],
                  static_cast<float>((b * 3 + j) * 4 + i));
      }
    }
  }
  const auto batch_last = mask("<f4", "(3, 4, 2)", numbers, "ijb");  // [seq, seq, batch]
  ASSERT_TRUE(batch_last) << batch_last.error().message;
  EXPECT_EQ((*batch_last)->n_sequences, 2);
  EXPECT_EQ((*batch_last)->values[static_cast<std::size_t>((1 * 3 + 2) * 4 + 3)],
            static_cast<float>((2 * 4 + 3) * 2 + 1));
  const auto either = mask("<f4", "(2, 3, 4)", numbers, "nji");
  ASSERT_TRUE(either);
  EXPECT_TRUE((*either)->heads_or_sequences);
  EXPECT_EQ((*either)->n_heads, 2);
  const LoadedMask back = transposed(**either);
  EXPECT_EQ(back.axes, "nij");
  EXPECT_EQ(back.values, numbers);
  expect_refused(mask("<f4", "(3, 8)", numbers, "bji"), "the given axes are 3: bji");
}

TEST(MaskAxes, AreLettersThatComeOnce) {
  for (const char* good : {"ij", "ji", "bji", "ijb", "hji", "nji", "bhij", "jihb"})
    EXPECT_TRUE(check_mask_axes(good));
  for (const char* bad : {"", "i", "j", "ii", "ijk", "iij", "nbij", "nhji", "IJ", "b i j"})
    EXPECT_FALSE(check_mask_axes(bad)) << bad;
}

TEST(MaskAxes, AMaskThatFitsTheOtherWaySaysSo) {
  MaskSpec spec;
  spec.loaded = {std::make_shared<LoadedMask>(
      LoadedMask{.name = "m", .rows = 3, .cols = 2, .values = {1, 1, 1, 1, 1, 0}})};
  const auto refused = combine(spec, MaskValue::minus_infinity, {2, 3});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("--mask-axes ji"), std::string::npos) << refused.error().message;
  spec.loaded = {std::make_shared<LoadedMask>(transposed(*spec.loaded.front()))};
  const auto taken = combine(spec, MaskValue::minus_infinity, {2, 3});
  ASSERT_TRUE(taken);
  EXPECT_FALSE(taken->is_visible(0, 1, 2));
}

/// Describes which cells a file hides in each sequence of a batch, or returns the error message.
std::string hidden_in(const std::shared_ptr<const LoadedMask>& mask, int n_heads) {
  MaskSpec spec;
  spec.loaded = {mask};
  std::string text;
  for (int sequence = 0; sequence < 3; ++sequence) {
    const auto combined = combine(spec, MaskValue::minus_infinity, {2, 2, n_heads, 3, sequence});
    if (!combined) return combined.error().message;
    for (int cell = 0; cell < 4; ++cell) {
      text += combined->is_visible(n_heads - 1, cell / 2, cell % 2) ? '1' : '0';
    }
    text += ' ';
  }
  return text;
}

TEST_F(MaskFile, AFileWithAMapASentenceIsTakenForABatch) {
  const auto maps = mask("|b1", "(3, 2, 2)", std::vector<std::uint8_t>{1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1});
  ASSERT_TRUE(maps) << maps.error().message;
  EXPECT_EQ(hidden_in(*maps, 4), "1011 0111 1101 ");
  EXPECT_NE(hidden_in(*maps, 3).find("[1, 3, 2, 2]"), std::string::npos) << hidden_in(*maps, 3);
  const auto rows = mask("|b1", "(3, 1, 2)", std::vector<std::uint8_t>{1, 0, 0, 1, 1, 1});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(hidden_in(*rows, 4), "1010 0101 1111 ");
  const auto heads = mask("|b1", "(1, 3, 1, 2)", std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0});
  ASSERT_TRUE(heads) << heads.error().message;
  EXPECT_EQ(hidden_in(*heads, 3), "1010 1010 1010 ");
}

TEST_F(MaskFile, TheCureForAnotherTypeIsNoFileThatIsRefusedAgain) {
  for (const char* type : {">i4", ">f8", "|O", "<c8"})
    expect_refused(mask(type, "(1, 2)", std::vector<std::int64_t>{0, 1}), "astype(bool)");
}

TEST_F(MaskFile, FloatsAreAdded) {
  const auto read = mask("<f4", "(2, 1, 2)", std::vector<float>{0, -infinity, -1.5F, 1});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE((*read)->additive);
  EXPECT_EQ((*read)->n_heads, 2);
  EXPECT_EQ((*read)->rows, 1);
  EXPECT_EQ((*read)->cols, 2);
  EXPECT_EQ((*read)->values, (std::vector<float>{0, -infinity, -1.5F, 1}));
  const auto zeros = mask("<f8", "(1, 3)", std::vector<double>{0, 0, 0});
  ASSERT_TRUE(zeros) << zeros.error().message;
  EXPECT_TRUE((*zeros)->additive) << "adding nothing is meant as it says";
}

TEST_F(MaskFile, AFloatMaskOfZerosAndOnesIsRefusedWithTheCure) {
  expect_refused(mask("<f4", "(1, 3)", std::vector<float>{0, 1, 1}), "astype(bool)");
  expect_refused(mask("<f8", "(1, 2)", std::vector<double>{1, 1}), "astype(bool)");
}

TEST_F(MaskFile, NumbersThatCannotBeAddedAreRefused) {
  expect_refused(mask("<f4", "(1, 2)", std::vector<float>{0, std::numeric_limits<float>::quiet_NaN()}),
                 "NaN");
  expect_refused(mask("<f4", "(1, 2)", std::vector<float>{-infinity, infinity}), "+∞");
  expect_refused(mask("<f8", "(1, 2)", std::vector<double>{0, 1e300}), "+∞");
  expect_refused(mask("<i4", "(1, 2)", std::vector<std::int32_t>{0, -10000}), "0 and 1");
  expect_refused(mask("<u8", "(1, 2)", std::vector<std::uint64_t>{0, ~std::uint64_t{0}}), "0 and 1");
}

TEST_F(MaskFile, OtherShapesAreRefused) {
  expect_refused(mask("|b1", "(3,)", std::vector<std::uint8_t>{1, 0, 1}), "[3]");
  expect_refused(mask("|b1", "(3,)", std::vector<std::uint8_t>{1, 0, 1}), "[B, T, S]");
  expect_refused(mask("|b1", "(1, 1, 1, 1, 2)", std::vector<std::uint8_t>{1, 0}), "[1, 1, 1, 1, 2]");
  expect_refused(mask("|b1", "(0, 2)", std::vector<std::uint8_t>{}), "[0, 2]");
}

TEST_F(MaskFile, FilesThatAreNoneAreRefused) {
  EXPECT_FALSE(read_mask("nowhere.npy"));
  ASSERT_TRUE(write_atomically(file_, "not numpy"));
  EXPECT_FALSE(read_mask(file_));
}

}  // namespace
}  // namespace headscope
