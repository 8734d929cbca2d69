#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// A document as ids: one that begins the text, its pieces, and one that ends it.
using DocumentIds = std::vector<int>;

/// Windows of documents, in which each row wants the next id of its document. A window never reaches into
/// another document.
class TextExamples final : public ExampleSource {
 public:
  /// `context` is the most rows of a window. Documents of fewer than two ids are left out; there must be
  /// others to train on. `n_drawn` is the number of windows that the whole run draws.
  TextExamples(std::vector<DocumentIds> train, std::vector<DocumentIds> held_out, int vocabulary_size,
               int context, std::size_t n_drawn, std::uint64_t seed);

  int vocabulary_size() const override { return vocabulary_size_; }
  const std::vector<LossPart>& parts() const override { return parts_; }
  int longest() const override { return context_; }
  Example draw(RandomStream& random, Split split) const override;
  /// Every window comes once in each epoch, in an order that depends only on the seed and the epoch. Some are
  /// a passage of their window, over and over: text says most things once, and heads that look for what
  /// followed last time (induction) need text that says them again. It is every second window in the first
  /// fifth of the run, in which these heads form, and one in sixteen afterwards, which keeps them.
  std::vector<Example> batch(RandomStream& random, int step, int size) const override;

  std::size_t n_windows() const { return train_.windows.size(); }
  std::size_t n_ids(Split split) const { return of(split).ids.size(); }

  /// Covers each held-out document by windows that advance by half the context. An id is wanted only in the
  /// first window that predicts it, so that it follows at least half the context, or all ids before it.
  std::vector<Example> held_out_windows() const;

 private:
  /// `n` rows from the id `first` on; the wanted ids are one further.
  struct Window {
    std::size_t first;
    int n;
  };
  /// Documents one after another, with their windows for training.
  struct Documents {
    std::vector<int> ids;
    std::vector<std::pair<std::size_t, std::size_t>> bounds;  ///< The first and one past the last id of each.
    std::vector<Window> windows;
  };
  bool is_repeated(std::size_t at) const { return at < n_drawn_ / 5 ? at % 2 == 1 : at % 16 == 15; }
  Documents documents_of(std::vector<DocumentIds> documents) const;
  const Documents& of(Split split) const { return split == Split::train ? train_ : held_out_; }
  static Example example(const Documents& documents, const Window& window, int first_wanted = 0);
  Example repeated_passage(const Window& window, RandomStream random) const;

  int vocabulary_size_;
  int context_;
  std::size_t n_drawn_;
  std::uint64_t seed_;
  std::vector<LossPart> parts_{{"next piece", 1.0F}};
  Documents train_, held_out_;
};

}  // namespace headscope
