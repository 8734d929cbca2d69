#include "core/io/gguf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/budget.h"
#include "core/enum_count.h"
#include "core/tensor/shape_text.h"

namespace headscope {
namespace {

constexpr std::string_view gguf_magic = "GGUF";
constexpr std::size_t default_alignment = 32;

/// A tensor type by its number in ggml.h; unsupported without a NumberType.
struct GgmlType {
  std::uint32_t number;
  std::string_view name;
  std::optional<NumberType> type = std::nullopt;
};

constexpr std::array ggml_types{GgmlType{0, "F32", NumberType::f32},
                                GgmlType{1, "F16", NumberType::f16},
                                GgmlType{2, "Q4_0", NumberType::q4_0},
                                GgmlType{3, "Q4_1", NumberType::q4_1},
                                GgmlType{6, "Q5_0", NumberType::q5_0},
                                GgmlType{7, "Q5_1", NumberType::q5_1},
                                GgmlType{8, "Q8_0", NumberType::q8_0},
                                GgmlType{9, "Q8_1"},
                                GgmlType{10, "Q2_K", NumberType::q2_k},
                                GgmlType{11, "Q3_K", NumberType::q3_k},
                                GgmlType{12, "Q4_K", NumberType::q4_k},
                                GgmlType{13, "Q5_K", NumberType::q5_k},
                                GgmlType{14, "Q6_K", NumberType::q6_k},
                                GgmlType{15, "Q8_K"},
                                GgmlType{16, "IQ2_XXS"},
                                GgmlType{17, "IQ2_XS"},
                                GgmlType{18, "IQ3_XXS"},
                                GgmlType{19, "IQ1_S"},
                                GgmlType{20, "IQ4_NL", NumberType::iq4_nl},
                                GgmlType{21, "IQ3_S"},
                                GgmlType{22, "IQ2_S"},
                                GgmlType{23, "IQ4_XS", NumberType::iq4_xs},
                                GgmlType{24, "I8", NumberType::i8},
                                GgmlType{25, "I16", NumberType::i16},
                                GgmlType{26, "I32", NumberType::i32},
                                GgmlType{27, "I64", NumberType::i64},
                                GgmlType{28, "F64", NumberType::f64},
                                GgmlType{29, "IQ1_M"},
                                GgmlType{30, "BF16", NumberType::bf16},
                                GgmlType{34, "TQ1_0"},
                                GgmlType{35, "TQ2_0"},
                                GgmlType{39, "MXFP4", NumberType::mxfp4}};

std::string supported_types() {
  std::string names;
  for (const GgmlType& each : ggml_types) {
    if (each.type && is_weight(*each.type)) names.append(names.empty() ? "" : ", ").append(each.name);
  }
  return names;
}

template <class Number>
Number number_at(std::string_view bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

/// The size of the values of a type, and the function that decodes one. Strings and arrays have neither.
using ValueRecord = std::pair<std::size_t, GgufValue (*)(std::string_view bytes)>;
/// Values that are stored as `Stored` and read as `Read`.
template <class Stored, class Read>
constexpr ValueRecord stored_as{sizeof(Stored), [](std::string_view bytes) -> GgufValue {
                                  return static_cast<Read>(number_at<Stored>(bytes));
                                }};
constexpr auto value_records = make_enum_table<GgufType, ValueRecord>(
    stored_as<std::uint8_t, std::uint64_t>, stored_as<std::int8_t, std::int64_t>,
    stored_as<std::uint16_t, std::uint64_t>, stored_as<std::int16_t, std::int64_t>,
    stored_as<std::uint32_t, std::uint64_t>, stored_as<std::int32_t, std::int64_t>, stored_as<float, double>,
    stored_as<std::uint8_t, bool>, ValueRecord{}, ValueRecord{}, stored_as<std::uint64_t, std::uint64_t>,
    stored_as<std::int64_t, std::int64_t>, stored_as<double, double>);

double as_number(const GgufValue& value) {
  return std::visit(
      [](const auto& each) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(each)>>)
          return static_cast<double>(each);
        else
          return 0.0;
      },
      value);
}

bool is_printable(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

/// A sequential parser.
class GgufReader {
 public:
  GgufReader(std::string_view file, Budget& budget) : file_(file), budget_(budget) {}

  Gguf read() {
    if (!file_.starts_with(gguf_magic)) refuse(failure("it is not a GGUF file: it does not begin with GGUF"));
    at_ = gguf_magic.size();
    read_version();
    constexpr const char* counts = "the counts of its tensors and metadata";
    const auto n_tensors = number<std::uint64_t>(counts), n_values = number<std::uint64_t>(counts);
    for (std::uint64_t i = 0; i < n_values; ++i) read_entry(i, n_values);
    read_alignment();
    for (std::uint64_t i = 0; i < n_tensors; ++i) read_tensor(i, n_tensors);
    place_tensors();
    check_overlaps();
    return std::move(gguf_);
  }

 private:
  std::size_t rest() const { return file_.size() - at_; }
  /// Consumes the next bytes, which belong to `what`.
  std::string_view take(std::uint64_t n_bytes, const std::string& what) {
    if (n_bytes > rest())
      refuse(failure(what + " at byte " + std::to_string(at_) + " would end beyond the file's " +
                     std::to_string(file_.size()) +
                     " bytes: it is damaged, or was cut off and must be downloaded again"));
    const std::string_view taken = file_.substr(at_, static_cast<std::size_t>(n_bytes));
    at_ += taken.size();
    return taken;
  }
  template <class Number>
  Number number(const std::string& what) {
    return number_at<Number>(take(sizeof(Number), what));
  }
  std::string_view text(const std::string& what) { return take(number<std::uint64_t>(what), what); }

  void read_version() {
    constexpr std::uint32_t oldest = 2, newest = 3, low_half = 0xFFFF;
    const auto version = number<std::uint32_t>("its version");
    if (version != 0 && (version & low_half) == 0) {
      refuse(failure(
          "it is big-endian, but only little-endian GGUF files can be opened: convert the model again on a little-endian machine"));
    }
    if (version >= oldest && version <= newest) return;
    refuse(failure("it has GGUF's version " + std::to_string(version) +
                   ", but only the versions 2 and 3 can be opened" +
                   (version < oldest ? ": download a newer conversion of the model" : "")));
  }

  void read_entry(std::uint64_t index, std::uint64_t count) {
    budget_.take(1, bytes_per_entry);
    const std::string which =
        "entry " + std::to_string(index) + " of the " + std::to_string(count) + " in its metadata";
    const std::string_view stored = text(which);  // Copied once it is known to be a key: it may be huge.
    if (!is_printable(stored)) refuse(failure(which + " has a key that is not printable ASCII"));
    const std::string name(stored);
    const auto type = number<std::uint32_t>("the metadata entry " + name);
    if (!gguf_.metadata_.emplace(name, read_value(type, name)).second)
      refuse(failure("its metadata has two entries " + name));
  }

  GgufValue read_value(std::uint32_t code, const std::string& name) {
    if (code >= enum_count<GgufType>)
      refuse(failure("its metadata entry " + name + " has the unknown type " + std::to_string(code)));
    const auto type = static_cast<GgufType>(code);
    if (type == GgufType::list) return read_list(name);
    if (type == GgufType::text) return text("the metadata entry " + name);
    const auto& [size, decode] = value_records[index_of(type)];
    return decode(take(size, "the metadata entry " + name));
  }

  GgufValue read_list(const std::string& name) {
    const auto code = number<std::uint32_t>("the metadata entry " + name);
    const auto count = number<std::uint64_t>("the metadata entry " + name);
    if (code >= enum_count<GgufType>)
      refuse(
          failure("its metadata entry " + name + " is a list of the unknown type " + std::to_string(code)));
    const auto type = static_cast<GgufType>(code);
    if (type == GgufType::list)
      refuse(failure("its metadata entry " + name + " is a list of lists, which no supported model has"));
    const std::size_t first = at_;
    const std::string what = "the list " + name + " of " + std::to_string(count) + " values";
    if (type == GgufType::text) {
      for (std::uint64_t i = 0; i < count; ++i) text(what);
    } else {
      const std::size_t size = value_records[index_of(type)].first;
      take(count > rest() / size ? rest() + 1 : count * size, what);
    }
    return GgufList{type, static_cast<std::size_t>(count), file_.substr(first, at_ - first)};
  }

  void read_alignment() {
    constexpr std::string_view key = "general.alignment";
    constexpr std::uint64_t limit = 1U << 20U;
    if (gguf_.find(key) == nullptr) return;
    const auto alignment = gguf_.whole(key);
    if (!alignment || *alignment > limit || *alignment % 8 != 0 || !std::has_single_bit(*alignment)) {
      refuse(failure("its " + std::string(key) + (alignment ? " is " + std::to_string(*alignment) : "") +
                     (alignment ? ", but" : "") + " must be a power of two from 8 to " +
                     std::to_string(limit)));
    }
    alignment_ = static_cast<std::size_t>(*alignment);
  }

  void read_tensor(std::uint64_t index, std::uint64_t count) {
    constexpr std::uint32_t max_axes = 4;
    budget_.take(1, bytes_per_entry);
    const std::string which =
        "the description of tensor " + std::to_string(index) + " of " + std::to_string(count);
    TensorRef tensor;
    const std::string_view stored = text(which);
    const auto n_axes = number<std::uint32_t>(which);
    if (!is_printable(stored)) refuse(failure(which + " has a name that is not printable ASCII"));
    tensor.name = stored;
    if (n_axes > max_axes) {
      refuse(failure("its tensor " + tensor.name + " has " + std::to_string(n_axes) +
                     " axes, but at most 4 are possible"));
    }
    for (std::uint32_t axis = 0; axis < n_axes; ++axis) {
      const auto size = number<std::uint64_t>(which);
      if (!std::in_range<std::size_t>(size))
        refuse(failure("its tensor " + tensor.name + " is larger than the memory of this machine can be"));
      tensor.shape.push_back(static_cast<std::size_t>(size));
    }
    const auto type = number<std::uint32_t>(which);
    const auto offset = number<std::uint64_t>(which);
    set_type(tensor, type);
    placed_.emplace_back(offset, bytes_of_tensor(tensor));
    std::ranges::reverse(tensor.shape);
    gguf_.tensors_.push_back(std::move(tensor));
  }

  static void set_type(TensorRef& tensor, std::uint32_t number) {
    const auto* const found = std::ranges::find(ggml_types, number, &GgmlType::number);
    if (found != ggml_types.end() && found->type) {
      tensor.type = *found->type;
      return;
    }
    refuse(
        failure("its tensor " + tensor.name + " has the type " +
                (found == ggml_types.end() ? "number " + std::to_string(number) : std::string(found->name)) +
                ", but only these types of weights can be opened: " + supported_types() +
                ". Choose a file of the same model in one of them"));
  }

  /// The bytes of a tensor whose innermost axis still comes first.
  std::uint64_t bytes_of_tensor(const TensorRef& tensor) const {
    const auto wrong = [&](const std::string& why) {
      return failure("its tensor " + tensor.name + " is " + shape_text(tensor.shape) +
                     ", innermost axis first, " + why);
    };
    const BlockSize block = block_of(tensor.type);
    const std::size_t width = tensor.shape.empty() ? 1 : tensor.shape.front();
    if (width % block.numbers != 0) {
      refuse(wrong("but rows of " + std::string(name_of(tensor.type)) + " are of blocks of " +
                   std::to_string(block.numbers)));
    }
    // An upper bound for the numbers of a tensor.
    const std::size_t limit = file_.size() / block.bytes * block.numbers;
    std::size_t size = 1;
    for (const std::size_t side : tensor.shape) {
      if (side == 0) refuse(wrong("but no axis can be empty"));
      if (size > limit / side) refuse(wrong("more than the file can hold: it is damaged"));
      size *= side;
    }
    return size / block.numbers * block.bytes;
  }

  void place_tensors() {
    const std::size_t begin = (at_ + alignment_ - 1) / alignment_ * alignment_;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      TensorRef& tensor = gguf_.tensors_[i];
      const auto [offset, bytes] = placed_[i];
      if (offset % alignment_ != 0) {
        refuse(failure("its tensor " + tensor.name + " begins at byte " + std::to_string(offset) +
                       " of the data, which is not a multiple of its alignment, " +
                       std::to_string(alignment_) + ": it is damaged"));
      }
      if (begin > file_.size() || offset > file_.size() - begin || bytes > file_.size() - begin - offset) {
        refuse(failure("its tensor " + tensor.name + " has " + std::to_string(bytes) + " bytes from byte " +
                       std::to_string(offset) + " of the data on, but the file ends after " +
                       std::to_string(file_.size()) +
                       " bytes: it is damaged, or was cut off and must be downloaded again"));
      }
      tensor.bytes = file_.substr(begin + static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
    }
  }

  void check_overlaps() const {
    std::vector<const TensorRef*> order;
    for (const TensorRef& tensor : gguf_.tensors_) order.push_back(&tensor);
    const auto begin = [](const TensorRef* tensor) { return tensor->bytes.data(); };
    std::ranges::sort(order, {}, begin);
    const auto overlaps = [](const TensorRef* a, const TensorRef* b) {
      return a->bytes.data() + a->bytes.size() > b->bytes.data();
    };
    const auto found = std::ranges::adjacent_find(order, overlaps);
    if (found == order.end()) return;
    refuse(failure("its tensors " + (*found)->name + " and " + (*std::next(found))->name +
                   " share bytes: it is damaged"));
  }

  /// Including a map node, or vector growth.
  static constexpr std::size_t bytes_per_entry = 384;

  std::string_view file_;
  Budget& budget_;
  std::size_t at_ = 0;
  std::size_t alignment_ = default_alignment;
  Gguf gguf_;
  /// The offset from the start of the data and the bytes of each tensor of gguf_.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> placed_;
};

Result<Gguf> Gguf::parse(std::string_view file) {
  return within_budget(
      Budget(file.size()), "its metadata cannot be read", "download it again",
      [&](Budget& budget) { return result_of([&] { return GgufReader(file, budget).read(); }); });
}

const GgufValue* Gguf::find(std::string_view key) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> Gguf::text(std::string_view key) const {
  const GgufValue* const value = find(key);
  const auto* const text = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<bool> Gguf::flag(std::string_view key) const {
  const GgufValue* const value = find(key);
  const auto* const flag = value == nullptr ? nullptr : std::get_if<bool>(value);
  return flag == nullptr ? std::nullopt : std::optional(*flag);
}

std::optional<std::uint64_t> Gguf::whole(std::string_view key) const {
  const GgufValue* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* const number = std::get_if<std::uint64_t>(value)) return *number;
  const auto* const number = std::get_if<std::int64_t>(value);
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::vector<std::string_view> Gguf::texts(std::string_view key) const {
  std::vector<std::string_view> texts;
  const GgufValue* const value = find(key);
  const auto* const list = value == nullptr ? nullptr : std::get_if<GgufList>(value);
  if (list == nullptr || list->type != GgufType::text) return texts;
  texts.reserve(list->size);
  std::string_view bytes = list->bytes;
  for (std::size_t i = 0; i < list->size; ++i) {
    // The file may have changed since its lengths were checked.
    if (bytes.size() < sizeof(std::uint64_t)) return {};
    const std::uint64_t length = number_at<std::uint64_t>(bytes);
    bytes.remove_prefix(sizeof(std::uint64_t));
    if (length > bytes.size()) return {};
    texts.push_back(bytes.substr(0, static_cast<std::size_t>(length)));
    bytes.remove_prefix(static_cast<std::size_t>(length));
  }
  return texts;
}

std::vector<double> Gguf::numbers(std::string_view key) const {
  std::vector<double> numbers;
  const GgufValue* const value = find(key);
  const auto* const list = value == nullptr ? nullptr : std::get_if<GgufList>(value);
  if (list == nullptr || list->type == GgufType::text) return numbers;
  numbers.reserve(list->size);
  const auto& [size, decode] = value_records[index_of(list->type)];
  for (std::size_t i = 0; i < list->size; ++i)
    numbers.push_back(as_number(decode(list->bytes.substr(i * size, size))));
  return numbers;
}

bool is_gguf(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return false;
  std::array<char, gguf_magic.size()> first{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(first.data(), first.size());
  return stream && std::string_view(first.data(), first.size()) == gguf_magic;
}

}  // namespace headscope
