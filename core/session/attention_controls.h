#pragma once

#include <string_view>

#include "core/enum_count.h"
#include "core/session/session.h"

namespace headscope {

/// What the controls of attention and its masks are made from, beside their records.
namespace control {

inline constexpr auto softmax_axes = one_for_each<SoftmaxAxis, std::string_view>("over keys", "over queries");

inline int none(const Session&) {
  return 0;
}

inline std::string_view scale_label(const Session& s) {
  return s.architecture.score_scale > 0.0F ? "Scale the scores" : "Scale by 1/√d_head";
}

/// In linear attention a scale or a temperature would cancel.
inline bool scores_are_scaled(const Session& s) {
  return !s.architecture.linear_attention || s.architecture.score_scale > 0.0F;
}
inline bool has_softmax(const Session& s) {
  return !s.architecture.linear_attention || s.attention.softmax == SoftmaxAxis::queries;
}
inline bool drops(const Session& s) {
  return s.attention.train;
}
template <auto mask>
bool has_window(const Session& s) {
  return (s.attention.*mask).window.has_value();
}

}  // namespace control

/// A prefix is causal behind its first keys, and a causal mask would hide what it shows: of the two, the one
/// that was switched on stays.
template <auto mask>
void settle_causal(Session& session) {
  set_causal(session.attention.*mask, (session.attention.*mask).causal);
}
template <auto mask>
void settle_prefix(Session& session) {
  set_prefix(session.attention.*mask, (session.attention.*mask).prefix);
}

}  // namespace headscope
