#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/model/interventions.h"
#include "core/slices.h"
#include "core/tensor/view.h"
#include "core/trace/trace.h"

namespace headscope {

/// What a head adds to the logits for attending to a token with weight 1: the words that gain and lose most,
/// with their change, in descending order of its magnitude.
struct WrittenWords {
  std::vector<std::pair<int, double>> promoted, suppressed;
};

/// The two circuits of a head (Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”), over
/// the first tokens of the text. Each token stands for its embedding alone, after the norm that the head
/// reads from; positions and what earlier layers add are left out.
struct HeadCircuits {
  std::string absent_qk, absent_ov;  ///< Why a circuit is missing. Empty if it is there.
  /// QK: (x W_Q + b_Q)(y W_K + b_K)ᵀ times the score factor of the pass, [queries, keys]: which tokens the
  /// head would look at. With rotary positions, as if both stood at the same place.
  OwnedMatrix scores;
  /// OV: y W_V W_O W_U for each key token: what the head would write. The bias of values is left out. A final
  /// norm has the gain, and in the row asked about the scale, that it has in this pass.
  std::vector<WrittenWords> written;
  /// The singular values of W_Q W_Kᵀ and W_V W_O, in descending order.
  std::vector<double> qk_singular, ov_singular;
};

/// The most tokens in circuits.
inline constexpr int max_circuit_tokens = 64;

/// Computes the circuits of a head. `row` is the row of the logits that sets the scale of the final norm. The
/// pass must be complete and predict words. A slice is a part of the vocabulary.
Slices<HeadCircuits> head_circuits(const Trace& trace, HeadId head, int row);

}  // namespace headscope
