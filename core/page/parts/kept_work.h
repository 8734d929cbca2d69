#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/caught.h"
#include "core/trace/trace.h"

namespace headscope {

/// The result of a job for a page.
template <class Value>
struct Work {
  std::atomic<bool> stop{false};      ///< Set when the result is no longer wanted.
  std::atomic<double> progress{0.0};  ///< The share that is done, if the work reports it.
  std::atomic<bool> done{false};      ///< Once set, the members below may be read.
  Value value;
  std::string problem;  ///< Why there is no value. Empty if there is one.
};

/// Keeps the result for the key that was requested last and computes it only if the key changes.
template <class Key, class Value>
class KeptWork {
 public:
  /// Returns the finished work for `key`, or null while it is running. `find(key, work)` fills in the work,
  /// either here or on another thread, as `carry_out` decides.
  template <class CarryOut, class Find>
  const Work<Value>* get(const CarryOut& carry_out, Key key, const Find& find) {
    if (!work_ || !(key == key_)) {
      key_ = std::move(key);
      const auto work = std::make_shared<Work<Value>>();
      work_ = {work.get(), [work](Work<Value>* unwanted) { unwanted->stop = true; }};
      carry_out([work, find, asked = key_] {
        try {
          if (!work->stop) find(asked, *work);
        } catch (...) {
          work->problem = caught_text("shorten the sentence, or close other programs");
        }
        work->done = true;
      });
    }
    return work_->done ? work_.get() : nullptr;
  }
  const Key& key() const { return key_; }
  /// The work that was requested last, if it is finished. Null otherwise.
  const Work<Value>* finished() const { return work_ && work_->done ? work_.get() : nullptr; }
  /// The share of the work for `key` that is done. Empty if it is finished or was not requested.
  std::optional<double> progress_of(const Key& key) const {
    if (!work_ || work_->done || !(key == key_)) return std::nullopt;
    return work_->progress.load();
  }
  void forget() {
    work_.reset();
    key_ = {};
  }

 private:
  Key key_;
  std::shared_ptr<Work<Value>> work_;
};

}  // namespace headscope
