#pragma once

#include <array>

#include "core/session/intervention_words.h"
#include "core/session/setting.h"

namespace headscope {

inline constexpr std::string_view intervention_group = "Interventions";

/// The settings of interventions inside the pass.
inline constexpr std::array intervention_settings{
    Setting{
        "interventions.scale", "the scaled heads", "--scale-head", "L.H=X", intervention_group,
        "The factor of a head's output, from 0 (off) to 2: layer, head and factor, such as 1.2=0; with two stacks, decoder.1.2 or cross.1.2; separated by commas",
        "", field::Notation{words_of_scales, read_scales}},
    Setting{
        "interventions.pattern", "the patterns of heads", "--pattern", "L.H=WHICH", intervention_group,
        "What replaces the weights of a head's softmax: uniform (over the keys that it sees) or held (the weights of the same head in the subject after --against, in the rows whose word, or another in its place, is in its text); separated by commas",
        "", field::Notation{words_of_patterns, read_patterns}},
    Setting{
        "interventions.weights", "the weights given by hand", "--set-weight", "L.H:ROW.COLUMN=X",
        intervention_group,
        "A weight of a head, from 0 to 1; the other weights of its row share the rest in their old proportions. If the given weights of a row exceed its sum (1, or what a sink leaves of 1) or leave no other key, they are scaled to that sum. A weight in a cell that the mask hides is kept, but not used; separated by commas",
        "", field::Notation{words_of_weights, read_weights}},
    Setting{
        "interventions.patches", "the patched rows", "--patch", "PATH:ROW=WHICH", intervention_group,
        "Replace a token's row of a stage by zero or by the held subject's row before anything is computed from it; separated by commas",
        "", field::Notation{words_of_patches, read_patches}},
};

}  // namespace headscope
