#pragma once

#include "core/session/session.h"

namespace headscope {

/// Returns the starting point of a trained model: its own sizes and weights as they were trained, without
/// dropout, interventions or given numbers, and with no mask except a decoder's own.
Subject defaults_of(const Subject& before, const ModelValue& model);

/// The options of attention with which a trained model is opened: no mask except a decoder's own, and no
/// dropout.
AttentionOptions attention_as_opened(const TrainedModel& model);

/// Returns the subject with the settings, the weights and the tokenizer of a starting point. Its sentences
/// and its selection stay; the caller repairs whatever counts tokens.
Subject with_defaults(Subject subject, const Subject& of);

}  // namespace headscope
