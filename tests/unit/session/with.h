#pragma once

#include <utility>

#include "core/session/action.h"

namespace headscope::test {

// Actions that give a session a whole group of settings, as opening a file does. What reduce() repairs is
// repaired.

inline Action with(Session session, const Architecture& architecture) {
  settle_stacks(session, std::exchange(session.architecture, architecture).stacks);
  return OpenSession{std::move(session)};
}
inline Action with(Session session, const AttentionOptions& attention) {
  session.attention = attention;
  return OpenSession{std::move(session)};
}
inline Action with(Session session, const PictureOptions& picture) {
  session.picture = picture;
  return OpenSession{std::move(session)};
}
inline Action with(Session session, const TrainingSettings& training) {
  session.training = training;
  return OpenSession{std::move(session)};
}
inline Action with(Session session, const Sampling& sampling) {
  session.sampling = sampling;
  return OpenSession{std::move(session)};
}
inline Action with(Session session, const HeadsOptions& heads) {
  session.heads = heads;
  return OpenSession{std::move(session)};
}
inline Action with(Session session, const LinesOptions& lines) {
  session.lines = lines;
  return OpenSession{std::move(session)};
}
inline Action with(Session session, const TilesOptions& tiles) {
  session.tiles = tiles;
  return OpenSession{std::move(session)};
}
inline Action with(Session session, const DecodingOptions& decoding) {
  session.decoding = decoding;
  return OpenSession{std::move(session)};
}

}  // namespace headscope::test
