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
struct ValueRecord {
  std::size_t bytes = 0;
  GgufValue (*decode)(std::string_view bytes) = nullptr;
};
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

  Result<Gguf> read() {
    if (!file_.starts_with(gguf_magic)) return failure("it is not a GGUF file: it does not begin with GGUF");
    at_ = gguf_magic.size();
    std::uint64_t n_tensors = 0;
    std::uint64_t n_values = 0;
    if (auto ok = read_version(); !ok) return tl::unexpected(ok.error());
    if (!take(n_tensors) || !take(n_values)) return cut_off("the counts of its tensors and metadata");
    for (std::uint64_t i = 0; i < n_values; ++i) {
      if (auto ok = read_entry(i, n_values); !ok) return tl::unexpected(ok.error());
    }
    if (auto ok = read_alignment(); !ok) return tl::unexpected(ok.error());
    for (std::uint64_t i = 0; i < n_tensors; ++i) {
      if (auto ok = read_tensor(i, n_tensors); !ok) return tl::unexpected(ok.error());
    }
    if (auto ok = place_tensors(); !ok) return tl::unexpected(ok.error());
    return std::move(gguf_);
  }

 private:
  struct PlacedTensor {
    std::uint64_t offset = 0;  ///< from the start of the data
    std::uint64_t bytes = 0;
  };

  std::size_t rest() const { return file_.size() - at_; }
  tl::unexpected<Error> cut_off(const std::string& what) const {
    return failure(what + " at byte " + std::to_string(at_) + " would end beyond the file's " +
                   std::to_string(file_.size()) +
                   " bytes: it is damaged, or was cut off and must be downloaded again");
  }

  template <class Number>
  bool take(Number& number) {
    if (rest() < sizeof number) return false;
    number = number_at<Number>(file_.substr(at_));
    at_ += sizeof number;
    return true;
  }
  bool take_text(std::string_view& text) {
    std::uint64_t length = 0;
    if (!take(length) || length > rest()) return false;
    text = file_.substr(at_, static_cast<std::size_t>(length));
    at_ += text.size();
    return true;
  }

  Result<void> read_version() {
    constexpr std::uint32_t oldest = 2, newest = 3, low_half = 0xFFFF;
    std::uint32_t version = 0;
    if (!take(version)) return cut_off("its version");
    if (version != 0 && (version & low_half) == 0) {
      return failure(
          "it is big-endian, but only little-endian GGUF files can be opened: convert the model again on a little-endian machine");
    }
    if (version >= oldest && version <= newest) return {};
    return failure("it has GGUF's version " + std::to_string(version) +
                   ", but only the versions 2 and 3 can be opened" +
                   (version < oldest ? ": download a newer conversion of the model" : ""));
  }

  Result<void> read_entry(std::uint64_t index, std::uint64_t count) {
    budget_.take(1, bytes_per_entry);
    const std::string which =
        "entry " + std::to_string(index) + " of the " + std::to_string(count) + " in its metadata";
    std::string_view key;
    std::uint32_t type = 0;
    if (!take_text(key)) return cut_off(which);
    if (!is_printable(key)) return failure(which + " has a key that is not printable ASCII");
    const std::string name(key);
    if (!take(type)) return cut_off("the metadata entry " + name);
    auto value = read_value(type, name);
    if (!value) return tl::unexpected(value.error());
    if (gguf_.metadata_.emplace(name, *value).second) return {};
    return failure("its metadata has two entries " + name);
  }

  Result<GgufValue> read_value(std::uint32_t number, const std::string& name) {
    if (number >= enum_count<GgufType>) {
      return failure("its metadata entry " + name + " has the unknown type " + std::to_string(number));
    }
    const auto type = static_cast<GgufType>(number);
    if (type == GgufType::list) return read_list(name);
    if (type == GgufType::text) {
      std::string_view text;
      if (!take_text(text)) return cut_off("the metadata entry " + name);
      return text;
    }
    const auto& [size, decode] = value_records[index_of(type)];
    if (rest() < size) return cut_off("the metadata entry " + name);
    at_ += size;
    return decode(file_.substr(at_ - size, size));
  }

  Result<GgufValue> read_list(const std::string& name) {
    std::uint32_t number = 0;
    std::uint64_t count = 0;
    if (!take(number) || !take(count)) return cut_off("the metadata entry " + name);
    if (number >= enum_count<GgufType>) {
      return failure("its metadata entry " + name + " is a list of the unknown type " +
                     std::to_string(number));
    }
    const auto type = static_cast<GgufType>(number);
    if (type == GgufType::list)
      return failure("its metadata entry " + name + " is a list of lists, which no supported model has");
    const std::size_t first = at_;
    const std::string what = "the list " + name + " of " + std::to_string(count) + " values";
    if (type == GgufType::text) {
      std::string_view text;
      for (std::uint64_t i = 0; i < count; ++i) {
        if (!take_text(text)) return cut_off(what);
      }
    } else {
      const std::size_t size = value_records[index_of(type)].bytes;
      if (count > rest() / size) return cut_off(what);
      at_ += static_cast<std::size_t>(count) * size;
    }
    return GgufList{type, static_cast<std::size_t>(count), file_.substr(first, at_ - first)};
  }

  Result<void> read_alignment() {
    constexpr std::string_view key = "general.alignment";
    constexpr std::uint64_t limit = 1U << 20U;
    if (gguf_.find(key) == nullptr) return {};
    const auto alignment = gguf_.whole(key);
    if (!alignment || *alignment > limit || *alignment % 8 != 0 || !std::has_single_bit(*alignment)) {
      return failure("its " + std::string(key) + (alignment ? " is " + std::to_string(*alignment) : "") +
                     (alignment ? ", but" : "") + " must be a power of two from 8 to " +
                     std::to_string(limit));
    }
    alignment_ = static_cast<std::size_t>(*alignment);
    return {};
  }

  Result<void> read_tensor(std::uint64_t index, std::uint64_t count) {
    constexpr std::uint32_t max_axes = 4;
    budget_.take(1, bytes_per_entry);
    const std::string which =
        "the description of tensor " + std::to_string(index) + " of " + std::to_string(count);
    TensorRef tensor;
    std::string_view name;
    std::uint32_t n_axes = 0;
    if (!take_text(name) || !take(n_axes)) return cut_off(which);
    if (!is_printable(name)) return failure(which + " has a name that is not printable ASCII");
    tensor.name = name;
    if (n_axes > max_axes) {
      return failure("its tensor " + tensor.name + " has " + std::to_string(n_axes) +
                     " axes, but at most 4 are possible");
    }
    std::uint32_t type = 0;
    PlacedTensor placed;
    for (std::uint32_t axis = 0; axis < n_axes; ++axis) {
      std::uint64_t size = 0;
      if (!take(size)) return cut_off(which);
      if (!std::in_range<std::size_t>(size))
        return failure("its tensor " + tensor.name + " is larger than the memory of this machine can be");
      tensor.shape.push_back(static_cast<std::size_t>(size));
    }
    if (!take(type) || !take(placed.offset)) return cut_off(which);
    if (auto ok = set_type(tensor, type); !ok) return ok;
    if (auto ok = measure(tensor, placed); !ok) return ok;
    std::ranges::reverse(tensor.shape);
    gguf_.tensors_.push_back(std::move(tensor));
    placed_.push_back(placed);
    return {};
  }

  static Result<void> set_type(TensorRef& tensor, std::uint32_t number) {
    const auto* const found = std::ranges::find(ggml_types, number, &GgmlType::number);
    if (found != ggml_types.end() && found->type) {
      tensor.type = *found->type;
      return {};
    }
    return failure(
        "its tensor " + tensor.name + " has the type " +
        (found == ggml_types.end() ? "number " + std::to_string(number) : std::string(found->name)) +
        ", but only these types of weights can be opened: " + supported_types() +
        ". Choose a file of the same model in one of them");
  }

  /// The bytes of a tensor whose innermost axis still comes first.
  Result<void> measure(const TensorRef& tensor, PlacedTensor& placed) const {
    const auto wrong = [&](const std::string& why) {
      return failure("its tensor " + tensor.name + " is " + shape_text(tensor.shape) +
                     ", innermost axis first, " + why);
    };
    const BlockSize block = block_of(tensor.type);
    const std::size_t width = tensor.shape.empty() ? 1 : tensor.shape.front();
    if (width % block.numbers != 0) {
      return wrong("but rows of " + std::string(name_of(tensor.type)) + " are of blocks of " +
                   std::to_string(block.numbers));
    }
    // An upper bound for the numbers of a tensor.
    const std::size_t limit = file_.size() / block.bytes * block.numbers;
    std::size_t size = 1;
    for (const std::size_t side : tensor.shape) {
      if (side == 0) return wrong("but no axis can be empty");
      if (size > limit / side) return wrong("more than the file can hold: it is damaged");
      size *= side;
    }
    placed.bytes = size / block.numbers * block.bytes;
    return {};
  }

  Result<void> place_tensors() {
    const std::size_t begin = (at_ + alignment_ - 1) / alignment_ * alignment_;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      TensorRef& tensor = gguf_.tensors_[i];
      const auto [offset, bytes] = placed_[i];
      if (offset % alignment_ != 0) {
        return failure("its tensor " + tensor.name + " begins at byte " + std::to_string(offset) +
                       " of the data, which is not a multiple of its alignment, " +
                       std::to_string(alignment_) + ": it is damaged");
      }
      if (begin > file_.size() || offset > file_.size() - begin || bytes > file_.size() - begin - offset) {
        return failure("its tensor " + tensor.name + " has " + std::to_string(bytes) + " bytes from byte " +
                       std::to_string(offset) + " of the data on, but the file ends after " +
                       std::to_string(file_.size()) +
                       " bytes: it is damaged, or was cut off and must be downloaded again");
      }
      tensor.bytes = file_.substr(begin + static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
    }
    return check_overlaps();
  }

  Result<void> check_overlaps() const {
    std::vector<const TensorRef*> order;
    for (const TensorRef& tensor : gguf_.tensors_) order.push_back(&tensor);
    const auto begin = [](const TensorRef* tensor) { return tensor->bytes.data(); };
    std::ranges::sort(order, {}, begin);
    const auto overlaps = [](const TensorRef* a, const TensorRef* b) {
      return a->bytes.data() + a->bytes.size() > b->bytes.data();
    };
    const auto found = std::ranges::adjacent_find(order, overlaps);
    if (found == order.end()) return {};
    return failure("its tensors " + (*found)->name + " and " + (*std::next(found))->name +
                   " share bytes: it is damaged");
  }

  /// Including a map node, or vector growth.
  static constexpr std::size_t bytes_per_entry = 384;

  std::string_view file_;
  Budget& budget_;
  std::size_t at_ = 0;
  std::size_t alignment_ = default_alignment;
  Gguf gguf_;
  std::vector<PlacedTensor> placed_;  ///< in the order of the tensors of gguf_
};

Result<Gguf> Gguf::parse(std::string_view file) {
  return within_budget(Budget(file.size()), "its metadata cannot be read", "download it again",
                       [&](Budget& budget) { return GgufReader(file, budget).read(); });
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
