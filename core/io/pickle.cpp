#include "core/io/pickle.h"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/little_endian.h"

namespace headscope {

/// Interprets the opcodes of a pickle (CPython's pickletools.py), as far as weights need them.
class PickleReader {
 public:
  PickleReader(std::string_view bytes, std::span<const std::string_view> allowed, Budget& budget)
      : rest_(bytes), allowed_(allowed), budget_(budget) {}

  Result<Pickle> read() {
    while (!rest_.empty()) {
      const auto operation = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (operation == '.') {
        if (!has(1)) return senseless();
        pickle_.root_ = stack_.back();
        return std::move(pickle_);
      }
      if (auto done = execute(operation); !done) return tl::unexpected(done.error());
    }
    return cut_off();
  }

  std::string_view rest() const { return rest_; }

 private:
  using Kind = PickleValue::Kind;
  using Done = Result<void>;
  static constexpr std::size_t bytes_per_memo = 64;
  static constexpr std::size_t bytes_per_item = 4 * sizeof(int);  ///< In two vectors, including growth.
  Done execute(unsigned char operation) {
    std::string_view ignored;
    std::uint64_t place = 0;
    std::vector<int> items;
    switch (operation) {
      case 0x80:  // PROTO
        return take(1, ignored) ? Done() : cut_off();
      case 0x95:  // FRAME
        return take(8, ignored) ? Done() : cut_off();
      case '(':
        return push({.kind = Kind::mark});
      case ')':
        return push({.kind = Kind::tuple});
      case ']':
        return push({.kind = Kind::list});
      case '}':
        return push({.kind = Kind::dict});
      case 'N':
        return push({});
      case 0x88:  // NEWTRUE
        return push({.kind = Kind::boolean, .whole = 1});
      case 0x89:  // NEWFALSE
        return push({.kind = Kind::boolean});
      case 'K':
        return whole(1);
      case 'M':
        return whole(2);
      case 'J':
        return whole(4);
      case 0x8A:  // LONG1
        return long_whole();
      case 'G':
        return real();
      case 'U':
      case 0x8C:  // SHORT_BINUNICODE
        return text(1);
      case 'T':
      case 'X':
        return text(4);
      case 0x8D:  // BINUNICODE8
        return text(8);
      case 0x85:  // TUPLE1, TUPLE2, TUPLE3
      case 0x86:
      case 0x87:
        return tuple(operation - 0x84U);
      case 't':
      case 'l':
      case 'd':
      case 'e':
      case 'u':
        return from_mark(operation);
      case 'a':
        return pop(1, items) ? add_to_top(items, Kind::list) : senseless();
      case 's':
        return pop(2, items) ? add_to_top(items, Kind::dict) : senseless();
      case 'c':
      case 0x93:  // STACK_GLOBAL
        return global(operation);
      case 'R':
        return call();
      case 'b':
        return build();
      case 'Q':
        return pop(1, items) ? push({.kind = Kind::persistent, .items = std::move(items)}) : senseless();
      case 'q':
        return number(1, place) ? memoize(place) : cut_off();
      case 'r':
        return number(4, place) ? memoize(place) : cut_off();
      case 0x94:  // MEMOIZE
        return memoize(memo_.size());
      case 'h':
        return number(1, place) ? recall(place) : cut_off();
      case 'j':
        return number(4, place) ? recall(place) : cut_off();
      case '0':
        return pop(1, items) ? Done() : senseless();
      default:
        return failure("its pickle uses the operation " + std::to_string(operation) +
                       ", which weights do not need: it is not executed");
    }
  }

  static tl::unexpected<Error> cut_off() { return failure("its pickle ends too early"); }
  static tl::unexpected<Error> senseless() { return failure("its pickle is damaged"); }

  /// Consumes the next n bytes, or returns false.
  bool take(std::uint64_t n, std::string_view& taken) {
    if (n > rest_.size()) return false;
    taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return true;
  }
  /// Reads a little-endian number of n bytes.
  bool number(std::size_t n, std::uint64_t& value) {
    std::string_view taken;
    if (!take(n, taken)) return false;
    value = little_endian(taken);
    return true;
  }
  bool line(std::string_view& taken) {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return false;
    taken = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

  Done push(PickleValue value) {
    budget_.take(1, 2 * (sizeof(PickleValue) + sizeof(int)));
    stack_.push_back(static_cast<int>(pickle_.values_.size()));
    pickle_.values_.push_back(std::move(value));
    return {};
  }
  bool has(std::size_t n) const { return stack_.size() >= n; }
  PickleValue& top(std::size_t below = 0) {
    return pickle_.values_[static_cast<std::size_t>(stack_[stack_.size() - 1 - below])];
  }
  /// Pops the last n values.
  bool pop(std::size_t n, std::vector<int>& items) {
    if (!has(n)) return false;
    budget_.take(n, bytes_per_item);
    items.assign(stack_.end() - static_cast<std::ptrdiff_t>(n), stack_.end());
    stack_.resize(stack_.size() - n);
    return true;
  }
  /// Pops the values above the last mark, and the mark.
  bool pop_to_mark(std::vector<int>& items) {
    const auto is_mark = [&](int place) { return pickle_.at(place).kind == Kind::mark; };
    const auto mark = std::find_if(stack_.rbegin(), stack_.rend(), is_mark);
    if (mark == stack_.rend()) return false;
    budget_.take(static_cast<std::size_t>(stack_.end() - mark.base()), bytes_per_item);
    items.assign(mark.base(), stack_.end());
    stack_.erase(mark.base() - 1, stack_.end());
    return true;
  }

  Done push_name(std::string_view module, std::string_view name) {
    std::string whole(module);
    whole.append(".").append(name);
    const auto found = std::ranges::find(allowed_, whole);
    if (found != allowed_.end()) return push({.kind = Kind::name, .text = *found});
    return failure("its pickle refers to " + whole +
                   ", which weights do not need: code that a file names is never run");
  }

  Done add_to_top(const std::vector<int>& items, Kind kind) {
    if (!has(1) || top().kind != kind) return senseless();
    if (kind == Kind::dict && items.size() % 2 != 0) return senseless();
    top().items.insert(top().items.end(), items.begin(), items.end());
    return {};
  }
  Done memoize(std::uint64_t place) {
    if (!has(1)) return senseless();
    budget_.take(1, bytes_per_memo);
    memo_[place] = stack_.back();
    return {};
  }
  Done recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) return senseless();
    budget_.take(1, 2 * sizeof(int));
    stack_.push_back(found->second);
    return {};
  }

  Done whole(std::size_t n_bytes) {
    std::uint64_t value = 0;
    if (!number(n_bytes, value)) return cut_off();
    const bool is_signed = n_bytes == sizeof(std::int32_t);
    return push({.kind = Kind::whole,
                 .whole = is_signed ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                                    : static_cast<std::int64_t>(value)});
  }

  /// A big-endian double.
  Done real() {
    std::string_view bytes;
    if (!take(sizeof(double), bytes)) return cut_off();
    std::uint64_t bits = 0;
    for (const char byte : bytes) bits = bits << 8U | static_cast<unsigned char>(byte);
    return push({.kind = Kind::real, .real = std::bit_cast<double>(bits)});
  }

  Done long_whole() {
    std::uint64_t n = 0;
    std::string_view bytes;
    if (!number(1, n) || !take(n, bytes)) return cut_off();
    if (n == 0 || n > sizeof(std::int64_t)) return push({.kind = Kind::whole});
    const bool is_negative = (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
    std::uint64_t value = is_negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = n; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return push({.kind = Kind::whole, .whole = static_cast<std::int64_t>(value)});
  }

  Done text(std::size_t n_bytes_of_length) {
    std::uint64_t n = 0;
    std::string_view taken;
    if (!number(n_bytes_of_length, n) || !take(n, taken)) return cut_off();
    return push({.kind = Kind::text, .text = taken});
  }

  Done tuple(std::size_t n) {
    std::vector<int> items;
    if (!pop(n, items)) return senseless();
    return push({.kind = Kind::tuple, .items = std::move(items)});
  }

  Done from_mark(unsigned char operation) {
    std::vector<int> items;
    if (!pop_to_mark(items)) return senseless();
    switch (operation) {
      case 't':
        return push({.kind = Kind::tuple, .items = std::move(items)});
      case 'l':
        return push({.kind = Kind::list, .items = std::move(items)});
      case 'd':
        return items.size() % 2 == 0 ? push({.kind = Kind::dict, .items = std::move(items)}) : senseless();
      case 'e':
        return add_to_top(items, Kind::list);
      default:
        return add_to_top(items, Kind::dict);
    }
  }

  Done global(unsigned char operation) {
    std::string_view module;
    std::string_view name;
    if (operation == 'c') return line(module) && line(name) ? push_name(module, name) : cut_off();
    std::vector<int> items;
    if (!pop(2, items)) return senseless();
    const auto is_text = [&](int place) { return pickle_.at(place).kind == Kind::text; };
    if (!std::ranges::all_of(items, is_text)) return senseless();
    return push_name(pickle_.at(items[0]).text, pickle_.at(items[1]).text);
  }

  /// A call of OrderedDict becomes a dictionary, so that later opcodes can add items; other calls are only
  /// recorded.
  Done call() {
    std::vector<int> items;
    if (!pop(2, items) || pickle_.at(items[0]).kind != Kind::name || pickle_.at(items[1]).kind != Kind::tuple)
      return senseless();
    const bool makes_dict = pickle_.at(items[0]).text == "collections.OrderedDict";
    if (!makes_dict) return push({.kind = Kind::call, .items = std::move(items)});
    if (!pickle_.at(items[1]).items.empty()) return senseless();
    return push({.kind = Kind::dict});
  }

  /// Ignores attributes of dictionaries, as in PyTorch's state_dict().
  Done build() {
    if (!has(2) || top(1).kind != Kind::dict) return senseless();
    stack_.pop_back();
    return {};
  }

  std::string_view rest_;
  std::span<const std::string_view> allowed_;
  Budget& budget_;
  Pickle pickle_;
  std::vector<int> stack_;
  std::unordered_map<std::uint64_t, int> memo_;
};

Result<Pickle> Pickle::read(std::string_view& bytes, std::span<const std::string_view> allowed,
                            Budget& budget) {
  PickleReader reader(bytes, allowed, budget);
  auto pickle = reader.read();
  if (pickle) bytes = reader.rest();
  return pickle;
}

const PickleValue* Pickle::find(const PickleValue& dict, std::string_view key) const {
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& own = item(dict, i);
    if (own.kind == PickleValue::Kind::text && own.text == key) return &item(dict, i + 1);
  }
  return nullptr;
}

}  // namespace headscope
