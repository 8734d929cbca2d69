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

  Pickle read() {
    for (;;) {
      const auto operation = static_cast<unsigned char>(number(1));
      if (operation != '.') {
        execute(operation);
        continue;
      }
      require(!stack_.empty());
      pickle_.root_ = stack_.back();
      return std::move(pickle_);
    }
  }

  std::string_view rest() const { return rest_; }

 private:
  using Kind = PickleValue::Kind;
  static constexpr std::size_t bytes_per_memo = 64;
  static constexpr std::size_t bytes_per_item = 4 * sizeof(int);  ///< In two vectors, including growth.
  void execute(unsigned char operation) {
    switch (operation) {
      case 0x80:  // PROTO
        return static_cast<void>(take(1));
      case 0x95:  // FRAME
        return static_cast<void>(take(8));
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
        return push({.kind = Kind::tuple, .items = pop(operation - 0x84U)});
      case 't':
      case 'l':
      case 'd':
      case 'e':
      case 'u':
        return from_mark(operation);
      case 'a':
        return add_to_top(pop(1), Kind::list);
      case 's':
        return add_to_top(pop(2), Kind::dict);
      case 'c':
      case 0x93:  // STACK_GLOBAL
        return global(operation);
      case 'R':
        return call();
      case 'b':
        return build();
      case 'Q':
        return push({.kind = Kind::persistent, .items = pop(1)});
      case 'q':
        return memoize(number(1));
      case 'r':
        return memoize(number(4));
      case 0x94:  // MEMOIZE
        return memoize(memo_.size());
      case 'h':
        return recall(number(1));
      case 'j':
        return recall(number(4));
      case '0':
        return static_cast<void>(pop(1));
      default:
        refuse(failure("its pickle uses the operation " + std::to_string(operation) +
                       ", which weights do not need: it is not executed"));
    }
  }

  static void require(bool makes_sense) {
    if (!makes_sense) refuse(failure("its pickle is damaged"));
  }

  /// Consumes the next n bytes.
  std::string_view take(std::uint64_t n) {
    if (n > rest_.size()) refuse(failure("its pickle ends too early"));
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(n));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// Reads a little-endian number of n bytes.
  std::uint64_t number(std::size_t n) { return little_endian(take(n)); }
  std::string_view line() {
    const std::size_t end = rest_.find('\n');
    const std::string_view taken = take(end == std::string_view::npos ? rest_.size() + 1 : end + 1);
    return taken.substr(0, end);
  }

  void push(PickleValue value) {
    budget_.take(1, 2 * (sizeof(PickleValue) + sizeof(int)));
    stack_.push_back(static_cast<int>(pickle_.values_.size()));
    pickle_.values_.push_back(std::move(value));
  }
  PickleValue& top(std::size_t below = 0) {
    return pickle_.values_[static_cast<std::size_t>(stack_[stack_.size() - 1 - below])];
  }
  /// Pops the last n values.
  std::vector<int> pop(std::size_t n) {
    require(stack_.size() >= n);
    budget_.take(n, bytes_per_item);
    std::vector<int> items(stack_.end() - static_cast<std::ptrdiff_t>(n), stack_.end());
    stack_.resize(stack_.size() - n);
    return items;
  }
  /// Pops the values above the last mark, and the mark.
  std::vector<int> pop_to_mark() {
    const auto is_mark = [&](int place) { return pickle_.at(place).kind == Kind::mark; };
    const auto mark = std::find_if(stack_.rbegin(), stack_.rend(), is_mark);
    require(mark != stack_.rend());
    std::vector<int> items = pop(static_cast<std::size_t>(stack_.end() - mark.base()));
    stack_.pop_back();
    return items;
  }

  void push_name(std::string_view module, std::string_view name) {
    std::string whole(module);
    whole.append(".").append(name);
    const auto found = std::ranges::find(allowed_, whole);
    if (found != allowed_.end()) return push({.kind = Kind::name, .text = *found});
    refuse(failure("its pickle refers to " + whole +
                   ", which weights do not need: code that a file names is never run"));
  }

  void add_to_top(const std::vector<int>& items, Kind kind) {
    require(!stack_.empty() && top().kind == kind && (kind != Kind::dict || items.size() % 2 == 0));
    top().items.insert(top().items.end(), items.begin(), items.end());
  }
  void memoize(std::uint64_t place) {
    require(!stack_.empty());
    budget_.take(1, bytes_per_memo);
    memo_[place] = stack_.back();
  }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    require(found != memo_.end());
    budget_.take(1, 2 * sizeof(int));
    stack_.push_back(found->second);
  }

  void whole(std::size_t n_bytes) {
    const std::uint64_t value = number(n_bytes);
    const bool is_signed = n_bytes == sizeof(std::int32_t);
    return push({.kind = Kind::whole,
                 .whole = is_signed ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                                    : static_cast<std::int64_t>(value)});
  }

  /// A big-endian double.
  void real() {
    std::uint64_t bits = 0;
    for (const char byte : take(sizeof(double))) bits = bits << 8U | static_cast<unsigned char>(byte);
    return push({.kind = Kind::real, .real = std::bit_cast<double>(bits)});
  }

  void long_whole() {
    const std::string_view bytes = take(number(1));
    const std::size_t n = bytes.size();
    if (n == 0 || n > sizeof(std::int64_t)) return push({.kind = Kind::whole});
    const bool is_negative = (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
    std::uint64_t value = is_negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = n; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return push({.kind = Kind::whole, .whole = static_cast<std::int64_t>(value)});
  }

  void text(std::size_t n_bytes_of_length) {
    push({.kind = Kind::text, .text = take(number(n_bytes_of_length))});
  }

  void from_mark(unsigned char operation) {
    std::vector<int> items = pop_to_mark();
    switch (operation) {
      case 't':
        return push({.kind = Kind::tuple, .items = std::move(items)});
      case 'l':
        return push({.kind = Kind::list, .items = std::move(items)});
      case 'd':
        require(items.size() % 2 == 0);
        return push({.kind = Kind::dict, .items = std::move(items)});
      case 'e':
        return add_to_top(items, Kind::list);
      default:
        return add_to_top(items, Kind::dict);
    }
  }

  void global(unsigned char operation) {
    if (operation == 'c') {
      const std::string_view module = line();
      return push_name(module, line());
    }
    const std::vector<int> items = pop(2);
    require(std::ranges::all_of(items, [&](int place) { return pickle_.at(place).kind == Kind::text; }));
    push_name(pickle_.at(items[0]).text, pickle_.at(items[1]).text);
  }

  /// A call of OrderedDict becomes a dictionary, so that later opcodes can add items; other calls are only
  /// recorded.
  void call() {
    std::vector<int> items = pop(2);
    require(pickle_.at(items[0]).kind == Kind::name && pickle_.at(items[1]).kind == Kind::tuple);
    const bool makes_dict = pickle_.at(items[0]).text == "collections.OrderedDict";
    if (!makes_dict) return push({.kind = Kind::call, .items = std::move(items)});
    require(pickle_.at(items[1]).items.empty());
    push({.kind = Kind::dict});
  }

  /// Ignores attributes of dictionaries, as in PyTorch's state_dict().
  void build() {
    require(stack_.size() >= 2 && top(1).kind == Kind::dict);
    stack_.pop_back();
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
  return result_of([&] {
    PickleReader reader(bytes, allowed, budget);
    Pickle pickle = reader.read();
    bytes = reader.rest();
    return pickle;
  });
}

const PickleValue* Pickle::find(const PickleValue& dict, std::string_view key) const {
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& own = item(dict, i);
    if (own.kind == PickleValue::Kind::text && own.text == key) return &item(dict, i + 1);
  }
  return nullptr;
}

}  // namespace headscope
