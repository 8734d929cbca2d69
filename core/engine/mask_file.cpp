#include "core/engine/mask_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/io/npy.h"
#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

bool is_float(NpyType type) {
  return type == NpyType::float32 || type == NpyType::float64;
}

/// What is wrong with the numbers of an additive mask; empty where nothing is.
std::string fault_of_added(const std::vector<float>& values) {
  if (std::ranges::any_of(values, [](float v) { return std::isnan(v); })) {
    return "it holds NaN: a float mask is added to the scores, so every number must be finite or −∞";
  }
  if (std::ranges::find(values, std::numeric_limits<float>::infinity()) != values.end()) {
    return "it holds +∞, after which softmax is no number: use 0 where a query may attend and −∞ where not";
  }
  const bool zeros_and_ones = std::ranges::all_of(values, [](float v) { return v == 0.0F || v == 1.0F; });
  if (zeros_and_ones && std::ranges::find(values, 1.0F) != values.end()) {
    return "it holds floats of 0 and 1 alone, and a float mask is added to the scores. If 1 means “may "
           "attend”, save it as boolean: numpy.save(file, mask.astype(bool))";
  }
  return {};
}

std::string fault_of_boolean(const std::vector<float>& values) {
  if (std::ranges::all_of(values, [](float v) { return v == 0.0F || v == 1.0F; })) return {};
  return "it holds integers other than 0 and 1: 1 means “may attend”, 0 hides; a mask to add to the scores "
         "must be float";
}

}  // namespace

Result<std::shared_ptr<const LoadedMask>> read_mask(const std::filesystem::path& file) {
  auto array = read_npy(file);
  if (!array) return tl::unexpected(array.error());
  const auto refused = [&](const std::string& why) {
    return failure("the mask '" + file.string() + "' cannot be used: " + why);
  };
  const std::vector<int>& shape = array->shape;
  if (shape.size() < 2 || shape.size() > 4 || array->values.empty()) {
    return refused(
        "its shape is " + shape_text(shape) +
        ", and needed is [T, S] (queries, keys), [1, S], [H, T, S] (heads first), [B, T, S] (a batch's "
        "sentences first) or [B, H, T, S] (batch first, then heads)");
  }
  const bool additive = is_float(array->type);
  const std::string fault = additive ? fault_of_added(array->values) : fault_of_boolean(array->values);
  if (!fault.empty()) return refused(fault);

  auto mask = std::make_shared<LoadedMask>();
  mask->name = file.string();
  mask->additive = additive;
  mask->n_sequences = shape.size() == 4 ? shape[0] : 1;
  mask->n_heads = shape.size() >= 3 ? shape[shape.size() - 3] : 1;
  mask->heads_or_sequences = shape.size() == 3;
  mask->rows = shape[shape.size() - 2];
  mask->cols = shape[shape.size() - 1];
  mask->values = std::move(array->values);
  return std::shared_ptr<const LoadedMask>(std::move(mask));
}

}  // namespace headscope
