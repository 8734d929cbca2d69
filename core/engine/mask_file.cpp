#include "core/engine/mask_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/io/npy.h"
#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

bool is_float(std::string_view type) {
  return type.starts_with("float");
}

/// What is wrong with the numbers of an additive mask. Empty if nothing is.
std::string fault_of_added(const std::vector<float>& values) {
  if (std::ranges::any_of(values, [](float v) { return std::isnan(v); })) {
    return "it holds NaN: a float mask is added to the scores, so every number must be finite or −∞";
  }
  if (std::ranges::find(values, std::numeric_limits<float>::infinity()) != values.end()) {
    return "it holds +∞, which softmax turns into NaN: use 0 where a query may attend and −∞ where not";
  }
  const bool zeros_and_ones = std::ranges::all_of(values, [](float v) { return v == 0.0F || v == 1.0F; });
  if (zeros_and_ones && std::ranges::find(values, 1.0F) != values.end()) {
    return "it holds only the floats 0 and 1, but a float mask is added to the scores. If 1 means “may attend”, save it as boolean: numpy.save(file, mask.astype(bool))";
  }
  return {};
}

std::string fault_of_boolean(const std::vector<float>& values) {
  if (std::ranges::all_of(values, [](float v) { return v == 0.0F || v == 1.0F; })) return {};
  return "it holds integers other than 0 and 1: 1 means “may attend”, 0 hides; a mask that is added to the scores must be float";
}

/// The size of the axis with this letter in a file, and how many numbers apart two of its consecutive indices
/// are. The size is 1 if the file has no such axis.
std::pair<int, std::size_t> axis_of(char letter, std::string_view axes, const std::vector<int>& shape) {
  const std::size_t place = axes.find(letter);
  if (place == std::string_view::npos) return {1, 0};
  std::size_t stride = 1;
  for (std::size_t later = place + 1; later < shape.size(); ++later)
    stride *= static_cast<std::size_t>(shape[later]);
  return {shape[place], stride};
}

/// Copies the numbers in the order [sentences, heads, queries, keys].
void arrange(const NpyArray& array, std::string_view axes, LoadedMask& mask) {
  const auto axis = [&](char letter) { return axis_of(letter, axes, array.shape); };
  const auto [n_sentences, sentence_stride] = axis('b');
  const auto [n_heads, head_stride] = axis(mask.heads_or_sequences ? 'n' : 'h');
  const auto [n_queries, query_stride] = axis('i');
  const auto [n_keys, key_stride] = axis('j');
  mask.n_sequences = n_sentences;
  mask.n_heads = n_heads;
  mask.rows = n_queries;
  mask.cols = n_keys;
  mask.values.reserve(array.values.size());
  const auto place = [](int index, std::size_t stride) { return static_cast<std::size_t>(index) * stride; };
  for (int b = 0; b < n_sentences; ++b) {
    for (int h = 0; h < n_heads; ++h) {
      for (int i = 0; i < n_queries; ++i) {
        const std::size_t row = place(b, sentence_stride) + place(h, head_stride) + place(i, query_stride);
        for (int j = 0; j < n_keys; ++j) mask.values.push_back(array.values[row + place(j, key_stride)]);
      }
    }
  }
}

}  // namespace

Result<void> check_mask_axes(std::string_view axes) {
  const auto count = [axes](char letter) { return std::ranges::count(axes, letter); };
  const bool known = axes.find_first_not_of("ijhbn") == std::string_view::npos;
  const bool once = std::ranges::all_of(axes, [&](char letter) { return count(letter) == 1; });
  const bool either = count('n') == 1 && (count('h') == 1 || count('b') == 1);
  if (known && once && !either && count('i') == 1 && count('j') == 1) return {};
  return failure(
      "the axes of a mask are letters, each used at most once: i (queries) and j (keys), plus b (sentences of a batch), h (heads) or n (whichever of the two fits), such as ij, ji, bji or ijb");
}

Result<std::shared_ptr<const LoadedMask>> read_mask(const std::filesystem::path& file,
                                                    std::string_view axes) {
  auto array = read_npy(file);
  if (!array) return tl::unexpected(array.error());
  const auto refused = [&](const std::string& why) {
    return failure("the mask '" + file.string() + "' cannot be used: " + why);
  };
  const std::vector<int>& shape = array->shape;
  constexpr std::array<std::string_view, 3> usual_axes{"ij", "nij", "bhij"};
  if (shape.size() < 2 || shape.size() > 4 || array->values.empty()) {
    return refused(
        "its shape is " + shape_text(shape) +
        ", but must be [T, S] (queries, keys), [1, S], [H, T, S] (heads first), [B, T, S] (sentences of a batch first) or [B, H, T, S] (batch first, then heads)");
  }
  if (axes.empty()) axes = usual_axes.at(shape.size() - 2);
  if (axes.size() != shape.size()) {
    return refused("its shape is " + shape_text(shape) + ", but the given axes are " +
                   std::to_string(axes.size()) + ": " + std::string(axes));
  }
  const bool additive = is_float(array->type);
  const std::string fault = additive ? fault_of_added(array->values) : fault_of_boolean(array->values);
  if (!fault.empty()) return refused(fault);

  auto mask = std::make_shared<LoadedMask>();
  mask->name = file.string();
  mask->additive = additive;
  mask->axes = axes;
  mask->heads_or_sequences = axes.find('n') != std::string_view::npos;
  arrange(*array, axes, *mask);
  return std::shared_ptr<const LoadedMask>(std::move(mask));
}

}  // namespace headscope
