#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// A document as ids: a begin token, its pieces, and an end token.
using DocumentIds = std::vector<int>;

/// Windows of documents, labelled with the next id. A window never spans documents.
class TextExamples final : public ExampleSource {
 public:
  /// `context` is the maximum window length. Skips documents of fewer than two ids; at least one training
  /// document must remain. `n_drawn` is the number of windows drawn in the entire run.
  TextExamples(std::vector<DocumentIds> train, std::vector<DocumentIds> held_out, int vocabulary_size,
               int context, std::size_t n_drawn, std::uint64_t seed);

  int vocabulary_size() const override { return vocabulary_size_; }
  const std::vector<LossPart>& parts() const override { return parts_; }
  int max_length() const override { return context_; }
  Example draw(RandomStream& random, Split split) const override;
  /// Every window occurs once per epoch, in an order that depends only on seed and epoch. Some windows are
  /// replaced by a repeated passage of theirs, because induction heads need repetition to form: every second
  /// window in the first fifth of the run, and one in sixteen afterwards.
  std::vector<Example> batch(RandomStream& random, int step, int size) const override;

  std::size_t n_windows() const { return train_.windows.size(); }
  std::size_t n_ids(Split split) const { return of(split).ids.size(); }

  /// Covers held-out documents by windows with a stride of half the context. Each id is a label only once, in
  /// the first window that predicts it, so that it has at least half the context, or all previous ids.
  std::vector<Example> held_out_windows() const;

 private:
  /// `n` rows from id `first` on; labels are shifted by one.
  struct Window {
    std::size_t first;
    int n;
  };
  /// Concatenated documents with their training windows.
  struct Documents {
    std::vector<int> ids;
    std::vector<std::pair<std::size_t, std::size_t>> bounds;  ///< [first, last) of each document
    std::vector<Window> windows;
  };
  bool is_repeated(std::size_t at) const { return at < n_drawn_ / 5 ? at % 2 == 1 : at % 16 == 15; }
  Documents documents_of(std::vector<DocumentIds> documents) const;
  const Documents& of(Split split) const { return split == Split::train ? train_ : held_out_; }
  static Example example(const Documents& documents, const Window& window, int first_expected = 0);
  Example repeated_passage(const Window& window, RandomStream random) const;

  int vocabulary_size_;
  int context_;
  std::size_t n_drawn_;
  std::uint64_t seed_;
  std::vector<LossPart> parts_{{"next piece", 1.0F}};
  Documents train_, held_out_;
};

}  // namespace headscope
