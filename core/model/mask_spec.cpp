#include <algorithm>
#include <cmath>

#include "core/model/mask.h"

namespace headscope {

void set_causal(MaskSpec& spec, bool on) {
  spec.causal = on;
  if (on) spec.prefix.reset();
}

void set_prefix(MaskSpec& spec, std::optional<int> length) {
  spec.prefix = length;
  if (length) spec.causal = false;
}

void add_documents(MaskSpec& spec, const std::vector<int>& ends, int n_tokens) {
  spec.documents.reserve(spec.documents.size() + ends.size());
  for (const int end : ends) spec.documents.push_back(end + 1);
  std::ranges::sort(spec.documents);
  spec.documents.erase(std::unique(spec.documents.begin(), spec.documents.end()), spec.documents.end());
  std::erase_if(spec.documents, [n_tokens](int first) { return first >= n_tokens; });
}

std::vector<int> rows_without_keys(const CombinedMask& mask, int head) {
  std::vector<int> rows;
  if (mask.visible.empty() && mask.added.empty()) return rows;
  for (int query = 0; query < mask.rows; ++query) {
    bool sees_a_key = false;
    for (int key = 0; key < mask.cols && !sees_a_key; ++key) {
      sees_a_key = mask.sees(head, query, key);
    }
    if (!sees_a_key) rows.push_back(query);
  }
  return rows;
}

}  // namespace headscope
