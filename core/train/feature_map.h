#pragma once

#include "core/tensor/linear_attention.h"
#include "core/train/attention.h"

namespace headscope {

/// Applies φ in place to the queries and keys of linear attention.
template <class Scalar>
void map_features(const HeadPlan& plan, HeadState<Scalar>& state) {
  if (!plan.architecture.linear_attention) return;
  elu_plus_one(state.query.data(), state.query.size(), state.query.data());
  elu_plus_one(state.key.data(), state.key.size(), state.key.data());
}

/// Turns the gradients with respect to mapped queries and keys, in place, into those with respect to the
/// unmapped ones.
template <class Scalar>
void map_features_backward(const HeadPlan& plan, const HeadState<Scalar>& state, Rows<Scalar>& d_query,
                           Rows<Scalar>& d_key) {
  if (!plan.architecture.linear_attention) return;
  elu_plus_one_backward(state.query.data(), state.query.size(), d_query.data());
  elu_plus_one_backward(state.key.data(), state.key.size(), d_key.data());
}

}  // namespace headscope
