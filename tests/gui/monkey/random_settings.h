#pragma once

#include "core/session/action.h"
#include "tests/gui/monkey/dice.h"

namespace headscope::monkey {

/// Within the limits of the controls and small enough to be computed in passing; it need not hold.
Architecture random_architecture(Dice& dice, Architecture from);
/// What the controls may emit, with numbers at their limits and beyond.
Action random_action(Dice& dice, const Session& session);

}  // namespace headscope::monkey
