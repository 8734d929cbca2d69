#include "core/model/model_source.h"

namespace headscope {

Result<void> ModelFiles::check_unchanged() const {
  Result<void> same = compare();
  // A file may look unchanged again, although pages that were read while it differed are still mapped.
  if (same && have_changed_)
    return failure("a file of this model was changed while it was open: open the model again");
  if (!same) have_changed_ = true;
  return same;
}

}  // namespace headscope
