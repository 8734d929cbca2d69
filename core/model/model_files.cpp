#include "core/model/model_files.h"

namespace headscope {

Result<void> ModelFiles::check_unchanged() const {
  Result<void> same = compare();
  // A file may look as it did before, while pages of it that were read in between are still mapped.
  if (same && have_changed_)
    return failure("a file of this model was changed while it was open: open the model again");
  if (!same) have_changed_ = true;
  return same;
}

}  // namespace headscope
