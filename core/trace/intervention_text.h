#pragma once

#include <string>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/trace/trace.h"

namespace headscope {

/// Describes the interventions in a pass: “layer 1, head 2 off; layer 0, head 3 uniform”. Empty if there are
/// none. If there are many, it gives the first few and the number of the others.
std::string interventions_text(const Trace& trace);

/// Names the numbers that are given by hand: “Q and K of head 0 in layer 0, and the input”. Empty if there
/// are none. If there are many, it gives the first few and the number of the others.
std::string given_text(const Trace& trace);

/// Both texts combined, as a part of a sentence (“interventions: …”, “given by hand: …”, or both with a dot
/// between them) and as sentences (“Interventions: …. Given by hand: ….”). Empty if there is neither.
std::string changes_text(const Trace& trace);
std::string changes_sentences(const Trace& trace);

/// The number of weights that are given in a head, and how many of them have no effect because the mask hides
/// their cells: “2 weights given, 1 of which the mask hides”.
std::string given_weights_text(const HeadEdits& edits, const CombinedMask& mask, int head);

/// The number of rows in which a head uses the weights of another pass. These are the rows of words that both
/// texts have.
int n_rows_held(const HeadEdits& edits);

/// The mark shown beside the number of a head, which says what an intervention does to the head: “off”,
/// “×0.5”, “uniform”, “×2 as in A”, “given weights”; “partly as in A” if some rows keep their own weights;
/// “given weights, hidden” if the mask hides all of them. Empty if nothing is done to the head.
std::string head_mark(const Trace& trace, const HeadId& head);

}  // namespace headscope
