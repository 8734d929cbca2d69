#include "core/model/mask.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

std::string shape_of(const LoadedMask& mask) {
  if (mask.heads_or_sequences) return shape_text({mask.n_heads, mask.rows, mask.cols});
  if (mask.n_heads == 1 && mask.n_sequences == 1) return shape_text({mask.rows, mask.cols});
  return shape_text({mask.n_sequences, mask.n_heads, mask.rows, mask.cols});
}

std::string transposed_axes(std::string axes) {
  for (char& axis : axes) axis = axis == 'i' ? 'j' : axis == 'j' ? 'i' : axis;
  return axes;
}

/// Whether the first of a file's three dimensions counts the sequences of a batch.
bool counts_sequences(const LoadedMask& mask, const MaskSizes& sizes) {
  return mask.heads_or_sequences && mask.n_heads == sizes.n_sequences && mask.n_heads != sizes.n_heads;
}

int heads_of(const LoadedMask& mask, const MaskSizes& sizes) {
  return counts_sequences(mask, sizes) ? 1 : mask.n_heads;
}

std::string matching_shapes(const MaskSizes& sizes) {
  const int t = sizes.n_queries;
  const int s = sizes.n_keys;
  const int h = sizes.n_heads;
  const int b = sizes.n_sequences;
  const std::string maps = shape_text({t, s}) + " (queries, keys), " + shape_text({1, s});
  if (b == 1) return maps + " or " + shape_text({h, t, s}) + " (heads first)";
  const std::string per_head = b == h ? shape_text({1, h, t, s}) : shape_text({h, t, s});
  const std::string per_sequence = b == h ? shape_text({b, 1, t, s}) : shape_text({b, t, s});
  return maps + ", " + per_head + " (for each head), " + per_sequence + " (for each sentence) or " +
         shape_text({b, h, t, s}) + " (batch first, then heads)";
}

/// Checks that the first dimension is unambiguous: the numbers of heads and sequences must differ.
Result<void> check_meaning(const LoadedMask& mask, const MaskSizes& sizes) {
  const int n = mask.n_heads;
  const bool several = mask.heads_or_sequences && n > 1;
  if (!several || n != sizes.n_heads || n != sizes.n_sequences) return {};
  return failure(
      "the mask " + mask.name + " has the shape " + shape_of(mask) +
      ", but the heads and the sentences of the batch both number " + std::to_string(n) + ": save it as " +
      shape_text({1, n, mask.rows, mask.cols}) + " if it has a map for each head (mask[None]), as " +
      shape_text({n, 1, mask.rows, mask.cols}) + " if it has one for each sentence (mask[:, None])");
}

Result<void> check_shape(const LoadedMask& mask, const MaskSizes& sizes) {
  const int n_heads = heads_of(mask, sizes);
  const bool fits = mask.cols == sizes.n_keys && (mask.rows == sizes.n_queries || mask.rows == 1) &&
                    (n_heads == 1 || n_heads == sizes.n_heads) &&
                    (mask.n_sequences == 1 || mask.n_sequences == sizes.n_sequences);
  if (fits) return check_meaning(mask, sizes);
  const bool other_way_fits = mask.rows == sizes.n_keys && mask.cols == sizes.n_queries;
  return failure("the mask " + mask.name + " has the shape " + shape_of(mask) + ", but this pass needs " +
                 matching_shapes(sizes) +
                 (other_way_fits
                      ? ". It fits with keys as rows: if that is how it was written, use --mask-axes " +
                            transposed_axes(mask.axes) + ", or swap its axes in the window"
                      : ""));
}

/// The index of a map among all maps of the file.
std::size_t map_index(const LoadedMask& mask, const MaskSizes& sizes, int head) {
  if (counts_sequences(mask, sizes)) return static_cast<std::size_t>(sizes.sequence);
  const auto b = static_cast<std::size_t>(mask.n_sequences == 1 ? 0 : sizes.sequence);
  const auto h = static_cast<std::size_t>(mask.n_heads == 1 ? 0 : head);
  return b * static_cast<std::size_t>(mask.n_heads) + h;
}

float loaded_value(const LoadedMask& mask, const MaskSizes& sizes, int head, Cell cell) {
  const auto row = static_cast<std::size_t>(mask.rows == 1 ? 0 : cell.query);
  const std::size_t line = map_index(mask, sizes, head) * static_cast<std::size_t>(mask.rows) + row;
  return mask.values[line * static_cast<std::size_t>(mask.cols) + static_cast<std::size_t>(cell.key)];
}

/// The query's own position among the keys.
std::int64_t place_of(const MaskSizes& sizes, Cell cell) {
  return std::int64_t{cell.query} + sizes.query_offset;
}

/// The signed distance of a key from the query; negative if the key precedes it.
std::int64_t keys_ahead(const MaskSizes& sizes, Cell cell) {
  return cell.key - place_of(sizes, cell);
}

std::int64_t distance_of(const MaskSizes& sizes, Cell cell) {
  return std::abs(keys_ahead(sizes, cell));
}

/// The index of the document of a token.
std::ptrdiff_t document_of(const MaskSpec& spec, std::int64_t token) {
  return std::ranges::upper_bound(spec.documents, token) - spec.documents.begin();
}

/// The index of the block of a position; negative before the first key.
std::int64_t block_of(const MaskSpec& spec, std::int64_t place) {
  const int size = *spec.block;
  return place >= 0 ? place / size : -((-place + size - 1) / size);
}

/// A range that may exceed the existing keys.
struct OpenRange {
  std::int64_t first = 0, last = 0;
  void limit(std::int64_t from, std::int64_t to) {
    first = std::max(first, from);
    last = std::min(last, to);
  }
  KeyRange range() const { return {static_cast<int>(first), static_cast<int>(std::max(first, last))}; }
};

/// The keys visible to a query under all rules except dilation. Windows do not hide the first keys.
std::vector<KeyRange> ranges_by_rule(const MaskSpec& spec, const MaskSizes& sizes, int query) {
  const std::int64_t place = place_of(sizes, {query, 0});
  OpenRange keys{0, sizes.n_keys};
  if (spec.causal) keys.limit(0, place + 1);
  if (spec.prefix) keys.limit(0, std::max<std::int64_t>(*spec.prefix, place + 1));
  if (spec.block) keys.limit(block_of(spec, place) * *spec.block, (block_of(spec, place) + 1) * *spec.block);
  if (!spec.documents.empty()) {
    const std::ptrdiff_t document = document_of(spec, place);
    if (document > 0) keys.limit(spec.documents[static_cast<std::size_t>(document) - 1], keys.last);
    if (document < std::ssize(spec.documents))
      keys.limit(0, spec.documents[static_cast<std::size_t>(document)]);
  }
  std::vector<KeyRange> ranges;
  OpenRange near = keys;
  if (spec.window) near.limit(place - *spec.window, place + *spec.window + 1);
  if (sizes.sliding) near.limit(place - *sizes.sliding + 1, place + *sizes.sliding);
  if (spec.window || sizes.sliding) keys.limit(0, spec.first_keys.value_or(0));
  add_range(keys.range(), ranges);
  add_range(near.range(), ranges);
  return ranges;
}

void remove_key(int key, std::vector<KeyRange>& ranges) {
  const auto after = std::ranges::upper_bound(ranges, key, {}, &KeyRange::first);
  if (after == ranges.begin() || key >= std::prev(after)->last) return;
  const auto range = std::prev(after);
  const KeyRange behind{key + 1, range->last};
  range->last = key;
  const auto next = range->first == range->last ? ranges.erase(range) : after;
  if (behind.first < behind.last) ranges.insert(next, behind);
}

/// Appends the row of a query.
void add_query(const MaskSpec& spec, const MaskSizes& sizes, int head, int query, KeyMask& visible) {
  std::vector<KeyRange> ranges = ranges_by_rule(spec, sizes, query);
  for (const int key : spec.padding) remove_key(key, ranges);
  const auto painted = std::ranges::equal_range(spec.painted, query, {}, &Cell::query);
  for (const Cell& cell : painted) remove_key(cell.key, ranges);
  for (const auto& loaded : spec.loaded) {
    if (loaded->additive) continue;
    std::vector<KeyRange> shown;
    for (const KeyRange& range : ranges) {
      for (int key = range.first; key < range.last; ++key) {
        if (loaded_value(*loaded, sizes, head, {query, key}) != 0.0F) add_range({key, key + 1}, shown);
      }
    }
    ranges = std::move(shown);
  }
  visible.add_row(ranges, static_cast<int>(place_of(sizes, {query, 0})));
}

/// Summed in double precision, so that partial sums cannot overflow.
double sum_of_additive(const MaskSpec& spec, const MaskSizes& sizes, int head, Cell cell) {
  double sum = 0.0;
  for (const auto& loaded : spec.loaded) {
    if (loaded->additive) sum += static_cast<double>(loaded_value(*loaded, sizes, head, cell));
  }
  return sum;
}

tl::unexpected<Error> cannot_be_added(const MaskSpec& spec, bool is_nan, Cell cell) {
  std::string names;
  for (const auto& loaded : spec.loaded) {
    if (loaded->additive) names += (names.empty() ? "" : " and ") + loaded->name;
  }
  return failure("adding " + names + " to the score of query " + std::to_string(cell.query) + ", key " +
                 std::to_string(cell.key) + " gives " + (is_nan ? "NaN" : "+∞") +
                 ", which softmax turns into NaN: use 0 where a query may attend and −∞ where not");
}

Result<void> fill_added(const MaskSpec& spec, const MaskSizes& sizes, int head, CombinedMask& mask) {
  constexpr double largest = std::numeric_limits<float>::max();
  for (int query = 0; query < mask.rows; ++query) {
    for (int key = 0; key < mask.cols; ++key) {
      const double sum = sum_of_additive(spec, sizes, head, {query, key});
      if (!(sum <= largest)) return cannot_be_added(spec, std::isnan(sum), {query, key});
      mask.added[mask.index(head, query, key)] = sum < -largest ? minus_infinity : static_cast<float>(sum);
    }
  }
  return {};
}

}  // namespace

void set_causal(MaskSpec& spec, bool on) {
  spec.causal = on;
  if (on) spec.prefix.reset();
}

void set_prefix(MaskSpec& spec, std::optional<int> length) {
  spec.prefix = length;
  if (length) spec.causal = false;
}

void add_documents(MaskSpec& spec, const std::vector<int>& ends, int n_tokens) {
  spec.documents.reserve(spec.documents.size() + ends.size());
  for (const int end : ends) spec.documents.push_back(end + 1);
  std::ranges::sort(spec.documents);
  spec.documents.erase(std::unique(spec.documents.begin(), spec.documents.end()), spec.documents.end());
  std::erase_if(spec.documents, [n_tokens](int first) { return first >= n_tokens; });
}

std::vector<int> rows_without_keys(const CombinedMask& mask, int head) {
  std::vector<int> rows;
  if (mask.visible.empty() && mask.added.empty()) return rows;
  for (int query = 0; query < mask.rows; ++query) {
    bool sees_a_key = false;
    for (int key = 0; key < mask.cols && !sees_a_key; ++key) {
      sees_a_key = mask.sees(head, query, key);
    }
    if (!sees_a_key) rows.push_back(query);
  }
  return rows;
}

LoadedMask transposed(const LoadedMask& mask) {
  LoadedMask result = mask;
  result.axes = transposed_axes(mask.axes);
  std::swap(result.rows, result.cols);
  const auto rows = static_cast<std::size_t>(mask.rows);
  const auto cols = static_cast<std::size_t>(mask.cols);
  const std::size_t cells = rows * cols;
  for (std::size_t i = 0; i < mask.values.size(); ++i) {
    const std::size_t cell = i % cells;
    result.values[i - cell + cell % cols * rows + cell / cols] = mask.values[i];
  }
  return result;
}

bool could_be_transposed(const LoadedMask& mask) {
  return mask.rows == mask.cols && transposed(mask).values != mask.values;
}

Result<CombinedMask> combine(const MaskSpec& spec, float value, const MaskSizes& sizes) {
  CombinedMask mask;
  mask.rows = sizes.n_queries;
  mask.cols = sizes.n_keys;
  mask.value = value;
  if (!spec.hides_anything() && !sizes.sliding) return mask;
  for (const auto& loaded : spec.loaded) {
    if (auto ok = check_shape(*loaded, sizes); !ok) return tl::unexpected(ok.error());
    mask.n_heads = std::max(mask.n_heads, heads_of(*loaded, sizes));
  }
  const std::size_t cells = static_cast<std::size_t>(mask.n_heads) * static_cast<std::size_t>(mask.rows) *
                            static_cast<std::size_t>(mask.cols);
  const auto is_additive = [](const auto& loaded) { return loaded->additive; };
  const bool additive = std::ranges::any_of(spec.loaded, is_additive);
  const bool boolean = spec.hides_by_rule() || sizes.sliding || !spec.padding.empty() ||
                       !spec.painted.empty() || !std::ranges::all_of(spec.loaded, is_additive);
  if (boolean) mask.visible = KeyMask(spec.dilation.value_or(1));
  if (additive) mask.added.resize(cells);
  for (int head = 0; head < mask.n_heads; ++head) {
    for (int query = 0; boolean && query < mask.rows; ++query)
      add_query(spec, sizes, head, query, mask.visible);
    if (!additive) continue;
    if (auto ok = fill_added(spec, sizes, head, mask); !ok) return tl::unexpected(ok.error());
  }
  return mask;
}

std::string why_hidden(const MaskSpec& spec, const MaskSizes& sizes, int head, Cell cell) {
  const std::string at =
      sizes.query_offset == 0 ? "" : ", whose position is " + std::to_string(cell.query + sizes.query_offset);
  const std::string query = std::to_string(cell.query) + at;
  const std::string key = std::to_string(cell.key);
  const std::int64_t ahead = keys_ahead(sizes, cell);
  if (spec.causal && ahead > 0) return "causal: key " + key + " comes after query " + query;
  if (spec.prefix && cell.key >= *spec.prefix && ahead > 0) {
    return "prefix: key " + key + " is beyond the first " + std::to_string(*spec.prefix) +
           " and comes after query " + query;
  }
  const bool is_first_key = cell.key < spec.first_keys.value_or(0);  // windows do not hide these
  if (spec.window && distance_of(sizes, cell) > *spec.window && !is_first_key) {
    return "window: key " + key + " is more than " + std::to_string(*spec.window) + " tokens from query " +
           query;
  }
  if (sizes.sliding && distance_of(sizes, cell) >= *sizes.sliding && !is_first_key) {
    return "sliding window of " + std::to_string(*sizes.sliding) + ": key " + key + " is " +
           std::to_string(distance_of(sizes, cell)) + " tokens from query " + query;
  }
  if (spec.block && block_of(spec, place_of(sizes, cell)) != block_of(spec, cell.key)) {
    return "block: key " + key + " is in block " + std::to_string(block_of(spec, cell.key)) + ", query " +
           query + " in block " + std::to_string(block_of(spec, place_of(sizes, cell)));
  }
  if (spec.dilation && distance_of(sizes, cell) % *spec.dilation != 0) {
    return "dilated: the distance " + std::to_string(distance_of(sizes, cell)) + " is not a multiple of " +
           std::to_string(*spec.dilation);
  }
  if (document_of(spec, place_of(sizes, cell)) != document_of(spec, cell.key)) {
    return "document: key " + key + " is in document " + std::to_string(document_of(spec, cell.key)) +
           ", query " + query + " in document " + std::to_string(document_of(spec, place_of(sizes, cell)));
  }
  if (std::ranges::binary_search(spec.padding, cell.key)) return "padding: key " + key + " counts as padding";
  if (std::ranges::binary_search(spec.painted, cell)) {
    return "painted: query " + std::to_string(cell.query) + ", key " + key + " was hidden by hand";
  }
  for (const auto& loaded : spec.loaded) {
    const float value = loaded_value(*loaded, sizes, head, cell);
    if (loaded->additive && value == minus_infinity) return "the mask " + loaded->name + " adds −∞ here";
    if (!loaded->additive && value == 0.0F) return "the mask " + loaded->name + " hides this cell";
  }
  return {};
}

}  // namespace headscope
