#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/parts/page_builder.h"

namespace headscope {

/// The steps in which a row is computed, each from those before it.
namespace watch_step {
enum : int { meet = 1, multiply, add, scale, mask, exponent, divide, weigh, output };
}
static_assert(watch_step::output == last_watch_step);

/// The numbers shown for a key.
struct WatchedKey {
  int key = 0;
  bool is_visible = true;
  std::vector<float> products;  ///< query × key
  std::vector<float> numbers;   ///< of the key
  std::vector<float> value;     ///< of the key
  std::vector<float> values;    ///< weight × value, with the weight after dropout
  float used = 0.0F;            ///< that weight
  double raw = 0.0, scaled = 0.0, masked = 0.0, exponential = 0.0, weight = 0.0;
};

struct WatchedRow {
  int query = 0;
  std::string query_name, keys_name;  ///< what is multiplied, such as “rotated query” and “rotated keys”
  int n_keys = 0, n_visible = 0;
  std::vector<float> numbers;    ///< of the query
  std::vector<float> result;     ///< of the head
  std::vector<WatchedKey> keys;  ///< those with the greatest weights, in the order of the text
  double others = 0.0;           ///< the weights of all other keys together
  std::optional<double> sink;    ///< the sink's share, if the head has one
  double greatest = 0.0;         ///< the greatest score of the row, including a sink
  double sum = 0.0;              ///< the sum of all exponentials
  double max_value = 0.0;        ///< the greatest magnitude among the values of the listed keys
  /// Whether the sink's score is the greatest.
  bool is_sink_greatest() const {
    return std::ranges::none_of(keys, [this](const WatchedKey& key) { return key.masked == greatest; });
  }
  bool agrees = true;  ///< whether the stored weights equal these exponentials divided by their sum
};

/// Whether anything but a mask is added to the scaled scores, such as a bias by distance.
bool adds_any(const WatchedRow& row);

/// Draws the row at the session's step, animated to `in.step_progress`: first the query beside each key and
/// their products; then scores, exponentials and weights as bars that turn into each other; last the values,
/// higher for greater weights, and their sum. `height` limits the picture.
void draw_watched_row(const PageInputs& in, const PageTools& tools, const WatchedRow& row, float height,
                      PageBuilder& page);

}  // namespace headscope
