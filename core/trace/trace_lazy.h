#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/pass.h"
#include "core/trace/stage_record.h"
#include "core/trace/trace.h"

namespace headscope {

/// Caches the values that were asked for most recently.
template <class Key, class Value>
class Recent {
 public:
  explicit Recent(std::size_t most) : most_(most) {}

  /// Returns the value of the key. The first caller makes it and the others wait. It lives as long as
  /// a caller holds it.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    const std::shared_ptr<Entry> entry = entry_of(key);
    const std::lock_guard making(entry->mutex);
    if (!entry->value) {
      entry->value = make();
      entry->is_made = true;
    }
    return entry->value;
  }
  /// Drops all entries that belong together neither with `key` nor with the entry that was asked for last.
  template <class Together>
  void keep_two_groups(const Key& key, const Together& together) {
    const std::lock_guard lock(mutex_);
    if (entries_.empty()) return;
    const Key last = entries_.front().first;
    std::erase_if(entries_, [&](const auto& entry) {
      return !together(entry.first, key) && !together(entry.first, last);
    });
  }
  bool has(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(entries_, key, &Entries::value_type::first);
    return found != entries_.end() && found->second->is_made;
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<const Value> value;
    std::atomic<bool> is_made{false};
  };
  using Entries = std::vector<std::pair<Key, std::shared_ptr<Entry>>>;

  std::shared_ptr<Entry> entry_of(const Key& key) {
    const std::lock_guard lock(mutex_);
    auto found = std::ranges::find(entries_, key, &Entries::value_type::first);
    if (found == entries_.end()) {
      if (entries_.size() == most_) entries_.pop_back();
      found = entries_.insert(entries_.end(), {key, std::make_shared<Entry>()});
    }
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().second;
  }

  std::size_t most_;
  mutable std::mutex mutex_;
  Entries entries_;  ///< the most recently requested entry first
};

/// The numbers that a pass did not keep or did not need, computed on first access. Computing one may access
/// another.
struct Trace::Lazy {
  template <class Value>
  struct Entry {
    std::mutex mutex;
    std::optional<Value> value;
  };
  template <class Key, class Value>
  using Entries = std::map<Key, Entry<Value>>;

  std::mutex mutex;  ///< guards the maps of entries, not the entries
  Entries<StageId, OwnedMatrix> stages;
  Entries<StageId, StageStats> stats;
  /// Only one is kept, because a layer may be larger than everything that the pass keeps of it.
  Recent<std::pair<Stack, int>, WholeLayer> layers{1};
  Recent<std::pair<Stack, int>, WholeLayer> projections{2};  ///< those of self-attention
  Recent<StageId, RowMaker> row_makers{16};  ///< of at most two layers, which they keep in memory
  Recent<StageId, Matrix> weights{16};       ///< of at most two layers, or of the whole model

  std::once_flag guesses_found;
  Guesses guesses;

  /// Returns the value of the entry. The first caller makes it and the others wait. Null if `make` returned
  /// no value; the next caller then tries again.
  template <class Key, class Value, class Make>
  const Value* get(Entries<Key, Value>& entries, const Key& key, const Make& make) {
    std::unique_lock lock(mutex);
    Entry<Value>& entry = entries[key];
    lock.unlock();
    const std::lock_guard making(entry.mutex);
    if (!entry.value) entry.value = make();
    return entry.value ? &*entry.value : nullptr;
  }
  /// The same if the value was made before. Null if it was not, or is being made.
  template <class Key, class Value>
  const Value* find(Entries<Key, Value>& entries, const Key& key) {
    const std::lock_guard lock(mutex);
    const auto found = entries.find(key);
    if (found == entries.end()) return nullptr;
    const std::unique_lock looking(found->second.mutex, std::try_to_lock);
    return looking && found->second.value ? &*found->second.value : nullptr;
  }
};

}  // namespace headscope
