#pragma once

#include <string>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/trace/trace.h"

namespace headscope {

/// The interventions in a pass in words: “layer 1 head 2 off, layer 0 head 3 uniform”. Empty where there are
/// none. Of many, the first few and how many more.
std::string interventions_text(const Trace& trace);

/// What is given by hand in words: “Q and K of head 0 in layer 0, and the input”. Empty where nothing is; of
/// much, the first and how much more.
std::string given_text(const Trace& trace);

/// Both, as a part of a sentence: “interventions: …”, “given by hand: …”, or one after the other with a dot
/// between them; and as sentences: “Interventions: …. Given by hand: ….”. Empty where there is neither.
std::string changes_text(const Trace& trace);
std::string changes_sentences(const Trace& trace);

/// How many weights are given in a head, and how many of these the mask hides, so that they are not used: “2
/// weights given, 1 of which the mask hides”.
std::string given_weights_text(const HeadEdits& edits, const CombinedMask& mask, int head);

/// In how many rows of the weights of another pass it has any: those of words that both texts have.
int n_rows_held(const HeadEdits& edits);

/// What is done to one head of a pass, to stand beside its number: “off”, “×0.5”, “uniform”, “×2 as in A”,
/// “given weights”; “partly as in A” where some rows are its own; “given weights, hidden” where the mask
/// hides all of them. Empty where nothing is.
std::string head_mark(const Trace& trace, const HeadId& head);

/// "Layer 1 head 2": a head among those of the model; of two stacks with its stack, and with its attention.
std::string head_text(const Architecture& architecture, const HeadId& head);
/// Names a head of a pass in the same way, and notes where it was trained to do what it does.
std::string head_text(const Trace& trace, const HeadId& head);

}  // namespace headscope
