#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace headscope {

/// A long computation of a value in slices: a coroutine that, after each slice (a head, a layer, a sentence),
/// yields the share of the whole that is done, from 0 to 1. It begins with the first call of next();
/// destroying it abandons the rest. What the coroutine's reference parameters refer to must outlive it.
template <class Value>
class Slices {
 public:
  struct promise_type {
    double share = 0.0;
    std::optional<Value> value;
    std::exception_ptr thrown;

    Slices get_return_object() { return Slices(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(double done) noexcept {
      share = done;
      return {};
    }
    template <class From>
    void return_value(From&& from) {
      value.emplace(std::forward<From>(from));
    }
    void unhandled_exception() noexcept { thrown = std::current_exception(); }
  };

  Slices(Slices&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Slices& operator=(Slices&& other) noexcept {
    if (this == &other) return *this;
    if (handle_) handle_.destroy();
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }
  Slices(const Slices&) = delete;
  Slices& operator=(const Slices&) = delete;
  ~Slices() {
    if (handle_) handle_.destroy();
  }

  /// Computes the next slice. Returns whether more are left; if not, it must not be called again. What a
  /// slice throws is thrown here, and ends the computation.
  bool next() {
    handle_.resume();
    if (handle_.promise().thrown) std::rethrow_exception(handle_.promise().thrown);
    return !handle_.done();
  }
  double share() const { return handle_.promise().share; }
  /// The value, once next() has returned false.
  Value take() { return std::move(*handle_.promise().value); }
  /// Computes all slices that are left.
  Value finish() {
    while (next()) {
    }
    return take();
  }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Slices(Handle handle) : handle_(handle) {}

  Handle handle_;
};

}  // namespace headscope
