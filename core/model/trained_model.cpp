#include "core/model/trained_model.h"

#include <algorithm>
#include <string_view>

#include "core/model/parameters.h"

namespace headscope {

Result<void> ModelFiles::check_unchanged() const {
  Result<void> same = compare();
  // Sticky: a file may look unchanged again while modified pages are still mapped.
  if (same && have_changed_)
    return failure("a file of this model was changed while it was open: open the model again");
  if (!same) have_changed_ = true;
  return same;
}

std::string TrainedModel::title() const {
  if (is_capture() && !embedded_name.empty()) return embedded_name;
  std::string_view path = name;
  constexpr std::string_view hub_prefix = "models--";
  if (const std::size_t hub = path.find(hub_prefix); hub != std::string_view::npos) {
    path.remove_prefix(hub + hub_prefix.size());
    std::string repository(path.substr(0, path.find('/')));
    if (const std::size_t dashes = repository.find("--"); dashes != std::string::npos)
      repository.replace(dashes, 2, "/");
    return repository;
  }
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  constexpr std::string_view hash_prefix = "sha256-";
  const bool is_uninformative = path.empty() || path.substr(slash + 1).starts_with(hash_prefix);
  if (!embedded_name.empty() && is_uninformative) return embedded_name;
  return std::string(slash == std::string_view::npos || path == "/" ? path : path.substr(slash + 1));
}

double TrainedModel::weights_bytes() const {
  const Architecture& a = model.architecture;
  const double all = model_bytes(a) + unembedding_bytes(a, vocabulary.size());
  if (!files) return all + word_table_bytes(a, vocabulary.size());
  const double packed = all - files->saved_bytes();
  if (files->max_packed_bytes() >= packed) return packed;
  // A pass makes temporary copies one at a time, each bounded by those of an entire layer.
  const int n_layers = a.layers_of(Stack::encoder) + a.layers_of(Stack::decoder);
  const double at_once =
      std::max(model_bytes(a) / std::max(n_layers, 1), unembedding_bytes(a, vocabulary.size()));
  return files->max_packed_bytes() + std::min(at_once, packed);
}

double TrainedModel::resident_bytes() const {
  if (!is_capture()) return weights_bytes();
  const CapturedAttention& captured = *model.captured;
  const Architecture& a = model.architecture;
  const double rows = captured.n_queries, columns = captured.n_keys;
  double floats = captured.weights ? a.n_heads * rows * columns : 0.0;
  if (captured.query) floats += a.n_heads * (rows + 2.0 * columns) * a.head_width(no_layer);
  if (captured.hidden) floats += rows * a.d_model;
  return floats * a.layers_of(a.last_stack()) * sizeof(float);
}

}  // namespace headscope
