#pragma once

#include "core/session/session.h"

namespace headscope {

/// Returns the starting point of a trained model: its own sizes and weights as they were trained, without
/// dropout, interventions or given numbers, and with no mask except a decoder's own.
Subject defaults_of(const Subject& before, const ModelValue& model);

/// Returns the subject with the settings, the weights and the tokenizer of a starting point. Its sentences
/// and its selection stay; the caller repairs whatever counts tokens.
Subject with_defaults(Subject subject, const Subject& of);

}  // namespace headscope
