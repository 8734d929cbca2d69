#include "core/tensor/packed_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/tensor/random.h"
#include "tests/unit/each_target.h"

namespace headscope {
namespace {

/// A random matrix inside a wider one, so that its rows are not contiguous. The numbers beside it are NaN.
struct Strided {
  Strided(int rows, int cols, std::uint64_t seed) : stride(cols + 5), values(size(rows, stride)) {
    std::fill(values.begin(), values.end(), std::numeric_limits<float>::quiet_NaN());
    RandomStream random(seed);
    for (int row = 0; row < rows; ++row) {
      random.fill_normal({values.data() + 2 + row * stride, static_cast<std::size_t>(cols)}, 1.0F);
    }
    view = {values.data() + 2, rows, cols, stride};
  }
  static std::size_t size(int rows, int stride) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride) + 8;
  }

  int stride;
  std::vector<float> values;
  MatrixView view;
};

/// One number of a · b in double precision, where b is [depth, cols], or [cols, depth] if `transposed`.
double exact(const MatrixView& a, const MatrixView& b, bool transposed, int row, int col) {
  double sum = 0.0;
  for (int k = 0; k < a.cols; ++k) {
    sum += static_cast<double>(a(row, k)) * (transposed ? b(col, k) : b(k, col));
  }
  return sum;
}

/// Checks that the product is right and that nothing is written beside it.
void expect_product(const PackedMatrix& packed, const MatrixView& a, const MatrixView& b, bool transposed) {
  const int cols = transposed ? b.rows : b.cols;
  const int stride = cols + 3;
  constexpr float untouched = 12345.0F;
  std::vector<float> out(Strided::size(a.rows, stride), untouched);
  packed.multiply(a, nullptr, out.data(), stride);
  const double tolerance = 2e-6 * (2.0 + a.cols);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int row = static_cast<int>(i) / stride;
    const int col = static_cast<int>(i) % stride;
    if (row < a.rows && col < cols) {
      ASSERT_NEAR(out[i], exact(a, b, transposed, row, col), tolerance)
          << "[" << a.rows << ", " << a.cols << "] · [" << a.cols << ", " << cols << "] at " << row << ", "
          << col;
    } else {
      ASSERT_EQ(out[i], untouched) << row << ", " << col;
    }
  }
}

TEST(PackedMatrix, IsTheProductForEverySize) {
  PackedMatrix packed;  // its memory is reused for larger and smaller sizes
  for (const int rows : {1, 2, 3, 5, 8, 13, 33}) {
    for (const int depth : {1, 2, 7, 16, 65}) {
      for (const int cols : {1, 3, 8, 15, 16, 17, 31, 32, 33, 64, 70}) {
        const Strided a(rows, depth, 1);
        const Strided b(depth, cols, 2);
        const Strided b_transposed(cols, depth, 3);
        packed.pack(b.view);
        expect_product(packed, a.view, b.view, false);
        packed.borrow(b.view);
        expect_product(packed, a.view, b.view, false);
        packed.pack_transposed(b_transposed.view);
        expect_product(packed, a.view, b_transposed.view, true);
      }
    }
  }
}

std::vector<float> transposed_numbers(const MatrixView& matrix) {
  std::vector<float> numbers;
  for (int col = 0; col < matrix.cols; ++col) {
    for (int row = 0; row < matrix.rows; ++row) numbers.push_back(matrix(row, col));
  }
  return numbers;
}

TEST(PackedMatrix, StreamedIsEqualToPackedToTheLastBit) {
  RandomStream random(11);
  for (int i = 0; i < 60; ++i) {
    const auto size = [&](int most) {
      return 1 + static_cast<int>(draw_below(random, static_cast<std::size_t>(most)));
    };
    const int depth = size(900), cols = size(90), rows = size(14);
    const Strided a(rows, depth, random.bits()), b(cols, depth, random.bits());
    PackedMatrix packed, streamed;
    packed.pack_transposed(b.view);
    int most_read = 0;
    streamed.stream_transposed(depth, cols, [&](int first, int n, int k, int n_k, float* to) {
      most_read = std::max(most_read, n_k);
      EXPECT_EQ(k % PackedMatrix::stream_depth, 0) << "quantised blocks are read whole";
      for (int row = 0; row < n; ++row) {
        const auto from =
            b.view.row(first + row).subspan(static_cast<std::size_t>(k), static_cast<std::size_t>(n_k));
        std::ranges::copy(from, to + row * n_k);
      }
    });
    const std::vector<float> bias(static_cast<std::size_t>(cols), 0.25F);
    // A left factor may have fewer columns than the matrix has rows.
    for (const int used : {depth, size(depth)}) {
      const auto product = [&](const PackedMatrix& right) {
        std::vector<float> out(static_cast<std::size_t>(rows * cols), 1.0F);
        right.multiply(a.view.block(0, 0, rows, used), bias.data(), out.data(), cols);
        right.multiply_add(a.view.block(0, 0, rows, used), out.data(), cols);
        return out;
      };
      EXPECT_EQ(product(streamed), product(packed)) << rows << " · " << used << " · " << cols;
    }
    const auto unpacked = [&](const PackedMatrix& from) {
      std::vector<float> out(static_cast<std::size_t>(depth * cols));
      from.unpack(out.data(), cols);
      return out;
    };
    EXPECT_EQ(unpacked(streamed), unpacked(packed));
    EXPECT_LE(most_read, PackedMatrix::stream_depth);
  }
}

TEST(PackedMatrix, IsAddedToWhatIsThere) {
  PackedMatrix packed;
  for (const int rows : {1, 7, 8, 21}) {
    for (const int depth : {1, 16, 65, 500}) {
      for (const int cols : {1, 9, 16, 33, 64}) {
        const Strided a(rows, depth, 13);
        const Strided b(depth, cols, 14);
        packed.pack(b.view);
        const int stride = cols + 3;
        std::vector<float> before(Strided::size(rows, stride));
        RandomStream(15).fill_normal(before, 1.0F);
        std::vector<float> straight = before;
        packed.multiply_add(a.view, straight.data(), stride);
        std::vector<float> transposed = before;
        const std::vector<float> turned = transposed_numbers(a.view);
        packed.multiply_add_transposed({turned.data(), depth, rows, rows}, transposed.data(), stride);
        for (std::size_t i = 0; i < before.size(); ++i) {
          const int row = static_cast<int>(i) / stride;
          const int col = static_cast<int>(i) % stride;
          double expected = before[i];
          if (row < rows && col < cols) expected += exact(a.view, b.view, false, row, col);
          ASSERT_NEAR(straight[i], expected, 2e-6 * (2.0 + depth)) << row << ", " << col;
          ASSERT_EQ(straight[i], transposed[i]) << row << ", " << col;
        }
      }
    }
  }
}

TEST(PackedMatrix, LargeSizes) {
  PackedMatrix packed;
  const Strided a(130, 301, 4);
  const Strided b(301, 259, 5);
  packed.pack(b.view);
  expect_product(packed, a.view, b.view, false);
}

TEST(PackedMatrix, ARowsResultDoesNotDependOnTheRowsAroundItOrOnHowTheMatrixIsPacked) {
  constexpr int rows = 9, depth = 416;
  ThreadPool pool(1);
  for (const int cols : {1, 16, 50, 64, 165, 259}) {
    const Strided a(rows, depth, 6);
    std::vector<float> numbers(static_cast<std::size_t>(cols) * depth), bias(static_cast<std::size_t>(cols));
    RandomStream random(7);
    // 16 bits represent these numbers, as do levels of this scale and offset.
    constexpr float scale = 1.0F / 64.0F, offset = -0.25F;
    std::vector<std::int8_t> levels(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      levels[i] = static_cast<std::int8_t>(static_cast<int>(draw_below(random, 256)) - 128);
      numbers[i] = scale * static_cast<float>(levels[i]) + offset;
    }
    random.fill_normal(bias, 1.0F);
    for_each_target([&](std::int64_t) {
      std::vector<float> first;
      for (const PackedAs as : {PackedAs::floats, PackedAs::bfloat16, PackedAs::float16,
                                PackedAs::levels_of_16, PackedAs::levels_of_32}) {
        PackedMatrix packed;
        packed.pack_in_parallel(
            depth, cols, pool,
            [&](int col, int n) {
              if (are_levels(as)) {
                return packed.pack_levels(col, n, [&](int column, const LevelsOut& to) {
                  std::copy_n(levels.begin() + std::ptrdiff_t{column} * depth, depth, to.levels);
                  const int n_groups = depth / (as == PackedAs::levels_of_16 ? 16 : 32);
                  std::fill_n(to.scales, n_groups, scale);
                  std::fill_n(to.offsets, n_groups, offset);
                });
              }
              packed.pack_transposed_columns({numbers.data() + col * depth, n, depth, depth}, col);
            },
            as);
        std::vector<float> together(Strided::size(rows, cols), 1.0F), alone = together;
        packed.multiply(a.view, bias.data(), together.data(), cols);
        packed.multiply_add(a.view, together.data(), cols);
        for (int row = 0; row < rows; ++row) {
          const MatrixView one = a.view.block(row, 0, 1, depth);
          float* out = alone.data() + std::ptrdiff_t{row} * cols;
          const int middle = packed.n_panels() / 2;
          packed.multiply_panels(one, bias.data(), out, cols, middle, packed.n_panels());
          packed.multiply_panels(one, bias.data(), out, cols, 0, middle);
          packed.multiply_add(one, out, cols);
        }
        EXPECT_EQ(alone, together) << cols;
        if (first.empty()) first = together;
        EXPECT_EQ(together, first) << cols;
        std::vector<float> unpacked(numbers.size());
        packed.unpack(unpacked.data(), cols);
        EXPECT_EQ(unpacked, transposed_numbers({numbers.data(), cols, depth, depth}));
      }
    });
  }
}

TEST(PackedMatrix, TheBiasIsAddedToEveryRow) {
  const Strided a(7, 20, 8);
  PackedMatrix packed;
  for (const int cols : {1, 15, 16, 33, 70}) {
    const Strided b(20, cols, 9);
    packed.pack(b.view);
    std::vector<float> bias(static_cast<std::size_t>(cols));
    RandomStream(10).fill_normal(bias, 3.0F);
    std::vector<float> out(static_cast<std::size_t>(7 * cols));
    packed.multiply(a.view, bias.data(), out.data(), cols);
    for (int row = 0; row < 7; ++row) {
      for (int col = 0; col < cols; ++col) {
        const double expected = exact(a.view, b.view, false, row, col) + bias[static_cast<std::size_t>(col)];
        ASSERT_NEAR(out[static_cast<std::size_t>(row * cols + col)], expected, 1e-4);
      }
    }
  }
}

TEST(PackedMatrix, PanelsTogetherAreTheProduct) {
  const Strided a(9, 30, 11);
  const Strided b(30, 117, 12);
  PackedMatrix packed;
  packed.pack(b.view);
  ASSERT_GT(packed.n_panels(), 1);
  std::vector<float> whole(9 * 117);
  std::vector<float> parts(9 * 117, 12345.0F);
  packed.multiply(a.view, nullptr, whole.data(), 117);
  for (int panel = packed.n_panels() - 1; panel >= 0; --panel) {
    packed.multiply_panels(a.view, nullptr, parts.data(), 117, panel, panel + 1);
  }
  EXPECT_EQ(parts, whole);
}

}  // namespace
}  // namespace headscope
