#include "core/model/architecture.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace headscope {
namespace {

using Limits = ArchitectureLimits;

Result<void> check_range(const char* name, int value, int low, int high) {
  if (value >= low && value <= high) return {};
  return usage_error(std::string(name) + " " + std::to_string(value) + " is outside " + std::to_string(low) +
                     " to " + std::to_string(high) + ": " + std::to_string(std::clamp(value, low, high)) +
                     " is the nearest that works");
}

/// The multiples of n_heads next to d_model, inside the limits: "64 or 72".
std::string fitting_neighbours(int d_model, int n_heads) {
  const int below = d_model / n_heads * n_heads;
  const int above = below + n_heads;
  std::string text;
  if (below >= Limits::min_d_model) text = std::to_string(below);
  if (above <= Limits::max_d_model) text += (text.empty() ? "" : " or ") + std::to_string(above);
  return text;
}

}  // namespace

Result<void> validate(const Architecture& architecture) {
  const auto& a = architecture;
  if (auto ok = check_range("d_model", a.d_model, Limits::min_d_model, Limits::max_d_model); !ok) return ok;
  if (auto ok = check_range("heads", a.n_heads, Limits::min_heads, Limits::max_heads); !ok) return ok;
  if (a.d_head) {
    if (auto ok = check_range("d_head", *a.d_head, Limits::min_head_width, Limits::max_head_width); !ok) {
      return ok;
    }
  } else if (a.d_model % a.n_heads != 0) {
    return usage_error("d_model " + std::to_string(a.d_model) + " is not divisible by " +
                       std::to_string(a.n_heads) + " heads: " + fitting_neighbours(a.d_model, a.n_heads) +
                       " would be, or set d_head");
  }
  if (a.d_value) {
    return check_range("d_value", *a.d_value, Limits::min_head_width, Limits::max_head_width);
  }
  return {};
}

int nearest_d_model(int wished, int n_heads) {
  const int lowest = (Limits::min_d_model + n_heads - 1) / n_heads * n_heads;
  const int highest = Limits::max_d_model / n_heads * n_heads;
  const int rounded = (wished + n_heads / 2) / n_heads * n_heads;
  return std::clamp(rounded, lowest, highest);
}

}  // namespace headscope
