#include "core/model/model_source.h"

namespace headscope {

Result<void> ModelFiles::check_unchanged() const {
  Result<void> same = compare();
  // Sticky: a file may look unchanged again while modified pages are still mapped.
  if (same && have_changed_)
    return failure("a file of this model was changed while it was open: open the model again");
  if (!same) have_changed_ = true;
  return same;
}

}  // namespace headscope
