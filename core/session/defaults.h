#pragma once

#include "core/session/session.h"

namespace headscope {

/// What a trained model begins with: its own sizes and weights, as it was trained, without dropout,
/// interventions or given numbers, and with no mask but a decoder's own.
Subject defaults_of(const Subject& before, const ModelValue& model);

/// Returns the subject with the settings, the weights and the tokenizer of a starting point. Its sentences
/// and its selection stay; the caller mends what counts tokens.
Subject with_defaults(Subject subject, const Subject& of);

}  // namespace headscope
