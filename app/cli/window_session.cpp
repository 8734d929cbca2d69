#include "app/cli/window_session.h"

#include "core/session/action.h"

namespace headscope {

Session window_session(const Session& session, const FigureChoice& figure, bool names_place) {
  View view = View::explore;
  if (!figure.head) view = View::heads;
  if (!figure.stage) view = View::stages;
  Session next = reduce(session, SetView{view});
  const bool keeps_place = session.model != nullptr && !names_place;
  if (!keeps_place) {
    next = reduce(next, SelectPlace{figure.place.stack, figure.place.layer, figure.place.attention});
  }
  if (figure.stage) next = reduce(next, SelectStage{*figure.stage});
  if (figure.head && !keeps_place) next = reduce(next, SelectHead{*figure.head});
  if (figure.row && figure.column) {
    return reduce(next, PinCell{{figure.main_stage(), *figure.row, *figure.column}});
  }
  return figure.row ? reduce(next, SelectToken{figure.row}) : next;
}

}  // namespace headscope
