#pragma once

#include <optional>
#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_builder.h"
#include "core/result.h"

namespace headscope {

/// The patch question about two passes: the logit difference of the words that A and B predict, when B is
/// computed with a part of A. `a` holds the inputs of the first compared subject alone. The error says why
/// there is no such question.
Result<PatchQuestion> patch_question(const PageInputs& in, const PageInputs& a);

/// Shows how each part of A changes B's answer. A long computation starts only once
/// PageMemo::requested_patches requests it.
class PatchedParts {
 public:
  PatchedParts(const PageInputs& in, PageTools& tools);

  /// Names the head that accounts for most of the difference, or says that the computation is running. Empty
  /// if nothing was requested.
  std::string said() const;
  /// The map of how far each head's output moves B's answer towards A's. Empty if it has not been computed or
  /// would be unreadable at this size.
  std::optional<Page> heads_page(const PageSize& room) const;
  /// Adds the map of the heads if `has_heads`, and the map of how far each token's row in the input of a
  /// layer moves the answer.
  void add_to(PageBuilder& page, bool has_heads) const;

 private:
  const PageInputs& in_;
  PageTools& tools_;
  std::optional<PatchQuestion> question_;  ///< Empty if nothing can be asked.
  bool is_requested_ = false;
  const Result<PatchMap>* found_ =
      nullptr;  ///< Null while the parts are computed, and if none were requested.
};

}  // namespace headscope
