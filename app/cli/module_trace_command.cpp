#include "app/cli/commands.h"

namespace headscope {

Result<void> run_module_trace(const CommandOptions&) {
  return failure("--weights is on its way");
}

}  // namespace headscope
