#include "core/session/history.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/model/trained_model.h"
#include "core/session/setting.h"

namespace headscope {

namespace {

/// Returns the step with the tokens of its texts, reusing those in `known`.
History::Step with_texts(const History::Step& step, const Texts& known) {
  Session session = *step;
  session.texts = texts_of(session, session.texts.empty() ? known : session.texts);
  return std::make_shared<const Session>(std::move(session));
}

/// Adds a step and drops the tokens of the one before it: tokens take many times the memory of their text,
/// and there may be a thousand steps.
void push(std::vector<History::Step>& steps, History::Step step) {
  if (!steps.empty() && !steps.back()->texts.empty()) {
    Session session = *steps.back();
    session.texts = {};
    steps.back() = std::make_shared<const Session>(std::move(session));
  }
  steps.push_back(std::move(step));
}

/// Returns `now` with the sentences of `before` and everything that depends on their tokens.
Session with_sentences_of(const Session& before, Session now) {
  now.sentence = before.sentence;
  now.target = before.target;
  now.batch = before.batch;
  now.sequence = before.sequence;
  now.texts = before.texts;
  now.attention = before.attention;
  now.selection.token = before.selection.token;
  now.selection.pin = before.selection.pin;
  now.cover = before.cover;
  return now;
}

}  // namespace

History::History(Session session)
    : present_(with_texts(std::make_shared<const Session>(std::move(session)), {})) {}

void History::apply(const Action& action, bool continues_gesture) {
  if (!continues_gesture) last_key_.clear();
  const UndoRole role = undo_role(action);
  const auto merges = [&](std::string_view key) {
    return role.is_step && !key.empty() && key == last_key_ && can_undo();
  };
  // Tokens are mapped from the start of a run of typing, because a word may temporarily be part of another.
  Session next = merges(role.merge_key) && is_typing(action)
                     ? reduce(with_sentences_of(*past().back(), *present_), action)
                     : reduce(*present_, action);
  if (next == *present_) return;
  const std::string key(role.merges_by_setting ? changed_option(*present_, next) : role.merge_key);
  Step before = std::exchange(present_, std::make_shared<const Session>(std::move(next)));
  if (!role.is_step) return;
  future_ = {};
  if (merges(key)) return drop_empty_step();
  past_.changes_page.push_back(before->view != present_->view);
  push(past_.sessions, std::move(before));
  last_key_ = key;
  drop_oldest();
}

/// Drops the oldest steps that exceed the limits. Always keeps the newest one.
void History::drop_oldest() {
  std::size_t kept = 0;
  double bytes = 0.0;
  // Steps share weights and given numbers.
  std::set<const void*> count_text{nullptr, present_->model.get()};
  for (const GivenMatrix& each : present_->given.all) count_text.insert(each.numbers.get());
  while (kept < std::min(past().size(), max_steps)) {
    const Session& step = *past()[past().size() - 1 - kept];
    const TrainedModel* model = step.model.get();
    if (count_text.insert(model).second) bytes += model->resident_bytes();
    for (const GivenMatrix& each : step.given.all) {
      if (count_text.insert(each.numbers.get()).second)
        bytes += static_cast<double>(each.numbers->values.size() * sizeof(float));
    }
    if (kept > 0 && bytes > max_bytes_of_weights) break;
    ++kept;
  }
  const auto n_dropped = static_cast<std::ptrdiff_t>(past().size() - kept);
  past_.sessions.erase(past_.sessions.begin(), past_.sessions.begin() + n_dropped);
  past_.changes_page.erase(past_.changes_page.begin(), past_.changes_page.begin() + n_dropped);
}

void History::drop_empty_step() {
  if (!can_undo()) return;
  // Recomputed weights of a training differ although the settings are equal.
  Session before = *past().back();
  if (before.task == present_->task && !before.task.empty()) before.model = present_->model;
  if (before != *present_) return;
  present_ = std::move(past_.sessions.back());
  past_.sessions.pop_back();
  past_.changes_page.pop_back();
  last_key_.clear();
}

void History::move_step(Side& from, Side& to) {
  if (from.sessions.empty()) return;
  const Texts known = present_->texts;
  const PageName shown = present_->view;
  const bool changes_page = from.changes_page.back();
  push(to.sessions, std::exchange(present_, with_texts(from.sessions.back(), known)));
  to.changes_page.push_back(changes_page);
  from.sessions.pop_back();
  from.changes_page.pop_back();
  last_key_.clear();
  if (changes_page || present_->view == shown) return;
  Session here = *present_;
  here.view = shown;
  present_ = std::make_shared<const Session>(std::move(here));
}

}  // namespace headscope
