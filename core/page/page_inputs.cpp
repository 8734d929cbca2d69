#include "core/page/page_inputs.h"

namespace headscope {

StageId PageInputs::counterpart(const StageId& stage) const {
  if (session.held.empty()) return stage;
  const Selection& mine = session.selection;
  const Selection& other = session.held.front().selection;
  StageId id = stage;
  if (stage.stack == mine.stack) id.stack = other.stack;
  if (stage.layer == mine.layer) id.layer = other.layer;
  if (stage.attention == mine.attention) id.attention = other.attention;
  if (stage.head == mine.head) id.head = other.head;
  return normalized(id);
}

}  // namespace headscope
