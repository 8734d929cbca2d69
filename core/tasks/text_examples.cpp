#include "core/tasks/text_examples.h"

#include <algorithm>
#include <numeric>

namespace headscope {

TextExamples::TextExamples(std::vector<DocumentIds> train, std::vector<DocumentIds> held_out,
                           int vocabulary_size, int context, std::size_t n_drawn, std::uint64_t seed)
    : vocabulary_size_(vocabulary_size),
      context_(context),
      n_drawn_(n_drawn),
      seed_(seed),
      train_(documents_of(std::move(train))),
      held_out_(documents_of(std::move(held_out))) {}

TextExamples::Documents TextExamples::documents_of(std::vector<DocumentIds> documents) const {
  const auto context = static_cast<std::size_t>(context_);
  Documents all;
  for (DocumentIds& document : documents) {
    if (document.size() < 2) continue;
    const std::size_t first = all.ids.size();
    all.ids.insert(all.ids.end(), document.begin(), document.end());
    all.bounds.emplace_back(first, all.ids.size());
    const std::size_t n_rows = document.size() - 1;
    for (std::size_t row = 0; row < n_rows; row += context) {
      // The last window of a long document has full length and overlaps the previous one.
      const std::size_t begin = n_rows <= context ? 0 : std::min(row, n_rows - context);
      all.windows.push_back({first + begin, static_cast<int>(std::min(context, n_rows - begin))});
    }
    document = {};
  }
  return all;
}

Example TextExamples::example(const Documents& documents, const Window& window, int first_expected) {
  const auto begin = documents.ids.begin() + static_cast<std::ptrdiff_t>(window.first);
  Example example;
  example.source.assign(begin, begin + window.n);
  example.expected.assign(begin + 1, begin + 1 + window.n);
  example.parts.assign(example.expected.size(), 1U);
  std::fill_n(example.expected.begin(), first_expected, -1);
  std::fill_n(example.parts.begin(), first_expected, std::uint8_t{0});
  return example;
}

Example TextExamples::repeated_passage(const Window& window, RandomStream random) const {
  const auto n = static_cast<std::size_t>(window.n);
  const std::size_t max_length = std::max(n / 2, std::size_t{1});
  const std::size_t min_length = std::min(max_length, std::size_t{8});
  const std::size_t length = min_length + draw_below(random, max_length - min_length + 1);
  const std::size_t passage = window.first + 1 + draw_below(random, n - length + 1);
  Example example;
  // Begins with the window's first id, usually the begin token.
  example.source.push_back(train_.ids[window.first]);
  for (std::size_t i = 0; i < n; ++i) example.expected.push_back(train_.ids[passage + i % length]);
  example.source.insert(example.source.end(), example.expected.begin(), example.expected.end() - 1);
  example.parts.assign(n, 1U);
  return example;
}

Example TextExamples::draw(RandomStream& random, Split split) const {
  return example(of(split), draw_one(random, of(split).windows));
}

std::vector<Example> TextExamples::batch(RandomStream& /*random*/, int step, int size) const {
  const std::size_t n = train_.windows.size();
  std::vector<std::size_t> order(n);
  std::vector<Example> examples;
  const auto first = static_cast<std::size_t>(step) * static_cast<std::size_t>(size);
  for (std::size_t at = first; at < first + static_cast<std::size_t>(size); ++at) {
    if (at == first || at % n == 0) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      RandomStream shuffled(seed_ + at / n, "order of windows");
      for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[draw_below(shuffled, i)]);
    }
    const Window& window = train_.windows[order[at % n]];
    examples.push_back(is_repeated(at)
                           ? repeated_passage(window, RandomStream(seed_ + at, "repeated passage"))
                           : example(train_, window));
  }
  return examples;
}

std::vector<Example> TextExamples::held_out_windows() const {
  const auto stride = static_cast<std::size_t>(std::max(context_ / 2, 1));
  std::vector<Example> examples;
  for (const auto& [first, last] : held_out_.bounds) {
    const std::size_t n_rows = last - first - 1;
    std::size_t n_expected = 0;
    for (std::size_t row = 0; n_expected < n_rows; row += stride) {
      const std::size_t n = std::min(static_cast<std::size_t>(context_), n_rows - row);
      examples.push_back(
          example(held_out_, {first + row, static_cast<int>(n)}, static_cast<int>(n_expected - row)));
      n_expected = row + n;
    }
  }
  return examples;
}

}  // namespace headscope
