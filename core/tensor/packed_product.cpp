#include "core/tensor/packed_product.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/tensor/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/packed_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/halves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

/// A panel is two registers wide; the last one may be one register wide.
constexpr int vectors_of_panel = 2;
constexpr int panel_width = vectors_of_panel * lanes;

/// The height of a tile, chosen so that the sums, a row of the panel and a factor fit into registers; with 32
/// registers, more rows would gain nothing.
#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int tile_rows = 8;
#else
constexpr int tile_rows = 6;
#endif

/// The depth of the part of a panel that fits into the L1 cache.
constexpr int depth_block = 384;

/// A range of the depth of a PanelProduct.
struct Part {
  const float* values;
  std::ptrdiff_t step;
  float* out;
  std::ptrdiff_t out_stride;
  int n_cols;
  int first_k;  ///< The first column of the left factor.
  int n_k;
  bool accumulates;          ///< Whether sums start from `out` instead of `start`
  float start[panel_width];  ///< The bias, or zeros.
};

/// Multiplies `rows` rows of the left factor (columns if transposed) by a panel of `vectors` registers,
/// keeping the sums in registers. Not inlined into the loop over tiles, where the compiler would spill the
/// row addresses.
template <int rows, int vectors, bool is_left_transposed>
HWY_NOINLINE void tile(const MatrixView& a, int first_row, const Part& part, float* out,
                       std::ptrdiff_t out_stride) {
  const Tag tag;
  Lanes sums[rows][vectors];
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v)
      sums[r][v] = part.accumulates ? hn::LoadU(tag, out + r * out_stride + std::ptrdiff_t{v} * lanes)
                                    : hn::LoadU(tag, part.start + std::ptrdiff_t{v} * lanes);
  }
  const float* left = is_left_transposed ? a.data + part.first_k * a.stride + first_row
                                         : a.data + first_row * a.stride + part.first_k;
  for (int k = 0; k < part.n_k; ++k) {
    Lanes right[vectors];
    for (int v = 0; v < vectors; ++v)
      right[v] = hn::LoadU(tag, part.values + k * part.step + std::ptrdiff_t{v} * lanes);
    for (int r = 0; r < rows; ++r) {
      const Lanes factor = hn::Set(tag, is_left_transposed ? left[k * a.stride + r] : left[r * a.stride + k]);
      for (int v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(factor, right[v], sums[r][v]);
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v)
      hn::StoreU(sums[r][v], tag, out + r * out_stride + std::ptrdiff_t{v} * lanes);
  }
}

/// The same for a partially filled panel.
template <int rows, int vectors, bool is_left_transposed>
HWY_NOINLINE void edge_tile(const MatrixView& a, int first_row, const Part& part, float* out) {
  constexpr int width = vectors * lanes;
  float sums[rows * width] = {};
  const std::size_t bytes = static_cast<std::size_t>(part.n_cols) * sizeof(float);
  for (std::ptrdiff_t r = 0; part.accumulates && r < rows; ++r)
    std::memcpy(sums + r * width, out + r * part.out_stride, bytes);
  tile<rows, vectors, is_left_transposed>(a, first_row, part, sums, width);
  for (std::ptrdiff_t r = 0; r < rows; ++r) std::memcpy(out + r * part.out_stride, sums + r * width, bytes);
}

/// Multiplies all rows by one panel, in full tiles and then the rest.
template <int rows, int vectors, bool is_left_transposed>
void all_rows(const MatrixView& a, int first_row, const Part& part) {
  const int n_rows = is_left_transposed ? a.cols : a.rows;
  int row = first_row;
  for (; row + rows <= n_rows; row += rows) {
    float* out = part.out + row * part.out_stride;
    if (part.n_cols == vectors * lanes) {
      tile<rows, vectors, is_left_transposed>(a, row, part, out, part.out_stride);
    } else {
      edge_tile<rows, vectors, is_left_transposed>(a, row, part, out);
    }
  }
  if constexpr (rows > 1) {
    if (row < n_rows) all_rows<rows / 2, vectors, is_left_transposed>(a, row, part);
  }
}

template <int vectors>
void all_parts(const PanelProduct& product) {
  Part part;
  part.step = product.step;
  part.out = product.out;
  part.out_stride = product.out_stride;
  part.n_cols = product.n_cols;
  std::fill_n(part.start, panel_width, 0.0F);
  if (product.bias != nullptr) std::copy_n(product.bias, product.n_cols, part.start);
  for (int k = 0; k < product.depth; k += depth_block) {
    part.values = product.values + k * product.step;
    part.first_k = k;
    part.n_k = product.depth - k < depth_block ? product.depth - k : depth_block;
    part.accumulates = product.accumulates || k > 0;
    if (product.is_left_transposed) {
      all_rows<tile_rows, vectors, true>(product.left, 0, part);
    } else {
      all_rows<tile_rows, vectors, false>(product.left, 0, part);
    }
  }
}

void multiply_panel(const PanelProduct& product) {
  if (product.n_cols <= lanes) {
    all_parts<1>(product);
  } else {
    all_parts<vectors_of_panel>(product);
  }
}

/// A packed panel of plain numbers, for which the whole depth is one group without a scale.
template <class Number>
struct NumberPanels {
  static constexpr bool has_scales = false;
  static constexpr std::ptrdiff_t vector_bytes = lanes * sizeof(Number);
  static int group(int depth) { return depth; }
  static std::ptrdiff_t panel_bytes(int depth) { return depth * vectors_of_panel * vector_bytes; }
  static HWY_INLINE Lanes load(const std::byte* from) { return load_numbers<Number>(from); }
};

/// A packed panel of levels.
template <int size>
struct LevelPanels {
  static constexpr bool has_scales = true;
  static constexpr std::ptrdiff_t vector_bytes = lanes;
  static int group(int /*depth*/) { return size; }
  static std::ptrdiff_t panel_bytes(int depth) {
    constexpr int scale_bytes = 2 * sizeof(float);
    return std::ptrdiff_t{depth / size} * panel_width * (size + scale_bytes);
  }
  static HWY_INLINE Lanes load(const std::byte* from) {
    const hn::Rebind<std::int8_t, Tag> bytes;
    const hn::Rebind<std::int32_t, Tag> integers;
    const auto levels = hn::LoadU(bytes, reinterpret_cast<const std::int8_t*>(from));
    return hn::ConvertTo(Tag(), hn::PromoteTo(integers, levels));
  }
};

/// Multiplies a row by `panels` panels at once: a single one would wait for its own sums. `values` is the
/// first of them.
template <class Format, int panels>
void row_by_panels(const RowProduct& product, const std::byte* values, const float* bias, float* out) {
  constexpr int vectors = panels * vectors_of_panel;
  constexpr std::ptrdiff_t scale_bytes = lanes * sizeof(float);
  const std::ptrdiff_t panel_bytes = Format::panel_bytes(product.depth);
  const int group = Format::group(product.depth);
  const auto at = [&](int v, std::ptrdiff_t vector_bytes) {
    return values + v / vectors_of_panel * panel_bytes + v % vectors_of_panel * vector_bytes;
  };
  const Tag tag;
  Lanes sums[vectors];
  const float* start = product.accumulates ? out : bias;
  for (int v = 0; v < vectors; ++v)
    sums[v] = start == nullptr ? hn::Zero(tag) : hn::LoadU(tag, start + std::ptrdiff_t{v} * lanes);
  for (int first = 0; first < product.depth; first += group) {
    [[maybe_unused]] Lanes scales[vectors], offsets[vectors];
    if constexpr (Format::has_scales) {
      for (int v = 0; v < vectors; ++v) {
        scales[v] = load_numbers<float>(at(v, scale_bytes));
        offsets[v] = load_numbers<float>(at(v, scale_bytes) + vectors_of_panel * scale_bytes);
      }
      values += 2 * vectors_of_panel * scale_bytes;
    }
    for (int k = first; k < first + group; ++k, values += vectors_of_panel * Format::vector_bytes) {
      const Lanes factor = hn::Set(tag, product.left[k]);
      for (int v = 0; v < vectors; ++v) {
        Lanes number = Format::load(at(v, Format::vector_bytes));
        if constexpr (Format::has_scales) number = hn::MulAdd(scales[v], number, offsets[v]);
        sums[v] = hn::MulAdd(factor, number, sums[v]);
      }
    }
  }
  for (int v = 0; v < vectors; ++v) hn::StoreU(sums[v], tag, out + std::ptrdiff_t{v} * lanes);
}

template <class Format>
void row_by_all_panels(const RowProduct& product) {
  constexpr int at_once = Format::has_scales ? 2 : 4;
  const auto multiply = [&](int panel, auto by_panels) {
    const std::ptrdiff_t col = std::ptrdiff_t{panel} * panel_width;
    by_panels(product, product.values + panel * Format::panel_bytes(product.depth),
              product.bias == nullptr ? nullptr : product.bias + col, product.out + col);
  };
  int panel = 0;
  for (; panel + at_once <= product.n_panels; panel += at_once)
    multiply(panel, row_by_panels<Format, at_once>);
  for (; panel < product.n_panels; ++panel) multiply(panel, row_by_panels<Format, 1>);
}

void multiply_row(const RowProduct& product) {
  switch (product.as) {
    case PackedAs::floats:
      return row_by_all_panels<NumberPanels<float>>(product);
    case PackedAs::bfloat16:
      return row_by_all_panels<NumberPanels<hwy::bfloat16_t>>(product);
    case PackedAs::float16:
      return row_by_all_panels<NumberPanels<hwy::float16_t>>(product);
    case PackedAs::levels_of_16:
      return row_by_all_panels<LevelPanels<16>>(product);
    case PackedAs::levels_of_32:
      return row_by_all_panels<LevelPanels<32>>(product);
  }
}

/// Converts groups of levels of a panel to floats [n_groups · group, width].
void convert_levels(const std::byte* from, int n_groups, int group, int width, float* to) {
  for (int g = 0; g < n_groups; ++g, to += std::ptrdiff_t{group} * width) {
    const auto* scales = reinterpret_cast<const float*>(from);
    const float* offsets = scales + width;
    const auto* levels = reinterpret_cast<const std::int8_t*>(offsets + width);
    for (int k = 0; k < group; ++k) {
      for (int i = 0; i < width; i += lanes) {
        const Lanes number =
            LevelPanels<16>::load(reinterpret_cast<const std::byte*>(levels + k * width + i));
        const Lanes converted =
            hn::MulAdd(hn::LoadU(Tag(), scales + i), number, hn::LoadU(Tag(), offsets + i));
        hn::StoreU(converted, Tag(), to + k * width + i);
      }
    }
    from = reinterpret_cast<const std::byte*>(levels + std::ptrdiff_t{group} * width);
  }
}

int width_of_panels() {
  return panel_width;
}

/// Copies the columns of a full panel of a matrix, row by row.
void pack_panel(const float* from, std::ptrdiff_t stride, int depth, float* to) {
  for (int k = 0; k < depth; ++k, from += stride, to += panel_width) {
    for (int v = 0; v < vectors_of_panel; ++v)
      hn::StoreU(hn::LoadU(Tag(), from + std::ptrdiff_t{v} * lanes), Tag(), to + std::ptrdiff_t{v} * lanes);
  }
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(multiply_panel);
HWY_EXPORT(multiply_row);
HWY_EXPORT(convert_levels);
HWY_EXPORT(width_of_panels);
HWY_EXPORT(pack_panel);

}  // namespace

int PackedMatrix::width_of_panel(int col) const {
  const int half = panel_width_ / 2;
  return cols_ - col <= half ? half : panel_width_;
}

std::byte* PackedMatrix::panel_data(int col) const {
  const double bytes = bytes_of(depth_, col, as_);
  return reinterpret_cast<std::byte*>(values_.data()) + static_cast<std::ptrdiff_t>(bytes);
}

template <class Write>
void PackedMatrix::pack_panels(int first, int n, const Write& write) {
  assert(!are_levels(as_));
  const bool is_half = as_ != PackedAs::floats;
  const auto depth = static_cast<std::size_t>(depth_);
  const AlignedBuffer floats =
      is_half ? AlignedBuffer(depth * static_cast<std::size_t>(panel_width_)) : AlignedBuffer();
  for (int col = first; col < first + n; col += panel_width_) {
    const int width = width_of_panel(col);
    float* const to = is_half ? floats.data() : values_.data() + static_cast<std::ptrdiff_t>(col) * depth_;
    write(col - first, std::min(width, cols_ - col), to, width);
    if (is_half)
      (as_ == PackedAs::bfloat16 ? float_to_bfloat16 : float_to_float16)(
          to, depth * static_cast<std::size_t>(width), panel_data(col));
  }
}

void PackedMatrix::reshape(int depth, int cols, PackedAs as) {
  panel_width_ = HWY_DYNAMIC_DISPATCH(width_of_panels)();
  depth_ = depth;
  cols_ = cols;
  as_ = as;
  borrowed_ = nullptr;
  read_ = nullptr;
  const int rest = cols % panel_width_;
  const int padded = cols - rest + (rest == 0 ? 0 : width_of_panel(cols - rest));
  const auto floats = static_cast<std::size_t>(std::ceil(bytes_of(depth, padded, as) / sizeof(float)));
  if (values_.size() < floats) values_ = AlignedBuffer(floats);
}

void PackedMatrix::pack(const MatrixView& b) {
  reshape(b.rows, b.cols);
  pack_columns(b, 0);
}

void PackedMatrix::pack_columns(const MatrixView& b, int first) {
  pack_panels(first, b.cols, [&](int i, int used, float* to, int width) {
    const float* from = b.data + i;
    if (used == panel_width_) return HWY_DYNAMIC_DISPATCH(pack_panel)(from, b.stride, depth_, to);
    for (int k = 0; k < depth_; ++k, from += b.stride, to += width) {
      std::copy_n(from, used, to);
      std::fill(to + used, to + width, 0.0F);
    }
  });
}

void PackedMatrix::borrow(const MatrixView& b) {
  if (b.cols % HWY_DYNAMIC_DISPATCH(width_of_panels)() != 0) return pack(b);
  panel_width_ = HWY_DYNAMIC_DISPATCH(width_of_panels)();
  depth_ = b.rows;
  cols_ = b.cols;
  read_ = nullptr;
  borrowed_ = b.data;
  borrowed_stride_ = b.stride;
}

void PackedMatrix::pack_in_parallel(int depth, int cols, ThreadPool& pool,
                                    const std::function<void(int first, int n)>& pack_part, PackedAs as) {
  constexpr int at_once = 512;  // a multiple of every panel's width
  reshape(depth, cols, as);
  pool.for_each((cols + at_once - 1) / at_once,
                [&](int part) { pack_part(part * at_once, std::min(at_once, cols - part * at_once)); });
}

void PackedMatrix::pack_transposed(const MatrixView& b) {
  reshape(b.cols, b.rows);
  pack_transposed_columns(b, 0);
}

void PackedMatrix::pack_transposed_columns(const MatrixView& b, int first) {
  pack_panels(first, b.rows, [&](int i, int used, float* to, int width) {
    transpose(b.data + i * b.stride, b.stride, used, depth_, to, width);
    for (std::ptrdiff_t k = 0; k < depth_; ++k) std::fill(to + k * width + used, to + (k + 1) * width, 0.0F);
  });
}

void PackedMatrix::stream_transposed(int depth, int cols, ReadRows read) {
  panel_width_ = HWY_DYNAMIC_DISPATCH(width_of_panels)();
  depth_ = depth;
  cols_ = cols;
  borrowed_ = nullptr;
  read_ = std::move(read);
}

void PackedMatrix::pack_levels(int first, int n,
                               const std::function<void(int column, const LevelsOut& to)>& read) {
  const auto depth = static_cast<std::size_t>(depth_);
  const auto rows = static_cast<std::size_t>(group());
  const std::size_t n_groups = depth / rows;
  std::vector<std::int8_t> levels(depth);
  std::vector<float> scales(n_groups), offsets(n_groups);
  const int last_panel = cols_ - 1 - (cols_ - 1) % panel_width_;
  const int end = first + n < cols_ ? first + n : last_panel + width_of_panel(last_panel);
  for (int col = first; col < end; ++col) {
    const int panel = col - col % panel_width_;
    const auto width = static_cast<std::size_t>(width_of_panel(panel));
    const auto at = static_cast<std::size_t>(col - panel);
    if (col < cols_) {
      read(col, {levels.data(), scales.data(), offsets.data()});
    } else {  // The padding of the last panel
      std::ranges::fill(levels, std::int8_t{0});
      std::ranges::fill(scales, 0.0F);
      std::ranges::fill(offsets, 0.0F);
    }
    std::byte* to = panel_data(panel);
    for (std::size_t g = 0; g < n_groups; ++g) {
      auto* const to_scales = reinterpret_cast<float*>(to);
      auto* const to_levels = reinterpret_cast<std::int8_t*>(to_scales + 2 * width);
      to_scales[at] = scales[g];
      to_scales[width + at] = offsets[g];
      for (std::size_t k = 0; k < rows; ++k) to_levels[k * width + at] = levels[g * rows + k];
      to = reinterpret_cast<std::byte*>(to_levels + rows * width);
    }
  }
}

void PackedMatrix::unpack_columns(int first, int n, float* out, std::ptrdiff_t out_stride) const {
  const AlignedBuffer buffer = buffer_of_panel();
  for (int col = first; col < first + n;) {
    const int in_panel = col % panel_width_;
    const int some = std::min(panel_width_ - in_panel, first + n - col);
    for (int k = 0; k < depth_; k += depth_at_once()) {
      const int n_k = std::min(depth_at_once(), depth_ - k);
      const auto [from, step] = panel_at(col - in_panel, k, n_k, buffer);
      for (std::ptrdiff_t row = 0; row < n_k; ++row)
        std::copy_n(from + row * step + in_panel, some, out + (k + row) * out_stride + (col - first));
    }
    col += some;
  }
}

AlignedBuffer PackedMatrix::buffer_of_panel() const {
  const auto floats = static_cast<std::size_t>(stream_depth) * static_cast<std::size_t>(panel_width_);
  if (read_) return AlignedBuffer(2 * floats);  // The second half holds the rows as they are read.
  return needs_buffer() ? AlignedBuffer(floats) : AlignedBuffer();
}

PackedMatrix::Panel PackedMatrix::panel_at(int col, int k, int n_k, const AlignedBuffer& buffer) const {
  if (borrowed_ != nullptr) return {borrowed_ + k * borrowed_stride_ + col, borrowed_stride_};
  const int width = width_of_panel(col);
  if (!needs_buffer()) return {values_.data() + static_cast<std::ptrdiff_t>(col) * depth_ + k * width, width};
  if (!read_) {
    const auto n = static_cast<std::size_t>(n_k) * static_cast<std::size_t>(width);
    const std::byte* const packed = panel_data(col) + static_cast<std::ptrdiff_t>(bytes_of(k, width, as_));
    if (are_levels(as_)) {
      HWY_DYNAMIC_DISPATCH(convert_levels)(packed, n_k / group(), group(), width, buffer.data());
      return {buffer.data(), width};
    }
    (as_ == PackedAs::bfloat16 ? bfloat16_to_float : float16_to_float)(packed, n, buffer.data());
    return {buffer.data(), width};
  }
  const int used = std::min(width, cols_ - col);
  float* const rows = buffer.data() + buffer.size() / 2;
  read_(col, used, k, n_k, rows);
  std::fill(rows + used * n_k, rows + width * n_k, 0.0F);
  transpose(rows, n_k, width, n_k, buffer.data(), width);
  return {buffer.data(), width};
}

int PackedMatrix::n_panels() const {
  return (cols_ + panel_width_ - 1) / panel_width_;
}

void PackedMatrix::run(const MatrixView& a, bool a_transposed, const float* bias, bool accumulates,
                       float* out, std::ptrdiff_t out_stride, int first, int last) const {
  const int depth = a_transposed ? a.rows : a.cols;
  if (a.rows == 1 && !a_transposed && depth == depth_ && !read_ && borrowed_ == nullptr) {
    const int n_full = std::min(last, cols_ / panel_width_) - first;
    const int col = first * panel_width_;
    if (n_full > 0) {
      HWY_DYNAMIC_DISPATCH(multiply_row)
      ({a.data, depth, as_, panel_data(col), n_full, bias == nullptr ? nullptr : bias + col, out + col,
        accumulates});
      first += n_full;
    }
  }
  if (first >= last) return;
  const AlignedBuffer buffer = buffer_of_panel();
  for (int index = first; index < last; ++index) {
    const int col = index * panel_width_;
    PanelProduct product;
    product.is_left_transposed = a_transposed;
    product.n_cols = std::min(width_of_panel(col), cols_ - col);
    product.bias = bias == nullptr ? nullptr : bias + col;
    product.out = out + col;
    product.out_stride = out_stride;
    for (int k = 0; k < depth; k += depth_at_once()) {
      product.depth = std::min(depth_at_once(), depth - k);
      product.left =
          a_transposed ? a.block(k, 0, product.depth, a.cols) : a.block(0, k, a.rows, product.depth);
      const Panel panel = panel_at(col, k, product.depth, buffer);
      product.values = panel.from;
      product.step = panel.step;
      product.accumulates = accumulates || k > 0;
      HWY_DYNAMIC_DISPATCH(multiply_panel)(product);
    }
  }
}

void PackedMatrix::multiply_panels(const MatrixView& a, const float* bias, float* out,
                                   std::ptrdiff_t out_stride, int first, int last) const {
  constexpr bool a_transposed = false;
  constexpr bool accumulates = false;
  run(a, a_transposed, bias, accumulates, out, out_stride, first, last);
}

void PackedMatrix::multiply_add(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const {
  constexpr bool a_transposed = false;
  constexpr bool accumulates = true;
  run(a, a_transposed, nullptr, accumulates, out, out_stride, 0, n_panels());
}

void PackedMatrix::multiply_add_transposed(const MatrixView& a, float* out, std::ptrdiff_t out_stride) const {
  constexpr bool a_transposed = true;
  constexpr bool accumulates = true;
  run(a, a_transposed, nullptr, accumulates, out, out_stride, 0, n_panels());
}

}  // namespace headscope
#endif
