#pragma once

#include "core/checkpoint/bundled_models.h"

namespace headscope {

/// Where the bundled models may be, best first: beside the running program, installed (BIN/../share) or just
/// built, so that either can be moved; then the folders for data of the XDG base directory specification
/// ($XDG_DATA_HOME, $XDG_DATA_DIRS). To be called before the program changes its working folder.
ModelPlaces model_places();

}  // namespace headscope
