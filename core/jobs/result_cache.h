#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "core/caught.h"
#include "core/jobs/job_thread.h"
#include "core/result.h"
#include "core/slices.h"

namespace headscope {

/// When unused results are dropped.
enum class Lifetime {
  pass,    ///< When other passes are shown.
  view,    ///< When other passes or another view are shown.
  session  ///< When the question is dropped, or another takes its place.
};

/// A value that holds everything that an answer is computed from. It defines the type `Answer` and the
/// function `answer() const`, which returns an Answer, a Result<Answer> or Slices of either; an exception
/// becomes an error. If its slices may take long, it is `answer(const std::atomic<bool>& stop) const` and
/// should return soon after `stop` becomes true. Optional members:
/// - `static constexpr Lifetime life`, by default Lifetime::pass,
/// - `slot() const`: questions in different slots do not replace each other,
/// - `stand_in() const`: until the answer is found, shows that of the previous question if both have
///   equal stand-ins.
template <class Question>
concept Answerable = std::equality_comparable<Question> && std::copyable<Question> &&
    std::default_initializable<typename Question::Answer>;

/// Caches the result of the last question of each type and slot. A question that replaces another stops its
/// computation. For a single caller.
class ResultCache {
 public:
  template <Answerable Question>
  using ResultOf = Result<typename Question::Answer>;

  /// Returns the result for a question. If it must be computed first, passes the job to `run`, which may run
  /// it at once or later, on any one thread; the result is null until then.
  template <Answerable Question, class Run>
  const ResultOf<Question>* get(const Question& question, const Run& run) {
    const auto entry = used(question);
    if (entry && entry->question == question) return entry->shown();
    const auto started = begin(entry, question);
    run(job_of(started));
    return started->shown();
  }
  /// Returns the result for a question, computing it here if needed. The reference is valid until another
  /// question of the same type and slot is asked.
  template <Answerable Question>
  const ResultOf<Question>& now(const Question& question) {
    const auto entry = used(question);
    if (entry && entry->question == question && entry->is_done) return entry->result;
    const auto started = begin(entry, question);
    finish(job_of(started));
    return started->result;
  }
  /// Returns the result for a question if it has been computed. Null otherwise.
  template <Answerable Question>
  const ResultOf<Question>* ready_result(const Question& question) const {
    const auto entry = find(question);
    return entry && entry->question == question && entry->is_done ? &entry->result : nullptr;
  }
  /// Returns what get() would return for the last question of the same type and slot.
  template <Answerable Question>
  const ResultOf<Question>* shown_in_slot(const Question& question) const {
    const auto entry = find(question);
    return entry ? entry->shown() : nullptr;
  }
  /// The last question of this type. Null if there is none.
  template <Answerable Question>
  const Question* last() const {
    const auto place = std::ranges::find(entries_, std::type_index(typeid(Question)), &Entry::type);
    return place == entries_.end() ? nullptr : &static_cast<const EntryOf<Question>&>(**place).question;
  }
  /// Why a question of this type has no answer. Null if none has failed.
  template <Answerable Question>
  const Error* error_of() const {
    for (const EntryPtr& place : entries_) {
      if (place->type != typeid(Question) || !place->is_done) continue;
      const auto& entry = static_cast<const EntryOf<Question>&>(*place);
      if (!entry.result) return &entry.result.error();
    }
    return nullptr;
  }
  /// Drops the last question of the same type and slot, and stops its computation.
  template <Answerable Question>
  void drop(const Question& question) {
    if (const auto entry = find(question)) std::erase(entries_, EntryPtr(entry));
  }
  /// The progress of a computation, from 0 to 1. Empty if it is finished or was not requested.
  template <Answerable Question>
  std::optional<double> share_of(const Question& question) const {
    const auto entry = find(question);
    if (!entry || !(entry->question == question) || entry->is_done) return std::nullopt;
    return entry->share.load();
  }

  /// Starts a period after which drop_unused() drops everything that was not used in it.
  void mark_all_unused() {
    for (const EntryPtr& place : entries_) place->is_used = false;
  }
  /// Drops results of lifetime `end` or Lifetime::view that were not used since mark_all_unused().
  void drop_unused(Lifetime end) {
    std::erase_if(entries_, [&](const EntryPtr& place) {
      return !place->is_used && (place->life == Lifetime::view || place->life == end);
    });
  }

 private:
  template <class Question>
  static auto computed(const Question& question, const std::atomic<bool>& stop) {
    if constexpr (requires { question.answer(stop); }) {
      return question.answer(stop);
    } else {
      return question.answer();
    }
  }

  template <class Question>
  static constexpr Lifetime life_of() {
    if constexpr (requires { Question::life; }) {
      return Question::life;
    } else {
      return Lifetime::pass;
    }
  }

  struct Entry {
    Entry(std::type_index kind, Lifetime lives) : type(kind), life(lives) {}
    virtual ~Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    std::type_index type;
    Lifetime life;
    bool is_used = true;
    std::atomic<bool> stop{false};
    std::atomic<double> share{0.0};
    std::atomic<bool> is_done{false};  ///< Once set, the result may be read.
  };
  template <class Question>
  struct EntryOf : Entry {
    explicit EntryOf(const Question& asked) : Entry(typeid(Question), life_of<Question>()), question(asked) {}

    const Question question;
    ResultOf<Question> result;
    std::optional<ResultOf<Question>> before;  ///< Stands in for the result.
    /// A started computation in slices.
    std::optional<decltype(computed(std::declval<const Question&>(), std::declval<std::atomic<bool>&>()))>
        made;

    const ResultOf<Question>* shown() const {
      if (is_done) return &result;
      return before ? &*before : nullptr;
    }
  };
  /// Stops the computation when it is released. The job keeps the entry until it ends.
  using EntryPtr = std::shared_ptr<Entry>;

  template <class Question>
  static auto slot_of(const Question& question) {
    if constexpr (requires { question.slot(); }) {
      return question.slot();
    } else {
      return std::monostate();
    }
  }
  template <class Question>
  std::shared_ptr<EntryOf<Question>> find(const Question& question) const {
    for (const EntryPtr& place : entries_) {
      if (place->type != typeid(Question)) continue;
      auto entry = std::static_pointer_cast<EntryOf<Question>>(place);
      if (slot_of(entry->question) == slot_of(question)) return entry;
    }
    return nullptr;
  }
  template <class Question>
  std::shared_ptr<EntryOf<Question>> used(const Question& question) {
    auto entry = find(question);
    if (entry) entry->is_used = true;
    return entry;
  }
  /// Replaces the last entry, which may be null, with a new one.
  template <class Question>
  std::shared_ptr<EntryOf<Question>> begin(const std::shared_ptr<EntryOf<Question>>& last,
                                           const Question& question) {
    auto entry = std::make_shared<EntryOf<Question>>(question);
    if (last) {
      last->stop = true;
      if constexpr (requires { question.stand_in(); }) {
        if (last->shown() != nullptr && last->question.stand_in() == question.stand_in())
          entry->before = *last->shown();
      }
      std::erase(entries_, EntryPtr(last));
    }
    entries_.push_back(EntryPtr(entry.get(), [entry](Entry* dropped) { dropped->stop = true; }));
    return entry;
  }
  template <class Question>
  static Job job_of(const std::shared_ptr<EntryOf<Question>>& entry) {
    return [entry] {
      if (entry->stop) return false;
      try {
        if (compute(*entry)) return true;
      } catch (...) {
        refuse(*entry);
      }
      entry->made.reset();
      entry->is_done = true;
      return false;
    };
  }
  /// Makes the exception that is being handled the result.
  template <class Question>
  static void refuse(EntryOf<Question>& entry) {
    try {
      entry.result = failure(current_exception_message("shorten the sentence, or close other programs"));
    } catch (...) {
      entry.result = failure("no memory");  // It is so short that it needs none.
    }
  }
  /// Computes a slice of an answer. Returns whether more are left.
  template <class Question>
  static bool compute(EntryOf<Question>& entry) {
    if constexpr (requires { entry.made->next(); }) {
      if (!entry.made) entry.made.emplace(computed(entry.question, entry.stop));
      const bool has_more = entry.made->next();
      entry.share = entry.made->share();
      if (!has_more) entry.result = entry.made->take();
      return has_more;
    } else {
      entry.result = computed(entry.question, entry.stop);
      return false;
    }
  }

  std::vector<EntryPtr> entries_;
};

}  // namespace headscope
