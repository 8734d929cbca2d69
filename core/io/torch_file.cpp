#include "core/io/torch_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/io/pickle.h"
#include "core/io/stored_zip.h"

namespace headscope {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view ordered_dict = "collections.OrderedDict";
constexpr std::string_view rebuild_tensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view rebuild_parameter = "torch._utils._rebuild_parameter";

struct StorageRecord {
  std::string_view name;
  NumberType type;
};

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

/// All names that may occur in the pickle.
constexpr auto allowed_names = [] {
  std::array<std::string_view, storages.size() + 3> names{ordered_dict, rebuild_tensor, rebuild_parameter};
  std::ranges::transform(storages, names.begin() + 3, &StorageRecord::name);
  return names;
}();

/// Maps the key of each storage in a file to its bytes.
using Storages = std::unordered_map<std::string_view, std::string_view>;

/// What the persistent id of a storage says. The id is a tuple: ("storage", class, key, device, number of
/// elements, …).
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
  const auto known = std::ranges::find(storages, type.text, &StorageRecord::name);
  if (type.kind != Kind::name || known == storages.end() || key.kind != Kind::text ||
      size.kind != Kind::whole || size.whole < 0)
    return std::nullopt;
  return StorageId{known->type, key.text, static_cast<std::uint64_t>(size.whole)};
}

/// The elements of a tuple of non-negative integers. No value if it is anything else.
std::optional<std::vector<std::size_t>> sizes_of(const Pickle& pickle, const PickleValue& tuple) {
  constexpr std::size_t most_axes = 64;
  if (tuple.kind != Kind::tuple || tuple.items.size() > most_axes) return std::nullopt;
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < tuple.items.size(); ++i) {
    const PickleValue& size = pickle.item(tuple, i);
    if (size.kind != Kind::whole || size.whole < 0) return std::nullopt;
    sizes.push_back(static_cast<std::size_t>(size.whole));
  }
  return sizes;
}

/// Whether a tensor of this shape and these strides stays within the `n` numbers of its storage, and does not
/// claim more elements than that.
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

/// Returns no strides if the numbers are stored row after row.
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
Result<TensorSource> tensor_of(const Pickle& pickle, const PickleValue& arguments, const Storages& all,
                               std::string_view name) {
  constexpr std::size_t n_needed = 4;
  const auto wrong = [&](const std::string& what) {
    return failure("its tensor '" + std::string(name) + "' " + what);
  };
  if (arguments.items.size() < n_needed)
    return wrong("does not have the form in which PyTorch writes tensors");
  const auto storage = storage_id(pickle, pickle.item(arguments, 0));
  const PickleValue& offset = pickle.item(arguments, 1);
  auto shape = sizes_of(pickle, pickle.item(arguments, 2));
  auto strides = sizes_of(pickle, pickle.item(arguments, 3));
  if (!storage || offset.kind != Kind::whole || offset.whole < 0 || !shape || !strides ||
      shape->size() != strides->size())
    return wrong("does not have the form in which PyTorch writes tensors");
  const auto found = all.find(storage->key);
  if (found == all.end()) return wrong("has no storage '" + std::string(storage->key) + "'");
  const std::size_t n = found->second.size() / bytes_of(storage->type);
  const auto first = static_cast<std::size_t>(offset.whole);
  if (n < storage->n_numbers)
    return wrong("claims more numbers than its storage has; the file is cut off or damaged");
  if (first > n || !reaches_within(*shape, *strides, n - first))
    return wrong("reaches beyond its storage; the file is damaged");
  TensorSource tensor;
  tensor.name = name;
  tensor.type = storage->type;
  tensor.bytes = found->second.substr(first * bytes_of(storage->type));
  tensor.strides = needed_strides(*shape, std::move(*strides));
  tensor.shape = std::move(*shape);
  return tensor;
}

/// The call that makes a tensor, which may be wrapped in a call that makes a parameter of it. Null if the
/// value is not a tensor.
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

Result<std::vector<TensorSource>> tensors_of(const Pickle& pickle, const Storages& all) {
  const PickleValue* dict = &pickle.root();
  if (dict->kind != Kind::dict) return failure("it holds no dictionary of tensors");
  const PickleValue* const inside = pickle.find(*dict, "state_dict");
  if (inside != nullptr && inside->kind == Kind::dict) dict = inside;
  constexpr std::size_t longest_name = 4096;
  std::vector<TensorSource> tensors;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
    const PickleValue& key = pickle.item(*dict, i);
    const PickleValue* const call = tensor_call(pickle, &pickle.item(*dict, i + 1));
    if (key.kind != Kind::text || call == nullptr) continue;
    if (key.text.size() > longest_name) return failure("the name of one of its tensors is too long");
    if (!names.insert(key.text).second)
      return failure("it has two tensors called '" + std::string(key.text) + "'");
    auto tensor = tensor_of(pickle, pickle.item(*call, 1), all, key.text);
    if (!tensor) return tl::unexpected(tensor.error());
    tensors.push_back(std::move(*tensor));
  }
  if (tensors.empty()) return failure("it holds no dictionary of tensors");
  return tensors;
}

Result<std::vector<TensorSource>> tensors_of_zip(std::string_view file) {
  const auto entries = stored_entries(file);
  if (!entries) return tl::unexpected(entries.error());
  const auto ends_in = [&](std::string_view end) {
    return std::ranges::find_if(*entries,
                                [&](const StoredEntry& entry) { return entry.name.ends_with(end); });
  };
  constexpr std::string_view pickle_name = "/data.pkl";
  const auto description = ends_in(pickle_name);
  if (description == entries->end()) return failure("it has no data.pkl, which torch.save writes");
  const auto order = ends_in("/byteorder");
  if (order != entries->end() && order->bytes != "little")
    return failure("its numbers are big-endian: save it again on a little-endian machine");
  std::string folder(description->name.substr(0, description->name.size() - pickle_name.size()));
  folder += "/data/";
  Storages all;
  for (const StoredEntry& entry : *entries) {
    if (entry.name.starts_with(folder)) all.emplace(entry.name.substr(folder.size()), entry.bytes);
  }
  std::string_view bytes = description->bytes;
  const auto pickle = Pickle::read(bytes, allowed_names);
  if (!pickle) return tl::unexpected(pickle.error());
  return tensors_of(*pickle, all);
}

/// Finds the storages, which follow the pickles in the order of a list of their keys, each after its number
/// of elements.
Result<Storages> storages_behind(const Pickle& pickle, const Pickle& keys, std::string_view rest) {
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
      return failure("its storages are damaged or cut off");
    std::uint64_t n = 0;
    for (std::size_t b = count_bytes; b-- > 0;) n = n << 8U | static_cast<unsigned char>(rest[b]);
    rest.remove_prefix(count_bytes);
    if (n > rest.size() / bytes_of(type->second)) return failure("its storages are damaged or cut off");
    const std::size_t size = n * bytes_of(type->second);
    all.emplace(key, rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return all;
}

/// Reads five consecutive pickles: a magic number, a version, the machine's sizes, the dictionary, and the
/// keys of its storages.
Result<std::vector<TensorSource>> tensors_of_pickles(std::string_view file) {
  constexpr int n_before = 3;
  for (int i = 0; i < n_before; ++i) {
    const auto before = Pickle::read(file, {});
    if (!before) return tl::unexpected(before.error());
    const PickleValue* const little =
        before->root().kind == Kind::dict ? before->find(before->root(), "little_endian") : nullptr;
    if (little != nullptr && little->whole == 0)
      return failure("its numbers are big-endian: save it again on a little-endian machine");
  }
  const auto pickle = Pickle::read(file, allowed_names);
  if (!pickle) return tl::unexpected(pickle.error());
  const auto keys = Pickle::read(file, {});
  if (!keys) return tl::unexpected(keys.error());
  const auto all = storages_behind(*pickle, *keys, file);
  if (!all) return tl::unexpected(all.error());
  return tensors_of(*pickle, *all);
}

}  // namespace

Result<std::vector<TensorSource>> torch_tensors(std::string_view file) {
  constexpr std::string_view magic = "\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.";
  if (is_zip(file)) return tensors_of_zip(file);
  if (file.starts_with(magic)) return tensors_of_pickles(file);
  return failure("it is neither a zip archive nor an older file of torch.save");
}

}  // namespace headscope
