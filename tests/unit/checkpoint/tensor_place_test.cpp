// Reads the weights of a linear layer from a tensor, for every way of storing them and for layers of more
// than the 512 columns that are packed at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "core/checkpoint/family.h"
#include "core/checkpoint/tensor_loader.h"
#include "core/model/linear.h"

namespace headscope {
namespace {

constexpr int n_in = 12;  ///< the inputs of a layer whose tensor is not stored in blocks

struct StoredTensor {
  TensorRef tensor;
  std::vector<float> numbers;
};

/// A tensor with random numbers of this shape.
std::unique_ptr<StoredTensor> random_tensor(std::vector<std::size_t> shape, std::mt19937& random) {
  auto stored = std::make_unique<StoredTensor>();
  std::size_t size = 1;
  for (const std::size_t side : shape) size *= side;
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < size; ++i) stored->numbers.push_back(normal(random));
  stored->tensor.name = "w";
  stored->tensor.shape = std::move(shape);
  stored->tensor.bytes = {reinterpret_cast<const char*>(stored->numbers.data()), size * sizeof(float)};
  return stored;
}

/// Checks that a place gives these weights, whether they are requested whole or in parts.
void expect_weights(const TensorLocation& place, const Matrix& expected, const std::string& what) {
  const auto depth = static_cast<int>(expected.rows());
  const auto n_out = static_cast<int>(expected.cols());
  const auto stored = stored_weights(place, depth, n_out, nullptr);
  for (const int n_threads : {1, 3}) {
    ThreadPool pool(n_threads);
    PackedMatrix packed;
    stored->pack(packed, pool);
    Matrix all(depth, n_out);
    packed.unpack(all.data(), n_out);
    EXPECT_TRUE(all == expected) << what << ", packed by " << n_threads;
  }
  EXPECT_TRUE(stored->columns(0, n_out) == expected) << what;
  for (const int first : {0, 1, n_out / 2, n_out - 1}) {
    const int n = std::min(70, n_out - first);
    EXPECT_TRUE(stored->columns(first, n) == expected.middleCols(first, n)) << what << " from " << first;
  }
  // A layer multiplies by them as by a matrix in memory, whether it packs or streams them.
  const RowVector bias = RowVector::Random(n_out);
  ThreadPool pool(2);
  for (const double room : {0.0, 1e12}) {
    const auto share = std::make_shared<PackedMemoryBudget>(room);
    const Linear layer(depth, stored, share, bias);
    for (const int n_rows : {1, 9}) {
      const Matrix in = Matrix::Random(n_rows, depth);
      Matrix product(n_rows, n_out), plain(n_rows, n_out);
      multiply(view_of(in), layer, product.data(), pool);
      multiply(view_of(in), Linear(expected, bias), plain.data(), pool);
      EXPECT_TRUE(product == plain) << what << ", " << n_rows << " rows, room " << room;
    }
    EXPECT_TRUE(layer.columns(n_out / 3, 1) == expected.middleCols(n_out / 3, 1)) << what;
    const double bytes = PackedMatrix::bytes_of(depth, n_out, stored->packed_as());
    EXPECT_EQ(share->reserved(), room > 0.0 ? bytes : 0.0) << what;
    EXPECT_EQ(layer.saved_bytes(), PackedMatrix::bytes_of(depth, n_out, PackedAs::floats) - bytes) << what;
  }
}

class StoredWidth : public testing::TestWithParam<int> {};

TEST_P(StoredWidth, RowsAndColumnsAreThoseOfThePart) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const int n_out = GetParam();
  const auto n = static_cast<std::size_t>(n_out);
  // These parts are a whole tensor, its first and its second half, and blocks of rows one stride apart.
  for (const RowsOfPart& part : {RowsOfPart{0, n, n, n}, RowsOfPart{0, n, n, 2 * n},
                                 RowsOfPart{n, n, n, 2 * n}, RowsOfPart{1, 1, 3, 3 * n}}) {
    const std::string what =
        std::to_string(n_out) + " from " + std::to_string(part.first) + " of " + std::to_string(part.total);
    const auto rows = random_tensor({part.total, std::size_t{n_in}}, random);
    Matrix expected(n_in, n_out);
    for (int out = 0; out < n_out; ++out) {
      for (int in = 0; in < n_in; ++in)
        expected(in, out) =
            rows->numbers[part.row(static_cast<std::size_t>(out)) * n_in + static_cast<std::size_t>(in)];
    }
    const TensorRule by_rows{.path = "W", .tensor = "w", .stored = StoredAs::out_in};
    expect_weights({&rows->tensor, &by_rows, part, false, 0.0F, nullptr}, expected, "[out, in] " + what);
    if (part.block == 1) continue;  // Columns are stored side by side.
    const auto columns = random_tensor({std::size_t{n_in}, part.total}, random);
    for (int out = 0; out < n_out; ++out) {
      for (int in = 0; in < n_in; ++in)
        expected(in, out) = columns->numbers[static_cast<std::size_t>(in) * part.total + part.first +
                                             static_cast<std::size_t>(out)];
    }
    const TensorRule by_columns{.path = "W", .tensor = "w", .stored = StoredAs::in_out};
    expect_weights({&columns->tensor, &by_columns, part, false, 0.0F, nullptr}, expected,
                   "[in, out] " + what);
  }
}

TEST_P(StoredWidth, PairsOfRotaryPositionsLieSideBySide) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  constexpr std::size_t width = 6;
  const std::size_t n = static_cast<std::size_t>(GetParam()) / width * width;
  const auto rows = random_tensor({n, std::size_t{n_in}}, random);
  const RowsOfPart part{0, 1, 1, n, width};
  Matrix expected(n_in, static_cast<Eigen::Index>(n));
  for (std::size_t out = 0; out < n; ++out) {
    // Dimension i of a head is its row 2i, and dimension i + 3 its row 2i + 1.
    const std::size_t in_head = out % width;
    const std::size_t row = out - in_head + (in_head < 3 ? 2 * in_head : 2 * (in_head - 3) + 1);
    for (std::size_t in = 0; in < n_in; ++in)
      expected(static_cast<Eigen::Index>(in), static_cast<Eigen::Index>(out)) =
          rows->numbers[row * n_in + in];
  }
  const TensorRule rule{.path = "W", .tensor = "w", .stored = StoredAs::out_in};
  expect_weights({&rows->tensor, &rule, part, false, 0.0F, nullptr}, expected,
                 "pairs of " + std::to_string(n));
}

TEST_P(StoredWidth, HeadsLieBehindEachOther) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  constexpr int n_heads = 4;
  const int width = GetParam() / n_heads;
  const int n_out = n_heads * width;
  const auto n = static_cast<std::size_t>(n_out);
  const auto leave = random_tensor({n_heads, std::size_t{n_in}, static_cast<std::size_t>(width)}, random);
  Matrix expected(n_in, n_out);
  for (int in = 0; in < n_in; ++in) {
    for (int out = 0; out < n_out; ++out)
      expected(in, out) =
          leave->numbers[static_cast<std::size_t>(((out / width) * n_in + in) * width + out % width)];
  }
  const TensorRule out_by_heads{.path = "W", .tensor = "w", .stored = StoredAs::heads_out};
  expect_weights({&leave->tensor, &out_by_heads, {0, n, n, n}, false, 0.0F, nullptr}, expected,
                 "[H, in, out / H]");

  const auto enter = random_tensor({n_heads, n_in / n_heads, n}, random);
  for (int in = 0; in < n_in; ++in) {
    for (int out = 0; out < n_out; ++out)
      expected(in, out) = enter->numbers[static_cast<std::size_t>(in * n_out + out)];
  }
  const TensorRule in_by_heads{.path = "W", .tensor = "w", .stored = StoredAs::heads_in};
  expect_weights({&enter->tensor, &in_by_heads, {0, n, n, n}, false, 0.0F, nullptr}, expected,
                 "[H, in / H, out]");
}

INSTANTIATE_TEST_SUITE_P(Widths, StoredWidth, testing::Values(16, 511, 512, 513, 1024, 1100));

class StoredType : public testing::TestWithParam<NumberType> {};

TEST_P(StoredType, ColumnsMayBeginInsideABlock) {
  constexpr std::size_t depth = 256;
  constexpr std::size_t width = 1024;
  std::mt19937 random(3);
  const BlockSize block = block_of(GetParam());
  std::string bytes(depth * width / block.numbers * block.bytes, '\0');
  // With small bytes, every type's scales and numbers are finite.
  for (char& byte : bytes) byte = static_cast<char>(std::uniform_int_distribution(0, 0x3b)(random));
  const auto place_of = [&](const TensorRef& tensor, const TensorRule& rule) {
    return TensorLocation{&tensor, &rule, {0, width, width, width}, false, 0.0F, nullptr};
  };
  TensorRef tensor{"w", {depth, width}, GetParam(), bytes, {}};
  std::string exponents(GetParam() == NumberType::fp4 ? depth * width / block.numbers : 0, '\0');
  for (char& exponent : exponents)
    exponent = static_cast<char>(std::uniform_int_distribution(120, 130)(random));
  tensor.exponents = exponents;
  std::vector<float> numbers(depth * width);
  read_numbers(tensor, 0, numbers.size(), numbers.data());
  const Eigen::Map<const Matrix> by_columns(numbers.data(), depth, width);
  const TensorRule in_out{.path = "W", .tensor = "w", .stored = StoredAs::in_out};
  expect_weights(place_of(tensor, in_out), by_columns, "[in, out]");
  tensor.shape = {width, depth};
  const Matrix by_rows = Eigen::Map<const Matrix>(numbers.data(), width, depth).transpose();
  const TensorRule out_in{.path = "W", .tensor = "w", .stored = StoredAs::out_in};
  expect_weights(place_of(tensor, out_in), by_rows, "[out, in]");
  TensorLocation scaled = place_of(tensor, out_in);
  scaled.times = 0.5F;
  expect_weights(scaled, 0.5F * by_rows, "[out, in] times 0.5");
  const std::array of_16{NumberType::q2_k, NumberType::q3_k, NumberType::q6_k};
  const bool has_groups_of_16 = std::ranges::find(of_16, GetParam()) != of_16.end();
  const PackedAs own = GetParam() == NumberType::bf16  ? PackedAs::bfloat16
                       : GetParam() == NumberType::f16 ? PackedAs::float16
                       : block.numbers == 1            ? PackedAs::floats
                       : has_groups_of_16              ? PackedAs::levels_of_16
                                                       : PackedAs::levels_of_32;
  const auto stored = stored_weights(place_of(tensor, out_in), depth, width, nullptr);
  EXPECT_EQ(stored->packed_as(), own) << "neither 16 bits nor levels grow";
  EXPECT_TRUE(stored->streams());
  EXPECT_EQ(stored_weights(scaled, depth, width, nullptr)->packed_as(), PackedAs::floats)
      << "products with a factor have more bits";
  EXPECT_FALSE(stored_weights(place_of(tensor, in_out), depth, width, nullptr)->streams())
      << "its columns are scattered";
  const auto rows = stored_rows(place_of(tensor, in_out), depth, nullptr);
  for (const int first : {0, 1, 700}) {
    Matrix made;
    EXPECT_TRUE(eigen(rows->rows(first, 300, made)) == by_rows.middleCols(first, 300).transpose());
  }
}

INSTANTIATE_TEST_SUITE_P(Types, StoredType,
                         testing::Values(NumberType::f32, NumberType::f16, NumberType::bf16, NumberType::q4_0,
                                         NumberType::q4_1, NumberType::q5_0, NumberType::q5_1,
                                         NumberType::q8_0, NumberType::q2_k, NumberType::q3_k,
                                         NumberType::q4_k, NumberType::q5_k, NumberType::q6_k,
                                         NumberType::iq4_nl, NumberType::iq4_xs, NumberType::mxfp4,
                                         NumberType::fp4),
                         [](const auto& info) {
                           return info.param == NumberType::fp4 ? "FP4" : std::string(name_of(info.param));
                         });

TEST(Families, LeaveOutNoWeightsOfALinearLayer) {
  for (const Family& family : families()) {
    for (const TensorRule& rule : family.rules)
      EXPECT_FALSE(rule.if_missing && rule.path.ends_with(".W")) << family.name << ": " << rule.path;
  }
}

}  // namespace
}  // namespace headscope
