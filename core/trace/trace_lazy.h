#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/model/head_maps.h"
#include "core/model/pass.h"
#include "core/trace/stage_record.h"
#include "core/trace/trace.h"

namespace headscope {

/// What a pass did not keep or did not need, computed when somebody first looks at it. One may be computed
/// from another.
struct Trace::Lazy {
  template <class Value>
  struct Entry {
    std::mutex mutex;
    std::optional<Value> value;
  };
  template <class Key, class Value>
  using Entries = std::map<Key, Entry<Value>>;

  std::mutex mutex;  ///< of the maps of entries, not of these
  Entries<StageId, Matrix> stages;
  Entries<StageId, StageStats> stats;
  Entries<std::pair<Stack, int>, WholeLayer> layers;
  Entries<std::pair<Stack, int>, WholeLayer> queries_and_keys;  ///< of self-attention

  /// The entry's value, made by the first who asks; the others wait for it. Null where `make` gave nothing,
  /// which the next who asks tries again.
  template <class Key, class Value, class Make>
  const Value* get(Entries<Key, Value>& entries, const Key& key, const Make& make) {
    std::unique_lock lock(mutex);
    Entry<Value>& entry = entries[key];
    lock.unlock();
    const std::lock_guard making(entry.mutex);
    if (!entry.value) entry.value = make();
    return entry.value ? &*entry.value : nullptr;
  }
};

}  // namespace headscope
