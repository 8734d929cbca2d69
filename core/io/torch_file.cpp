#include "core/io/torch_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/io/pickle.h"
#include "core/little_endian.h"
#include "core/result.h"

namespace headscope {
namespace {

/// An uncompressed entry of a zip archive.
struct StoredEntry {
  std::string_view name;
  std::string_view bytes;
};

constexpr std::uint64_t in_64_bits = 0xFFFFFFFF;
constexpr const char* damaged = "it is damaged or cut off";

/// Reads a little-endian number of `n` bytes, which must lie within the file.
std::uint64_t number_at(std::string_view file, std::size_t at, std::size_t n) {
  return little_endian(file.substr(at, n));
}

/// Whether the `n` bytes from `at` on lie within the file.
bool within(std::string_view file, std::uint64_t at, std::uint64_t n) {
  return at <= file.size() && n <= file.size() - at;
}

/// Finds the bytes of the central directory and the number of its entries through the end record, which is
/// followed only by a comment of limited length.
std::pair<std::string_view, std::uint64_t> find_directory(std::string_view file) {
  constexpr std::size_t end_bytes = 22;
  constexpr std::size_t locator_bytes = 20;
  constexpr std::size_t end_64_bytes = 56;
  constexpr std::size_t max_trailing_bytes = 0xFFFF;
  const std::size_t searched_from = file.size() - std::min(file.size(), end_bytes + max_trailing_bytes);
  const std::size_t found_at = file.substr(searched_from).rfind("PK\x05\x06");
  if (found_at == std::string_view::npos) refuse(failure(damaged));
  const std::size_t end = searched_from + found_at;
  if (!within(file, end, end_bytes)) refuse(failure(damaged));
  std::uint64_t begin = number_at(file, end + 16, 4), bytes = number_at(file, end + 12, 4),
                n_entries = number_at(file, end + 10, 2);
  const bool has_locator = end >= locator_bytes && file.substr(end - locator_bytes, 4) == "PK\x06\x07";
  if (has_locator) {
    const std::uint64_t at = number_at(file, end - locator_bytes + 8, 8);
    if (!within(file, at, end_64_bytes) || file.substr(at, 4) != "PK\x06\x06") refuse(failure(damaged));
    begin = number_at(file, at + 48, 8);
    bytes = number_at(file, at + 40, 8);
    n_entries = number_at(file, at + 32, 8);
  }
  if (!within(file, begin, bytes)) refuse(failure(damaged));
  return std::pair(file.substr(begin, bytes), n_entries);
}

/// Replaces those of the numbers that did not fit into 32 bits by the 64-bit numbers of an extra field.
bool read_extra(std::string_view extra, std::initializer_list<std::uint64_t*> numbers) {
  while (extra.size() >= 4) {
    const std::uint64_t tag = number_at(extra, 0, 2);
    const std::uint64_t length = number_at(extra, 2, 2);
    extra.remove_prefix(4);
    if (length > extra.size()) return false;
    std::string_view field = extra.substr(0, length);
    extra.remove_prefix(length);
    if (tag != 1) continue;
    for (std::uint64_t* number : numbers) {
      if (*number != in_64_bits) continue;
      if (field.size() < 8) return false;
      *number = number_at(field, 0, 8);
      field.remove_prefix(8);
    }
  }
  return true;
}

/// Reads the next entry of the directory and removes it from `rest`. Its bytes follow a local header that
/// repeats its name.
StoredEntry next_entry(std::string_view& rest, std::string_view file) {
  constexpr std::size_t fixed_bytes = 46, local_bytes = 30;
  if (rest.size() < fixed_bytes || rest.substr(0, 4) != "PK\x01\x02") refuse(failure(damaged));
  const std::uint64_t flags = number_at(rest, 8, 2);
  const std::uint64_t method = number_at(rest, 10, 2);
  const std::uint64_t name_size = number_at(rest, 28, 2);
  const std::uint64_t extra_size = number_at(rest, 30, 2);
  const std::uint64_t comment_size = number_at(rest, 32, 2);
  if (!within(rest, fixed_bytes, name_size + extra_size + comment_size)) refuse(failure(damaged));
  const std::string_view name = rest.substr(fixed_bytes, name_size);
  std::uint64_t packed = number_at(rest, 20, 4), size = number_at(rest, 24, 4),
                header = number_at(rest, 42, 4);
  if (!read_extra(rest.substr(fixed_bytes + name_size, extra_size), {&size, &packed, &header}))
    refuse(failure(damaged));
  rest.remove_prefix(fixed_bytes + name_size + extra_size + comment_size);
  const std::string entry = "its entry '" + std::string(name) + "' ";
  if ((flags & 1U) != 0) refuse(failure(entry + "is encrypted"));
  if (method != 0 || packed != size)
    refuse(failure(entry + "is compressed, which torch.save never does: compressed entries are not read"));
  if (within(file, header, local_bytes) && file.substr(header, 4) == "PK\x03\x04") {
    const std::uint64_t begin =
        header + local_bytes + number_at(file, header + 26, 2) + number_at(file, header + 28, 2);
    if (within(file, begin, size)) return StoredEntry{name, file.substr(begin, size)};
  }
  refuse(failure(entry + "lies outside the file"));
}

/// The name of an entry that overlaps another, if any.
std::optional<std::string_view> overlapping(std::vector<StoredEntry> entries) {
  std::ranges::sort(entries, {}, [](const StoredEntry& entry) { return entry.bytes.data(); });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i - 1].bytes.data() + entries[i - 1].bytes.size() > entries[i].bytes.data())
      return entries[i].name;
  }
  return std::nullopt;
}

/// Returns the entries of an archive that compresses none of them, which is how PyTorch writes it. They are
/// found through the central directory (PKWARE's APPNOTE 6.3, with the 64-bit records of large files).
/// Nothing is unpacked. It is an error if an entry is compressed or encrypted, lies outside the file or
/// overlaps another, or if the archive has several parts. The message does not name the file.
std::vector<StoredEntry> stored_entries(std::string_view file) {
  auto [rest, n_entries] = find_directory(file);
  std::vector<StoredEntry> entries;
  while (!rest.empty()) entries.push_back(next_entry(rest, file));
  if (entries.size() != n_entries) refuse(failure(damaged));
  if (const auto twice = overlapping(entries))
    refuse(failure("its entry '" + std::string(*twice) + "' overlaps another"));
  return entries;
}

using Kind = PickleValue::Kind;

constexpr std::string_view ordered_dict = "collections.OrderedDict";
constexpr std::string_view rebuild_tensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view rebuild_parameter = "torch._utils._rebuild_parameter";

using StorageRecord = std::pair<std::string_view, NumberType>;
constexpr std::array storages{StorageRecord{"torch.FloatStorage", NumberType::f32},
                              StorageRecord{"torch.HalfStorage", NumberType::f16},
                              StorageRecord{"torch.BFloat16Storage", NumberType::bf16},
                              StorageRecord{"torch.DoubleStorage", NumberType::f64},
                              StorageRecord{"torch.LongStorage", NumberType::i64},
                              StorageRecord{"torch.IntStorage", NumberType::i32},
                              StorageRecord{"torch.ShortStorage", NumberType::i16},
                              StorageRecord{"torch.CharStorage", NumberType::i8},
                              StorageRecord{"torch.ByteStorage", NumberType::u8},
                              StorageRecord{"torch.BoolStorage", NumberType::boolean}};

/// The permitted names in the pickle.
constexpr auto allowed_names = [] {
  std::array<std::string_view, storages.size() + 3> names{ordered_dict, rebuild_tensor, rebuild_parameter};
  std::ranges::transform(storages, names.begin() + 3, &StorageRecord::first);
  return names;
}();

/// Maps the key of each storage in a file to its bytes.
using Storages = std::unordered_map<std::string_view, std::string_view>;

/// The persistent id of a storage: ("storage", class, key, device, number of elements, …).
struct StorageId {
  NumberType type = NumberType::f32;
  std::string_view key;
  std::uint64_t n_numbers = 0;
};

std::optional<StorageId> storage_id(const Pickle& pickle, const PickleValue& value) {
  constexpr std::size_t n_items = 5;
  if (value.kind != Kind::persistent) return std::nullopt;
  const PickleValue& id = pickle.item(value, 0);
  if (id.kind != Kind::tuple || id.items.size() < n_items) return std::nullopt;
  const PickleValue& type = pickle.item(id, 1);
  const PickleValue& key = pickle.item(id, 2);
  const PickleValue& size = pickle.item(id, 4);
  const auto known = std::ranges::find(storages, type.text, &StorageRecord::first);
  if (type.kind != Kind::name || known == storages.end() || key.kind != Kind::text ||
      size.kind != Kind::whole || size.whole < 0)
    return std::nullopt;
  return StorageId{known->second, key.text, static_cast<std::uint64_t>(size.whole)};
}

/// The elements of a tuple of non-negative integers. Empty for anything else.
std::optional<std::vector<std::size_t>> sizes_of(const Pickle& pickle, const PickleValue& tuple,
                                                 Budget& budget) {
  if (tuple.kind != Kind::tuple) return std::nullopt;
  budget.take(tuple.items.size(), 2 * sizeof(std::size_t));
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < tuple.items.size(); ++i) {
    const PickleValue& size = pickle.item(tuple, i);
    if (size.kind != Kind::whole || !std::in_range<std::size_t>(size.whole)) return std::nullopt;
    sizes.push_back(static_cast<std::size_t>(size.whole));
  }
  return sizes;
}

/// Whether a tensor of this shape and strides stays within the `n` numbers of its storage, with at most as
/// many elements.
bool reaches_within(const std::vector<std::size_t>& shape, const std::vector<std::size_t>& strides,
                    std::size_t n) {
  if (std::ranges::find(shape, 0U) != shape.end()) return true;
  std::size_t size = 1;
  std::size_t last = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (size > n / shape[axis]) return false;
    size *= shape[axis];
    const std::size_t steps = shape[axis] - 1;
    if (steps != 0 && strides[axis] > (n - last) / steps) return false;
    last += steps * strides[axis];
  }
  return last < n;
}

/// Returns no strides if row-major.
std::vector<std::size_t> needed_strides(const std::vector<std::size_t>& shape,
                                        std::vector<std::size_t> strides) {
  std::size_t dense = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] > 1 && strides[axis] != dense) return strides;
    dense *= shape[axis];
  }
  return {};
}

/// Makes a tensor from the arguments of _rebuild_tensor_v2(): storage, offset, shape, strides, …
TensorRef tensor_of(const Pickle& pickle, const PickleValue& arguments, const Storages& all,
                    std::string_view name, Budget& budget) {
  constexpr std::size_t n_needed = 4;
  const auto wrong = [&](const std::string& what) {
    return failure("its tensor '" + std::string(name) + "' " + what);
  };
  if (arguments.items.size() < n_needed)
    refuse(wrong("does not have the form in which PyTorch writes tensors"));
  const auto storage = storage_id(pickle, pickle.item(arguments, 0));
  const PickleValue& offset = pickle.item(arguments, 1);
  auto shape = sizes_of(pickle, pickle.item(arguments, 2), budget);
  auto strides = sizes_of(pickle, pickle.item(arguments, 3), budget);
  if (!storage || offset.kind != Kind::whole || offset.whole < 0 || !shape || !strides ||
      shape->size() != strides->size())
    refuse(wrong("does not have the form in which PyTorch writes tensors"));
  const auto found = all.find(storage->key);
  if (found == all.end()) refuse(wrong("has no storage '" + std::string(storage->key) + "'"));
  const std::size_t n = found->second.size() / bytes_of(storage->type);
  if (!std::in_range<std::size_t>(offset.whole))
    refuse(wrong("begins beyond its storage; the file is damaged"));
  const auto first = static_cast<std::size_t>(offset.whole);
  if (n < storage->n_numbers)
    refuse(wrong("claims more numbers than its storage has; the file is cut off or damaged"));
  if (first > n || !reaches_within(*shape, *strides, n - first))
    refuse(wrong("reaches beyond its storage; the file is damaged"));
  TensorRef tensor;
  tensor.name = name;
  tensor.type = storage->type;
  tensor.bytes = found->second.substr(first * bytes_of(storage->type));
  tensor.strides = needed_strides(*shape, std::move(*strides));
  tensor.shape = std::move(*shape);
  return tensor;
}

/// The call that makes a tensor, possibly wrapped in one that makes a parameter. Null if the value is not a
/// tensor.
const PickleValue* tensor_call(const Pickle& pickle, const PickleValue* value) {
  if (value->kind != Kind::call) return nullptr;
  if (pickle.item(*value, 0).text == rebuild_parameter) {
    const PickleValue& arguments = pickle.item(*value, 1);
    if (arguments.items.empty()) return nullptr;
    value = &pickle.item(arguments, 0);
    if (value->kind != Kind::call) return nullptr;
  }
  return pickle.item(*value, 0).text == rebuild_tensor ? value : nullptr;
}

nlohmann::json plain_value(const PickleValue& value) {
  if (value.kind == Kind::boolean) return value.whole != 0;
  if (value.kind == Kind::whole) return value.whole;
  if (value.kind == Kind::real) return value.real;
  if (value.kind == Kind::text) return std::string(value.text);
  return nullptr;
}

nlohmann::json settings_of(const Pickle& pickle) {
  const PickleValue* const found =
      pickle.root().kind == Kind::dict ? pickle.find(pickle.root(), "model_args") : nullptr;
  if (found == nullptr || found->kind != Kind::dict) return nullptr;
  nlohmann::json settings = nlohmann::json::object();
  for (std::size_t i = 0; i + 1 < found->items.size(); i += 2)
    settings[std::string(pickle.item(*found, i).text)] = plain_value(pickle.item(*found, i + 1));
  return settings;
}

/// The tensors of a list or a tuple, named by their places after `name`. Empty if it holds anything else.
std::vector<TensorRef> tensors_in_list(const Pickle& pickle, const PickleValue& list, const std::string& name,
                                       const Storages& all, Budget& budget) {
  std::vector<TensorRef> tensors;
  if (list.kind != Kind::list && list.kind != Kind::tuple) return tensors;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const PickleValue* const call = tensor_call(pickle, &pickle.item(list, i));
    if (call == nullptr) return {};
    budget.take(sizeof(TensorRef) + name.size() + std::numeric_limits<std::size_t>::digits10);
    tensors.push_back(tensor_of(pickle, pickle.item(*call, 1), all, name + std::to_string(i), budget));
  }
  return tensors;
}

/// The tensors of a file that has no dictionary of them: a single one, without a name, or a list, also as a
/// value of a dictionary.
TorchFile contents_of_list(const Pickle& pickle, const Storages& all, Budget& budget) {
  const PickleValue& root = pickle.root();
  if (const PickleValue* const call = tensor_call(pickle, &root))
    return {{tensor_of(pickle, pickle.item(*call, 1), all, "", budget)}, nullptr};
  std::vector<TensorRef> tensors = tensors_in_list(pickle, root, "", all, budget);
  for (std::size_t i = 0; root.kind == Kind::dict && i + 1 < root.items.size() && tensors.empty(); i += 2) {
    const PickleValue& key = pickle.item(root, i);
    if (key.kind == Kind::text)
      tensors = tensors_in_list(pickle, pickle.item(root, i + 1), std::string(key.text) + ".", all, budget);
  }
  if (tensors.empty()) refuse(failure("it holds no dictionary of tensors"));
  return {std::move(tensors), nullptr};
}

TorchFile contents_of(const Pickle& pickle, const Storages& all, Budget& budget) {
  const PickleValue* dict = &pickle.root();
  if (dict->kind != Kind::dict) return contents_of_list(pickle, all, budget);
  for (const char* const key : {"state_dict", "model"}) {
    const PickleValue* const inside = pickle.find(*dict, key);
    if (inside != nullptr && inside->kind == Kind::dict) dict = inside;
  }
  std::vector<TensorRef> tensors;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
    const PickleValue& key = pickle.item(*dict, i);
    const PickleValue* const call = tensor_call(pickle, &pickle.item(*dict, i + 1));
    if (key.kind != Kind::text || call == nullptr) continue;
    if (!names.insert(key.text).second)
      refuse(failure("it has two tensors called '" + std::string(key.text) + "'"));
    tensors.push_back(tensor_of(pickle, pickle.item(*call, 1), all, key.text, budget));
  }
  if (tensors.empty()) return contents_of_list(pickle, all, budget);
  return {std::move(tensors), settings_of(pickle)};
}

TorchFile contents_of_zip(std::string_view file, Budget& budget) {
  const std::vector<StoredEntry> entries = stored_entries(file);
  const auto ends_in = [&](std::string_view end) {
    return std::ranges::find_if(entries, [&](const StoredEntry& entry) { return entry.name.ends_with(end); });
  };
  constexpr std::string_view pickle_name = "/data.pkl";
  const auto description = ends_in(pickle_name);
  if (description == entries.end()) refuse(failure("it has no data.pkl, which torch.save writes"));
  const auto order = ends_in("/byteorder");
  if (order != entries.end() && order->bytes != "little")
    refuse(failure("its numbers are big-endian: save it again on a little-endian machine"));
  std::string folder(description->name.substr(0, description->name.size() - pickle_name.size()));
  folder += "/data/";
  Storages all;
  for (const StoredEntry& entry : entries) {
    if (entry.name.starts_with(folder)) all.emplace(entry.name.substr(folder.size()), entry.bytes);
  }
  std::string_view bytes = description->bytes;
  return contents_of(Pickle::read(bytes, allowed_names, budget).value(), all, budget);
}

/// Finds the storages, which follow the pickles in the order of a list of their keys, each after its number
/// of elements.
Storages trailing_storages(const Pickle& pickle, const Pickle& keys, std::string_view rest) {
  // The types of the storages occur only in their persistent ids, which may be anywhere in the pickle.
  std::unordered_map<std::string_view, NumberType> types;
  for (const PickleValue& value : pickle.values()) {
    if (const auto id = storage_id(pickle, value)) types.emplace(id->key, id->type);
  }
  Storages all;
  const PickleValue& list = keys.root();
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const std::string_view key = keys.item(list, i).text;
    const auto type = types.find(key);
    constexpr std::size_t count_bytes = 8;
    if (type == types.end() || rest.size() < count_bytes)
      refuse(failure("its storages are damaged or cut off"));
    const std::uint64_t n = number_at(rest, 0, count_bytes);
    rest.remove_prefix(count_bytes);
    if (n > rest.size() / bytes_of(type->second)) refuse(failure("its storages are damaged or cut off"));
    const std::size_t size = n * bytes_of(type->second);
    all.emplace(key, rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return all;
}

/// Reads five consecutive pickles: a magic number, a version, the machine's sizes, the dictionary, and the
/// keys of its storages.
TorchFile contents_of_pickles(std::string_view file, Budget& budget) {
  constexpr int n_before = 3;
  for (int i = 0; i < n_before; ++i) {
    const Pickle before = Pickle::read(file, {}, budget).value();
    const PickleValue* const little =
        before.root().kind == Kind::dict ? before.find(before.root(), "little_endian") : nullptr;
    if (little != nullptr && little->whole == 0)
      refuse(failure("its numbers are big-endian: save it again on a little-endian machine"));
  }
  const Pickle pickle = Pickle::read(file, allowed_names, budget).value();
  const Pickle keys = Pickle::read(file, {}, budget).value();
  return contents_of(pickle, trailing_storages(pickle, keys, file), budget);
}

}  // namespace

Result<TorchFile> read_torch_file(std::string_view file) {
  constexpr std::string_view magic = "\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.";
  const auto read = [&](Budget& budget) {
    return result_of([&] {
      if (file.starts_with("PK\x03\x04")) return contents_of_zip(file, budget);
      if (file.starts_with(magic)) return contents_of_pickles(file, budget);
      refuse(failure("it is neither a zip archive nor an older file of torch.save"));
    });
  };
  return within_budget(Budget(file.size()), "it cannot be read", "save its weights as safetensors", read);
}

Result<std::vector<TensorRef>> torch_tensors(std::string_view file) {
  return read_torch_file(file).map([](TorchFile read) { return std::move(read.tensors); });
}

}  // namespace headscope
