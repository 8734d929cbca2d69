#include "app/shell/autosave.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/checkpoint/saved_session.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr double rest_before_saving = 1.0;  ///< seconds
constexpr double longest_unsaved = 5.0;  ///< seconds, for a session that changes continually, as in training

/// The sessions of killed programs, the newest first. Removes folders without a session.
std::vector<Leftover> leftovers_in(const fs::path& parent) {
  std::vector<Leftover> left;
  for (const fs::path& folder : abandoned_folders(parent)) {
    if (has_session(folder)) {
      left.push_back({folder, kept_sentence(folder), kept_at(folder)});
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
  if (!folder_.empty()) leftovers_ = std::make_shared<const std::vector<Leftover>>(leftovers_in(folder_));
}

double Autosave::keep(const History::Step& session, double now) {
  if (folder_.empty()) return -1.0;
  if (!seen_) {  // the first session is already kept
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
  const double due = std::min(changed_ + rest_before_saving, first_change_ + longest_unsaved);
  if (now < due) return due - now;
  save(session);
  return -1.0;
}

void Autosave::note(const History::Step& session) {
  const std::lock_guard lock(mutex_);
  noted_ = session;
}

void Autosave::rescue(std::chrono::milliseconds patience) {
  {
    const std::lock_guard lock(mutex_);
    if (folder_.empty() || !noted_ || noted_ == written_) return;
    write(noted_);
  }
  thread_.finish_within(patience);
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

void Autosave::discard_leftover(const fs::path& folder) {
  if (auto owned = OwnedFolder::take_over(folder)) owned->remove();
  leave_leftover(folder);
}

void Autosave::leave_leftover(const fs::path& folder) {
  std::vector<Leftover> others = *leftovers_;
  std::erase_if(others, [&](const Leftover& each) { return each.folder == folder; });
  leftovers_ = std::make_shared<const std::vector<Leftover>>(std::move(others));
}

void Autosave::take_leftover(const fs::path& folder) {
  const std::lock_guard lock(mutex_);
  taken_ = folder;
  saved_.reset();  // so that keep() writes the session even if it has not changed
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
