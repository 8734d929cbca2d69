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

/// The deepest nesting that readers follow, because each level takes room on the stack.
inline constexpr int deepest_nesting = 64;

/// Thrown by a Budget that is used up. within_budget() catches it.
class OverBudget : public std::exception {
 public:
  explicit OverBudget(const char* resource) : resource_(resource) {}
  const char* what() const noexcept override { return resource_; }

 private:
  const char* resource_;
};

/// What work on a stranger's input may cost. A few bytes can repeat, nest, refer and expand to gigabytes or
/// to hours, so the work charges what it makes, and the sum is limited, whatever the reason. Counts the bytes
/// that are allocated, even if they are freed again, and the processor time of the thread that made the
/// budget.
class Budget {
 public:
  /// Memory and time grow with the size of what is read, up to four gigabytes and ten minutes. Parts of a
  /// file, of which there may be many, have no memory beyond that.
  explicit Budget(std::size_t n_input_bytes, std::size_t base_bytes = usual_base_bytes)
      : bytes_(std::min(base_bytes + bytes_per_byte * n_input_bytes, most_bytes)),
        cpu_end_(cpu_now() +
                 std::min<Duration>(base_time + time_per_byte * (std::max(n_input_bytes, bytes_in_base_time) -
                                                                 bytes_in_base_time),
                                    most_time)),
        next_look_(Clock::now() + (cpu_end_ - cpu_now())) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// The budget within which this thread reads. Null if there is none.
  inline static thread_local Budget* current = nullptr;

  /// Charges memory, before it is allocated.
  void take(std::size_t n_bytes) {
    if (n_bytes > bytes_) throw OverBudget("memory");
    bytes_ -= n_bytes;
  }
  /// Charges memory for several objects of equal size, and checks the time.
  void take(std::size_t n, std::size_t size) {
    if (n > bytes_ / size) throw OverBudget("memory");
    take(n * size);
    check_time();
  }
  /// To be called at least once in about a millisecond of work. It takes a few nanoseconds.
  void check_time() {
    // Reading the processor's time takes longer than reading the clock, and no less time can have passed.
    if (Clock::now() < next_look_) return;
    const Duration left = cpu_end_ - cpu_now();
    if (left <= Duration::zero()) throw OverBudget("time");
    next_look_ = Clock::now() + left;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Duration = std::chrono::nanoseconds;

  static constexpr std::size_t usual_base_bytes = std::size_t{384} << 20U;
  static constexpr std::uint64_t bytes_per_byte = 768;
  static constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30U;
  static constexpr Duration base_time = std::chrono::milliseconds(900);
  static constexpr std::size_t bytes_in_base_time = std::size_t{1} << 19U;
  static constexpr Duration time_per_byte = std::chrono::microseconds(2);
  static constexpr Duration most_time = std::chrono::minutes(10);

  static Duration cpu_now() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  }

  std::uint64_t bytes_;
  Duration cpu_end_;
  Clock::time_point next_look_;
};

/// Returns what `work(budget)` returns or, if it uses up the budget, an error that begins with `what`, such
/// as "the text cannot be tokenized", and ends with what to do about it. Nested readers share the outermost
/// budget.
template <class Work>
auto within_budget(Budget budget, const std::string& what, const std::string& cure, Work&& work)
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
    return failure(what + ": it takes too much " + over.what() + " for its size; " + cure);
  }
}

}  // namespace headscope
