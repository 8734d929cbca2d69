#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "core/result.h"

namespace headscope {

/// The maximum nesting depth that parsers accept; each level uses stack space.
inline constexpr int max_nesting_depth = 64;

/// Thrown when a Budget is exhausted, and caught by within_budget().
class OverBudget : public std::exception {
 public:
  explicit OverBudget(const char* resource) : resource_(resource) {}
  const char* what() const noexcept override { return resource_; }

 private:
  const char* resource_;
};

/// Limits the memory and CPU time spent on untrusted input, a few bytes of which can expand to gigabytes or
/// hours of work. Counts all bytes allocated, even if freed again, and the CPU time of the thread that
/// created the budget.
class Budget {
 public:
  /// Both limits grow with the input size, up to 4 GiB and ten minutes. Pass `base_bytes` = 0 for a part of a
  /// file, since there may be many parts.
  explicit Budget(std::size_t n_input_bytes, std::size_t base_bytes = default_base_bytes)
      : bytes_(std::min(base_bytes + bytes_per_byte * n_input_bytes, max_bytes)),
        cpu_end_(cpu_now() +
                 std::min<Duration>(base_time + time_per_byte * (std::max(n_input_bytes, bytes_in_base_time) -
                                                                 bytes_in_base_time),
                                    max_time)),
        next_check_(Clock::now() + (cpu_end_ - cpu_now())) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// The budget of the current thread, or null.
  inline static thread_local Budget* current = nullptr;

  /// Charges memory. Call this before allocating it.
  void take(std::size_t n_bytes) {
    if (n_bytes > bytes_) throw OverBudget("memory");
    bytes_ -= n_bytes;
  }
  /// Charges `n` objects of `size` bytes, and checks the time.
  void take(std::size_t n, std::size_t size) {
    if (n > bytes_ / size) throw OverBudget("memory");
    take(n * size);
    check_time();
  }
  /// Call this at least once per millisecond of work. It costs a few nanoseconds.
  void check_time() {
    // Reading the CPU time is slower than reading the clock, and CPU time never exceeds wall time.
    if (Clock::now() < next_check_) return;
    const Duration left = cpu_end_ - cpu_now();
    if (left <= Duration::zero()) throw OverBudget("time");
    next_check_ = Clock::now() + left;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Duration = std::chrono::nanoseconds;

  static constexpr std::size_t default_base_bytes = std::size_t{384} << 20U;
  static constexpr std::uint64_t bytes_per_byte = 768;
  static constexpr std::uint64_t max_bytes = std::uint64_t{4} << 30U;
  static constexpr Duration base_time = std::chrono::milliseconds(900);
  static constexpr std::size_t bytes_in_base_time = std::size_t{1} << 19U;
  static constexpr Duration time_per_byte = std::chrono::microseconds(2);
  static constexpr Duration max_time = std::chrono::minutes(10);

  static Duration cpu_now() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  }

  std::uint64_t bytes_;
  Duration cpu_end_;
  Clock::time_point next_check_;
};

/// Returns the result of `work(budget)`. If that exhausts the budget, returns an error that begins with
/// `what` ("the text cannot be tokenized") and ends with `advice`. Nested calls share the outermost budget.
template <class Work>
auto within_budget(Budget budget, const std::string& what, const std::string& advice, Work&& work)
    -> decltype(work(std::declval<Budget&>())) {
  if (Budget::current != nullptr) return work(*Budget::current);
  struct Ending {
    ~Ending() { Budget::current = nullptr; }
  };
  try {
    const Ending ending;
    Budget::current = &budget;
    return work(budget);
  } catch (const OverBudget& over) {
    return failure(what + ": it takes too much " + over.what() + " for its size; " + advice);
  }
}

}  // namespace headscope
