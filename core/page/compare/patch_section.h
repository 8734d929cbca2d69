#pragma once

#include <optional>
#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"
#include "core/result.h"

namespace headscope {

/// What is asked of two compared passes: how far the words that A and B expect are apart in B if a part of A
/// is taken into it. `a` are the inputs of the first held subject alone. Errors say why nothing can be asked.
Result<PatchQuestion> patch_question(const PageInputs& in, const PageInputs& a);

/// How each part of A changes the answer of B. If that takes long, it is computed only after
/// PatchMemo::wanted asks for it.
class PatchedParts {
 public:
  PatchedParts(const PageInputs& in, PageTools& tools);

  /// Names the head that makes most of the difference, or says that the parts of A are still being taken.
  /// Empty if nothing is asked.
  std::string said() const;
  /// The map of the heads: how much of the way from B's answer to A's the output of each takes. Empty if it
  /// is not known, or not readable in this room.
  std::optional<Page> heads_page(const PageSize& room) const;
  /// Adds the maps: that of the heads, if it is wanted here, and how much of the way each token's row that
  /// enters a layer takes.
  void add_to(PageText& page, bool has_heads) const;

 private:
  const PageInputs& in_;
  PageTools& tools_;
  std::optional<PatchQuestion> question_;  ///< Empty if nothing can be asked.
  bool is_wanted_ = false;
  const Work<PatchMap>* work_ = nullptr;  ///< Null while the parts are being taken, and if none are wanted.
};

}  // namespace headscope
