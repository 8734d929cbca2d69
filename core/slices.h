#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "core/result.h"

namespace headscope {

/// A long computation that runs in slices: a coroutine that yields its progress (0 to 1) after each slice (a
/// head, a layer, a sentence). It starts with the first call of next(); destroying it cancels the rest.
/// Objects that the coroutine takes by reference must outlive it. An error that it throws is the value if
/// that is a Result.
template <class Value>
class Slices {
 public:
  struct promise_type {
    double share = 0.0;
    std::optional<Value> value;
    std::exception_ptr exception;

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
    void unhandled_exception() noexcept {
      exception = std::current_exception();
      if constexpr (requires { value->error(); }) {
        try {
          std::rethrow_exception(exception);
        } catch (const tl::bad_expected_access<Error>& thrown) {
          value.emplace(tl::unexpected(thrown.error()));
          exception = nullptr;
        } catch (...) {  // The caller of next() gets it.
        }
      }
    }
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

  /// Runs the next slice. Returns whether there are more; must not be called again after returning false.
  /// Rethrows any exception of the slice, which ends the computation.
  bool next() {
    handle_.resume();
    if (handle_.promise().exception) std::rethrow_exception(handle_.promise().exception);
    return !handle_.done();
  }
  double share() const { return handle_.promise().share; }
  /// Moves out the value. Requires that next() has returned false.
  Value take() { return std::move(*handle_.promise().value); }
  /// Runs all remaining slices and returns the value.
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
