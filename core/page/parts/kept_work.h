#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/caught.h"
#include "core/trace/trace.h"

namespace headscope {

/// Whether a pass is still one of those that are shown or held. Null is kept.
using IsKept = std::function<bool(const std::shared_ptr<const Trace>&)>;

/// What a job finds for a page.
template <class Value>
struct Work {
  std::atomic<bool> stop{false};  ///< it is not wanted any more
  std::atomic<bool> done{false};  ///< the rest may be read
  Value value;
  std::string problem;  ///< why there is no value; empty where there is one
};

/// The last that was asked for, found once for equal keys.
template <class Key, class Value>
class KeptWork {
 public:
  /// `find(key, work)` fills in the work, here or on another thread, as `carry_out` does. Null while it is
  /// not done.
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
  void forget() {
    work_.reset();
    key_ = {};
  }

 private:
  Key key_;
  std::shared_ptr<Work<Value>> work_;
};

}  // namespace headscope
