#pragma once

#include "core/train/attention.h"

namespace headscope {

/// Turns the pairs of every head's dimensions by their position's angle, or back where `direction` is −1;
/// with YaRN's amplitude either way, of which the transpose is the turn back: the gradient's. Does nothing
/// where the plan has no rotary positions. Not compiled for each instruction set: the sines take the time,
/// and GCC fuses this pattern of products even when told not to.
template <class Scalar>
void turn(const HeadPlan& plan, const Sequences& sequences, Rows<Scalar>& rows, Scalar direction);

}  // namespace headscope
