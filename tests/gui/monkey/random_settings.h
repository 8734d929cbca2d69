#pragma once

#include "core/session/action.h"
#include "tests/gui/monkey/dice.h"

namespace headscope::monkey {

/// An architecture within the limits of the controls and small enough to be computed quickly. It may be
/// invalid.
Architecture random_architecture(Dice& dice, Architecture from);
/// An action that the controls may emit, with values at and beyond their limits.
Action random_action(Dice& dice, const Session& session);

}  // namespace headscope::monkey
