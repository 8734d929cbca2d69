#pragma once

#include "core/train/attention.h"

namespace headscope {

/// Rotates the pairs of dimensions of every head by the angle of their position, or back if `direction` is
/// −1. YaRN's amplitude applies in both directions, because the backward rotation is the transpose that
/// gradients need. Does nothing if the plan has no rotary positions. It is not compiled for each instruction
/// set, because the sines take most of the time and GCC fuses this pattern of products even when told not to.
template <class Scalar>
void turn(const HeadPlan& plan, const Sequences& sequences, Rows<Scalar>& rows, Scalar direction);

}  // namespace headscope
