#pragma once

#include "core/session/session.h"

namespace headscope {

/// What a trained model begins with: its own sizes and weights, as it was trained, without dropout,
/// interventions or given numbers, and with no mask but a decoder's own.
Subject defaults_of(const Subject& before, const ModelValue& model);

/// A subject with the settings and the weights of a starting point. Its sentences and what is selected stay;
/// the tokenizer is that of the starting point, and what counts in tokens is left to the caller.
Subject with_defaults(Subject subject, const Subject& of);

}  // namespace headscope
