#pragma once

#include <tuple>
#include <utility>

#include "core/session/action.h"

namespace headscope::test {

/// The group of a session's settings that has this type.
template <class Group>
Group& group_of(Session& s) {
  return std::get<Group&>(std::tie(s.architecture, s.attention, s.picture, s.training, s.sampling, s.heads,
                                   s.lines, s.tiles, s.decoding));
}

/// The action that replaces a group of settings, as opening a file does. The result is repaired as reduce()
/// repairs it.
template <class Group>
Action with(Session session, const Group& group) {
  const Stacks before = session.architecture.stacks;
  group_of<Group>(session) = group;
  reconcile_stacks(session, before);
  return OpenSession{std::move(session)};
}

/// The same architecture at sizes that train instantly.
inline Architecture smallest(Architecture a) {
  a.d_model = 8;
  a.n_heads = 2;
  a.d_ff = 8;
  a.n_layers = 1;
  return a;
}

}  // namespace headscope::test
