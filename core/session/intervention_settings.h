#pragma once

#include <array>

#include "core/session/intervention_words.h"
#include "core/session/setting.h"

namespace headscope {

inline constexpr std::string_view intervention_group = "Interventions";

/// The settings of interventions inside the pass.
inline constexpr std::array intervention_settings{
    Setting{"interventions.scale", "the scaled heads", "--scale-head", "L.H=X", intervention_group,
            "The factor of a head's output, from 0 (off) to 2: layer, head and factor, such as 1.2=0; of two "
            "stacks decoder.1.2 or cross.1.2; a list with commas",
            "", field::Notation{words_of_scales, read_scales}},
    Setting{"interventions.pattern", "the patterns of heads", "--pattern", "L.H=WHICH", intervention_group,
            "What a head's weights are instead of its softmax: uniform (over the keys that it sees) or held "
            "(those of the same head in the subject after --against, in the rows of words that both texts "
            "have); a list with commas",
            "", field::Notation{words_of_patterns, read_patterns}},
    Setting{
        "interventions.weights", "the weights given by hand", "--set-weight", "L.H:ROW.COLUMN=X",
        intervention_group,
        "A weight of a head, from 0 to 1; the others of its row share what is left, in their old "
        "proportions. Where the given weights of a row are more than it adds up to, 1 or what a sink leaves "
        "of 1, or leave no other key, they are scaled to that. A weight whose cell the mask hides is kept, "
        "but not used; a list with commas",
        "", field::Notation{words_of_weights, read_weights}},
    Setting{"interventions.patches", "the patched rows", "--patch", "PATH:ROW=WHICH", intervention_group,
            "A token's row of a stage replaced by zero or by that of the held subject, before anything is "
            "computed from it; a list with commas",
            "", field::Notation{words_of_patches, read_patches}},
};

}  // namespace headscope
