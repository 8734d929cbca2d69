#include "app/shell/autosave.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/checkpoint/saved_session.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr double save_debounce = 1.0;  ///< seconds
constexpr double max_unsaved = 5.0;    ///< seconds, for a session that changes continually, as in training

/// The sessions of killed processes, newest first.
std::vector<RecoverableSession> recoverable_sessions_in(const fs::path& parent) {
  std::vector<RecoverableSession> left;
  for (const fs::path& folder : abandoned_folders(parent)) {
    if (has_session(folder)) {
      left.push_back({folder, saved_sentence(folder), saved_at(folder)});
    } else if (auto owned = OwnedFolder::take_over(folder)) {
      owned->remove();
    }
  }
  std::ranges::reverse(left);
  return left;
}

}  // namespace

Autosave::Autosave(fs::path folder)
    : folder_(std::move(folder)), thread_(JobThread::Order::newest, [this](const std::string& what) {
        const std::lock_guard lock(mutex_);
        complaint_ = what;
      }) {
  if (!folder_.empty())
    recoverable_sessions_ =
        std::make_shared<const std::vector<RecoverableSession>>(recoverable_sessions_in(folder_));
}

double Autosave::keep(const History::Step& session, double now) {
  if (folder_.empty()) return -1.0;
  if (!seen_) {  // the first session is already saved
    seen_ = session;
    saved_ = session;
    const std::lock_guard lock(mutex_);
    written_ = session;
  }
  if (session != seen_) {
    if (seen_ == saved_) first_change_ = now;
    seen_ = session;
    changed_ = now;
  }
  if (seen_ == saved_) return -1.0;
  const double due = std::min(changed_ + save_debounce, first_change_ + max_unsaved);
  if (now < due) return due - now;
  save(session);
  return -1.0;
}

void Autosave::note(const History::Step& session) {
  const std::lock_guard lock(mutex_);
  noted_ = session;
}

void Autosave::rescue(std::chrono::milliseconds timeout) {
  {
    const std::lock_guard lock(mutex_);
    if (folder_.empty() || !noted_ || noted_ == written_) return;
    write(noted_);
  }
  thread_.finish_within(timeout);
}

void Autosave::save(const History::Step& session) {
  saved_ = session;
  write(session);
}

void Autosave::write(const History::Step& session) {
  thread_.submit([this, session] {
    Result<void> saved;
    if (!own_) {
      auto made = OwnedFolder::make(folder_);
      if (made) {
        own_.emplace(std::move(*made));
      } else {
        saved = tl::unexpected(made.error());
      }
    }
    if (saved) saved = save_session(own_->path(), *session);
    const std::lock_guard lock(mutex_);
    if (saved) written_ = session;
    if (!saved) {
      complaint_ = saved.error().message;
    } else if (const auto taken = std::exchange(taken_, std::nullopt)) {
      std::error_code ignored;
      fs::remove_all(*taken, ignored);
    }
    return false;
  });
}

std::string Autosave::take_complaint() {
  const std::lock_guard lock(mutex_);
  if (complaint_.empty() || std::exchange(has_complained_, true)) return {};
  return "The session cannot be saved to recover from a crash: " + complaint_;
}

void Autosave::discard_recoverable(const fs::path& folder) {
  if (auto owned = OwnedFolder::take_over(folder)) owned->remove();
  withdraw_recoverable(folder);
}

void Autosave::withdraw_recoverable(const fs::path& folder) {
  std::vector<RecoverableSession> others = *recoverable_sessions_;
  std::erase_if(others, [&](const RecoverableSession& each) { return each.folder == folder; });
  recoverable_sessions_ = std::make_shared<const std::vector<RecoverableSession>>(std::move(others));
}

void Autosave::adopt_recoverable(const fs::path& folder) {
  const std::lock_guard lock(mutex_);
  taken_ = folder;
  saved_.reset();  // forces keep() to save the session
  written_.reset();
}

void Autosave::finish() {
  {
    const std::lock_guard lock(mutex_);
    noted_.reset();
  }
  thread_.finish();
  std::error_code ignored;
  if (taken_) fs::remove_all(*taken_, ignored);
  taken_.reset();
  if (own_) own_->remove();
  own_.reset();
}

}  // namespace headscope
