#pragma once

#include <string>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/trace/trace.h"

namespace headscope {

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
