#include "app/shell/folder_lister.h"

#include "app/shell/folders.h"
#include "core/caught.h"

namespace headscope {

void FolderLister::list(const std::string& folder) {
  if (listed_ == folder || queue_.busy()) return;
  listed_ = folder;
  queue_.submit([folder]() -> FolderListing {
    try {
      return listing_of(folder);
    } catch (...) {
      return {folder, folder, folder, {}, {}, false, caught_text()};
    }
  });
}

}  // namespace headscope
