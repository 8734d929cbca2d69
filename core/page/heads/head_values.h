#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/measures/measured_heads.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// What the heads of the selected attention do, as far as it is known.
struct HeadValues {
  std::optional<MeasuredHeads> heads;
  std::string on;          ///< "this sentence", "200 sentences of the task that it never learned from"
  std::string absent;      ///< why there is nothing, in words; empty where there is something
  bool is_random = false;  ///< the weights are: what stands out was not learned
  std::optional<HeadPlace> covered = {};  ///< what is measured would tell its covered weights
  std::optional<HeadPlace> taught = {};   ///< was trained to do what it does; nothing: none of them was
};

/// Measured on what the session asks for. What takes long is left to `tools.carry_out`.
HeadValues head_values(const PageInputs& in, PageTools& tools);

/// The heads that the page shows: those of the selected attention, in its order and as far as its filter lets
/// them. Of texts too long to be measured, those of the selected layer. Equal heads stay in the model's
/// order.
std::vector<HeadPlace> shown_heads(const PageInputs& in, const HeadValues& values);

/// "0.98"; of a distance "3.2"; "—" where there is none.
std::string measure_text(HeadMeasure measure, const std::optional<double>& value);

/// What stands out in what a head does; nothing of random weights, which no label may claim anything about.
std::optional<StrongestRole> learned_role(const HeadValues& values, const HeadPlace& place);

/// What a head does, as a sentence: "Layer 1 head 2 looks from a pronoun at the noun that it stands for: 0.98
/// of its attention goes there, over …", or that nothing stands out.
std::string head_sentence(const HeadPlace& place, const HeadValues& values);

}  // namespace headscope
