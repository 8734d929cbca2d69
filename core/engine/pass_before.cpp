#include "core/engine/pass_before.h"

#include <algorithm>

#include "core/model/later_rows.h"

namespace headscope {
namespace {

/// Whether two requests differ in nothing but their texts.
bool differ_in_texts(const Request& a, const Request& b) {
  Request same = a;
  same.sentence = b.sentence;
  same.texts = b.texts;
  return same == b;
}

int common_beginning(const std::vector<Token>& a, const std::vector<Token>& b) {
  const auto is_same = [](const Token& x, const Token& y) {
    return x.id == y.id && x.segment == y.segment && x.lookup == y.lookup;
  };
  return static_cast<int>(std::ranges::mismatch(a, b, is_same).in1 - a.begin());
}

}  // namespace

void PassBefore::keep(const Request& request, const std::shared_ptr<const Trace>& trace) {
  request_ = request;
  trace_ = trace;
}

PassBefore::Shared PassBefore::shared_with(const Request& request, const Trace::Parts& parts) const {
  const std::shared_ptr<const Trace> before = trace_.lock();
  if (!before || !before->complete() || !request.batch.empty() || !request.donor.empty()) return {};
  // Without a trained model, the words to predict are those of the text.
  if (!request.model && request.architecture.output_layer != OutputLayer::none) return {};
  const bool has_edits = before->edits() != nullptr || parts.edits != nullptr || !request.given.empty();
  if (has_edits || request.attention.softmax != SoftmaxAxis::keys) return {};
  if (&before->model() != parts.model.get() || !differ_in_texts(request, request_)) return {};
  // At least the last row is computed.
  const int n =
      std::min(common_beginning(before->tokens(), parts.tokens), static_cast<int>(parts.tokens.size()) - 1);
  const PassInputs inputs = before->pass_inputs();
  if (n <= 0 || !shares_first_rows(before->kept(), inputs.masks, *parts.buffers, *parts.masks, n)) return {};
  return {before, n};
}

}  // namespace headscope
