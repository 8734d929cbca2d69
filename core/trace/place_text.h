#pragma once

#include <string>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/model/stage.h"
#include "core/trace/trace.h"

namespace headscope {

// A place in a model has a name, “layer 1, head 0”, and a label, “1.0”. With two stacks, both begin with the
// stack.

/// The place of a stage as a heading: “Layer 1, head 0”, “Decoder layer 1, cross-attention, head 3”, or
/// “Layer 1” for stages that are not per head. Empty for stages of the entire model.
std::string place_text(const Architecture& architecture, const StageId& id);
/// The same with a note if it is the taught head.
std::string place_text(const Trace& trace, const StageId& id);

/// A head as a phrase: “layer 1, head 0”, “decoder layer 1, cross-attention, head 3”.
std::string head_text(const Architecture& architecture, const HeadId& head);
/// The same with a note if it is the taught head.
std::string head_text(const Trace& trace, const HeadId& head);

/// The label of a head without its stack: “1.0” for head 0 in layer 1.
std::string head_label(int layer, int head);
/// The label of a head: “1.0” or, with two stacks, “decoder 1.0” or “cross 1.0”.
std::string head_label(const Architecture& architecture, const HeadId& head);

/// A stage as a phrase: “Q of layer 1, head 0”, “the input”, “W_O of layer 0”. Omits unambiguous numbers:
/// “Q”.
std::string stage_words(const Architecture& architecture, const StageId& stage);

/// The same as a sentence, “Q, K and V given by hand”, with a note on how rotary positions change them.
std::string given_sentence(const Architecture& architecture, const GivenNumbers& given);

/// Where the numbers of a pass first overflow float32. Empty if they do not.
std::string overflow_text(const Trace& trace);

/// Describes the interventions in a pass: “layer 1, head 2 off; layer 0, head 3 uniform”, abbreviated if
/// there are many. May be empty.
std::string interventions_text(const Trace& trace);

/// Lists the given numbers: “Q and K of head 0 in layer 0, and the input”, abbreviated if there are many. May
/// be empty.
std::string given_text(const Trace& trace);

/// Both combined, as a phrase (“interventions: …”, “given by hand: …”, separated by a dot) and as sentences
/// (“Interventions: …. Given by hand: ….”). May be empty.
std::string changes_text(const Trace& trace);
std::string changes_sentences(const Trace& trace);

/// The number of given weights of a head, and how many of them the mask disables: “2 weights given, 1 of
/// which the mask hides”.
std::string given_weights_text(const HeadEdits& edits, const CombinedMask& mask, int head);

/// The number of rows in which a head uses the weights of another pass, i.e. of words in both texts.
int n_compared_rows(const HeadEdits& edits);

/// The mark beside the number of a head that describes its intervention: “off”, “×0.5”, “uniform”, “×2 as in
/// A”, “given weights”; “partly as in A” if some rows keep their own weights; “given weights, hidden” if the
/// mask hides all of them. Empty without an intervention.
std::string head_badge(const Trace& trace, const HeadId& head);

}  // namespace headscope
