#include "core/session/history.h"

#include <utility>

namespace headscope {

History::History(Session session) : present_(std::move(session)) {}

void History::apply(const Action& action, bool continues_gesture) {
  if (!continues_gesture) last_key_.clear();
  Session next = reduce(present_, action);
  if (next == present_) return;
  const UndoRole role = undo_role(action);
  if (!role.is_step) {
    present_ = std::move(next);
    return;
  }
  future_.clear();
  const bool merges = !role.merge_key.empty() && role.merge_key == last_key_;
  if (merges) {
    present_ = std::move(next);
    drop_empty_step();
    return;
  }
  if (past_.size() == max_steps) past_.erase(past_.begin());
  past_.push_back(std::exchange(present_, std::move(next)));
  last_key_ = role.merge_key;
}

void History::drop_empty_step() {
  if (past_.empty()) return;
  // Weights that training found again are other ones for the same settings.
  Session before = past_.back();
  if (before.task == present_.task && !before.task.empty()) before.model = present_.model;
  if (before != present_) return;
  present_ = std::move(past_.back());
  past_.pop_back();
  last_key_.clear();
}

void History::undo() {
  if (past_.empty()) return;
  future_.push_back(std::exchange(present_, std::move(past_.back())));
  past_.pop_back();
  last_key_.clear();
}

void History::redo() {
  if (future_.empty()) return;
  past_.push_back(std::exchange(present_, std::move(future_.back())));
  future_.pop_back();
  last_key_.clear();
}

}  // namespace headscope
