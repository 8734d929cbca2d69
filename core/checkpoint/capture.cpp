#include "core/checkpoint/capture.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/checkpoint/captured_text.h"
#include "core/io/checkpoint_files.h"
#include "core/io/json_text.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/io/torch_file.h"
#include "core/little_endian.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"
#include "core/system/read_file.h"
#include "core/tensor/hash.h"
#include "core/tensor/parallel.h"
#include "core/tensor/shape_text.h"
#include "core/text/number_text.h"
#include "core/to_float.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Shape = std::vector<std::size_t>;

constexpr const char* capture_family = "Captured attention";

std::string cannot_open(const fs::path& file) {
  return "the capture in '" + file.string() + "' cannot be opened: ";
}

/// Returns what `read` does, which throws only why the file cannot be opened.
template <class Read>
auto reading(const fs::path& file, Read read) {
  return result_of(cannot_open(file), read).value();
}

/// Numbers of a capture in a mapped file or in memory.
struct Source {
  std::shared_ptr<const void> owner;  ///< Keeps the bytes alive.
  TensorRef tensor;

  CapturedRows rows() const {
    const std::size_t width = tensor.shape.back();
    return [*this, width](std::size_t first, int n, float* out) {
      read_numbers(tensor, first * width, static_cast<std::size_t>(n) * width, out);
    };
  }
};

/// The parts of a capture as its file names them, before their sizes are checked.
struct Parts {
  std::optional<Source> attentions, queries, keys, values, hidden_states, mask;
  std::optional<double> scale;
  std::vector<std::string> tokens;         ///< Empty if there are none.
  std::vector<std::string> source_tokens;  ///< Empty if keys are those of the same text.
  std::string name;
  std::shared_ptr<const MappedFile> file;  ///< Null for JSON, whose numbers are in memory.

  std::uint64_t hash() const {
    return file ? xxh64_hash(file->bytes()) : xxh64_hash(attentions->tensor.bytes);
  }
};

/// The record of a tensor that a capture may have.
struct PartRecord {
  const char* name;
  std::optional<Source> Parts::*part;
  std::vector<const char*> axes;
};

const std::vector<PartRecord>& part_records() {
  static const std::vector<PartRecord> records{
      {"attentions", &Parts::attentions, {"layers", "heads", "queries", "keys"}},
      {"queries", &Parts::queries, {"layers", "heads", "queries", "d_head"}},
      {"keys", &Parts::keys, {"layers", "key heads", "keys", "d_head"}},
      {"values", &Parts::values, {"layers", "key heads", "keys", "d_value"}},
      {"hidden_states", &Parts::hidden_states, {"layers + 1", "queries", "d_model"}}};
  return records;
}

std::string axes_text(const PartRecord& record) {
  return "[" + join_texts(record.axes, ", ") + "]";
}

// Weights of single layers or heads, and arrays

/// A part that is a copy of numbers in memory.
Source source_of(std::shared_ptr<std::vector<float>> numbers, Shape shape) {
  TensorRef tensor{"attentions", std::move(shape), NumberType::f32, {}, {}};
  tensor.bytes = {reinterpret_cast<const char*>(numbers->data()), numbers->size() * sizeof(float)};
  return {std::move(numbers), std::move(tensor)};
}

/// The name of the weights of a layer in the caches of TransformerLens, and of a head in the traces that this
/// program writes.
std::string pattern_name(std::size_t layer) {
  return "blocks." + std::to_string(layer) + ".attn.hook_pattern";
}
using TracedAttention = std::pair<const char*, const char*>;
/// The stacks and kinds. In a trace with two texts, the attention between them comes first.
constexpr std::array traced_attentions{TracedAttention{"decoder", "cross"},
                                       TracedAttention{"decoder", "self"},
                                       TracedAttention{"encoder", "self"}};
std::string weights_name(const TracedAttention& traced, std::size_t layer, std::size_t head) {
  return std::string(traced.first) + ".layers." + std::to_string(layer) + "." + traced.second + ".heads." +
         std::to_string(head) + ".weights";
}

/// The axes of a layer's weights: heads, queries and keys.
constexpr std::size_t min_axes = 3;

using TensorsByName = std::unordered_map<std::string_view, const TensorRef*>;
TensorsByName by_name(const std::vector<TensorRef>& tensors) {
  TensorsByName names;
  for (const TensorRef& tensor : tensors) names.emplace(tensor.name, &tensor);
  return names;
}

/// The weights of a layer by any of the names for them: those of TransformerLens, or its place in the list
/// `attentions` of Transformers. Those of all layers may also be one tensor without a name. Null if there are
/// none.
const TensorRef* weights_of_layer(const TensorsByName& tensors, std::size_t layer) {
  const std::string place = std::to_string(layer);
  std::vector<std::string> names{pattern_name(layer), "attentions." + place, place};
  if (layer == 0) names.emplace_back();
  for (const std::string& name : names) {
    const auto found = tensors.find(name);
    if (found != tensors.end() && found->second->is_weight()) return found->second;
  }
  return nullptr;
}

/// The weights of all layers and heads, of a file with so many bytes. Empty if it has none, or not the same
/// of each layer, or more numbers than bytes, because tensors share storages.
std::optional<Source> gathered_weights(const std::vector<TensorRef>& tensors, std::size_t n_bytes) {
  const TensorsByName names = by_name(tensors);
  const auto find = [&](const std::string& name) {
    const auto found = names.find(name);
    const bool is_map =
        found != names.end() && found->second->is_weight() && found->second->shape.size() >= 2;
    return is_map ? found->second : nullptr;
  };
  const auto* const traced = std::ranges::find_if(traced_attentions, [&](const TracedAttention& each) {
    return find(weights_name(each, 0, 0)) != nullptr;
  });
  auto numbers = std::make_shared<std::vector<float>>();
  const auto add = [&](const TensorRef& tensor) {
    const std::size_t end = numbers->size();
    if (tensor.size() == 0 || tensor.size() > n_bytes - end) return false;
    numbers->resize(end + tensor.size());
    read_numbers(tensor, 0, tensor.size(), numbers->data() + end);
    return true;
  };
  Shape shape;
  std::size_t n_layers = 0;
  for (;; ++n_layers) {
    Shape of_layer;
    if (const TensorRef* const weights = weights_of_layer(names, n_layers)) {
      if (weights->shape.size() < min_axes || !add(*weights)) return std::nullopt;
      of_layer = weights->shape;
    } else if (traced != traced_attentions.end()) {
      for (std::size_t head = 0; const auto* const map = find(weights_name(*traced, n_layers, head));
           ++head) {
        if (map->shape.size() != 2 || (head > 0 && map->shape != Shape(of_layer.begin() + 1, of_layer.end())))
          return std::nullopt;
        of_layer = {head + 1, map->shape[0], map->shape[1]};
        if (!add(*map)) return std::nullopt;
      }
    }
    if (of_layer.empty()) break;
    if (n_layers > 0 && of_layer != shape) return std::nullopt;
    shape = std::move(of_layer);
  }
  if (n_layers == 0) return std::nullopt;
  // A tensor without a name, which torch.save() wrote alone, has an axis for the layers.
  const bool has_layers = n_layers == 1 && names.contains("");
  if (!has_layers) shape.insert(shape.begin(), n_layers);
  return source_of(std::move(numbers), std::move(shape));
}

Parts parts_of_npy(const fs::path& path) {
  NpyArray array = read_npy(path).value();
  Parts parts;
  parts.attentions = source_of(std::make_shared<std::vector<float>>(std::move(array.values)),
                               Shape(array.shape.begin(), array.shape.end()));
  return parts;
}

/// Attention that torch.save() wrote: a list of the layers' weights, or a cache of TransformerLens.
Parts parts_of_torch(const fs::path& path) {
  const MappedFile file = MappedFile::open(path).value();
  const auto tensors = reading(path, [&] { return torch_tensors(file.bytes()).value(); });
  Parts parts;
  parts.attentions = gathered_weights(tensors, file.bytes().size());
  return parts;
}

// What a safetensors file has

/// Whether JSON is an array of texts, and not empty.
bool are_texts(const Json& json) {
  return json.is_array() && !json.empty() && std::ranges::all_of(json, &Json::is_string);
}

std::vector<std::string> tokens_in(const TensorMetadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return {};
  const auto json = parse_json(found->second);
  if (json && are_texts(*json)) return json->get<std::vector<std::string>>();
  refuse(failure(std::string("the metadata ") + key +
                 " must be a JSON array of texts, such as json.dumps([\"The\", \" cat\"]) writes"));
}

/// The scale, from a tensor of one number or from the metadata.
std::optional<double> scale_in(const std::vector<TensorRef>& tensors, const TensorMetadata& metadata) {
  const auto tensor = std::ranges::find(tensors, "scale", &TensorRef::name);
  const auto written = metadata.find("scale");
  double scale = 0.0;
  if (tensor != tensors.end()) {
    if (tensor->size() != 1 || !tensor->is_weight())
      refuse(failure("scale must be a single number of type F32"));
    float number = 0.0F;
    read_numbers(*tensor, 0, 1, &number);
    scale = static_cast<double>(number);
  } else if (written != metadata.end()) {
    const auto json = parse_json(written->second);
    if (!json || !json->is_number()) refuse(failure("the metadata scale must be a number"));
    scale = json->get<double>();
  } else {
    return std::nullopt;
  }
  constexpr auto most = static_cast<double>(ArchitectureLimits::max_score_scale);
  if (std::isfinite(scale) && scale > 0.0 && scale <= most) return scale;
  refuse(failure("scale is " + number_text(scale) + ", but it must be greater than 0 and at most " +
                 number_text(most) + ": it multiplies q · k, as 1/√d_head does"));
}

Parts parts_of_safetensors(const std::shared_ptr<const MappedFile>& owner) {
  const auto [tensors, metadata] = view_safetensors(owner->bytes()).value();
  Parts parts;
  for (const TensorRef& tensor : tensors) {
    if (tensor.name == "mask") parts.mask = Source{owner, tensor};
    const auto record = std::ranges::find_if(
        part_records(), [&](const PartRecord& each) { return tensor.name == each.name; });
    if (record == part_records().end()) continue;
    if (!tensor.is_weight())
      refuse(failure(tensor.name + " has the type " + std::string(name_of(tensor.type)) +
                     ", but F32, F16 or BF16 is needed: write it with .float()"));
    parts.*record->part = Source{owner, tensor};
  }
  if (!parts.attentions && !parts.queries)
    parts.attentions = gathered_weights(tensors, owner->bytes().size());
  parts.scale = scale_in(tensors, metadata);
  parts.tokens = tokens_in(metadata, "tokens");
  parts.source_tokens = tokens_in(metadata, "source_tokens");
  if (const auto name = metadata.find("name"); name != metadata.end()) parts.name = name->second;
  parts.file = owner;
  return parts;
}

// What CircuitsVis's JSON has

/// Adds the numbers of nested arrays. Returns false if the arrays do not have the lengths of the shape.
bool add_numbers(const Json& json, const Shape& shape, std::size_t axis, std::vector<float>& numbers) {
  if (axis == shape.size()) {
    if (!json.is_number()) return false;
    numbers.push_back(to_float(json.get<double>()));
    return true;
  }
  return json.is_array() && json.size() == shape[axis] && std::ranges::all_of(json, [&](const Json& inner) {
           return add_numbers(inner, shape, axis + 1, numbers);
         });
}

Parts parts_of_json(const std::string& text) {
  const Json json = parse_json(text).value();
  if (!json.is_object() || !json.contains("attention") || !json.contains("tokens"))
    refuse(
        failure("it is not what CircuitsVis writes, a JSON object with \"tokens\" and \"attention\" [heads, "
                "queries, keys]"));
  Parts parts;
  if (!are_texts(json["tokens"])) refuse(failure("\"tokens\" must be an array of texts"));
  parts.tokens = json["tokens"].get<std::vector<std::string>>();
  Shape shape;
  for (const Json* inner = &json["attention"]; inner->is_array() && !inner->empty(); inner = &inner->front())
    shape.push_back(inner->size());
  auto numbers = std::make_shared<std::vector<float>>();
  const bool has_axes = shape.size() == min_axes || shape.size() == min_axes + 1;
  if (!has_axes || !add_numbers(json["attention"], shape, 0, *numbers))
    refuse(failure(
        "\"attention\" must be nested arrays of numbers with the axes [heads, queries, keys] or [layers, "
        "heads, queries, keys], all of the same lengths"));
  parts.attentions = source_of(std::move(numbers), std::move(shape));
  return parts;
}

/// A batch of one text and a single layer need no axis.
void set_usual_axes(Parts& parts) {
  for (const PartRecord& record : part_records()) {
    auto& part = parts.*record.part;
    if (!part) continue;
    Shape& shape = part->tensor.shape;
    if (shape.size() == record.axes.size() + 1 && shape[1] == 1) shape.erase(shape.begin() + 1);
    if (record.part == &Parts::attentions && shape.size() + 1 == record.axes.size())
      shape.insert(shape.begin(), 1);
  }
}

Parts read_parts(const fs::path& path) {
  if (path.extension() == ".npy") return parts_of_npy(path);
  if (path.extension() == ".pt") return parts_of_torch(path);
  if (path.extension() == ".json") {
    const std::string text = read_file(path).value();
    return reading(path, [&] { return parts_of_json(text); });
  }
  const auto file = std::make_shared<const MappedFile>(MappedFile::open(path).value());
  return reading(path, [&] { return parts_of_safetensors(file); });
}

// Whether the parts fit together

void check_axes(const Parts& parts) {
  for (const PartRecord& record : part_records()) {
    const auto& part = parts.*record.part;
    if (!part) continue;
    const Shape& shape = part->tensor.shape;
    const auto size = record.name + (" is " + shape_text(shape));
    if (shape.size() != record.axes.size()) {
      const bool has_batch = shape.size() == record.axes.size() + 1;
      refuse(failure(size + ", but it must be " + axes_text(record) +
                     (has_batch ? ": leave out the axis of the batch, for example with " +
                                      std::string(record.name) + "[:, 0]"
                                : "")));
    }
    if (part->tensor.size() == 0) refuse(failure(size + ", so it is empty"));
  }
}

/// The size of each axis, by its name in the records.
using Sizes = std::map<std::string_view, std::size_t>;

/// The sizes of all parts. It is an error if two disagree.
Sizes sizes_of(const Parts& parts) {
  if (!parts.attentions && !parts.queries)
    refuse(failure("it has neither attentions [layers, heads, queries, keys] nor queries and keys"));
  if (parts.queries.has_value() != parts.keys.has_value())
    refuse(failure(parts.queries ? "it has queries but no keys" : "it has keys but no queries"));
  check_axes(parts);
  const Shape& first = (parts.attentions ? parts.attentions : parts.queries)->tensor.shape;
  Sizes sizes{{"layers + 1", first[0] + 1}};
  for (const PartRecord& record : part_records()) {
    const auto& part = parts.*record.part;
    for (std::size_t i = 0; part && i < record.axes.size(); ++i)
      sizes.try_emplace(record.axes[i], part->tensor.shape[i]);
  }
  sizes.try_emplace("key heads", sizes["heads"]);
  for (const char* const depth : {"d_head", "d_value", "d_model"}) sizes.try_emplace(depth, 1);
  if (sizes["heads"] % sizes["key heads"] != 0)
    refuse(failure("its " + std::to_string(sizes["heads"]) + " heads cannot share " +
                   std::to_string(sizes["key heads"]) + " heads of keys in groups of equal size"));
  for (const PartRecord& record : part_records()) {
    const auto& part = parts.*record.part;
    Shape expected;
    for (const char* const axis : record.axes) expected.push_back(sizes[axis]);
    if (!part || part->tensor.shape == expected) continue;
    refuse(failure(std::string(record.name) + " is " + shape_text(part->tensor.shape) + ", but beside " +
                   (parts.attentions ? "attentions " : "queries ") + shape_text(first) + " it must be " +
                   shape_text(expected)));
  }
  return sizes;
}

/// Checks that there are as many tokens as queries and as many source tokens as keys.
void check_tokens(const Parts& parts, const Sizes& sizes) {
  const std::size_t n_queries = sizes.at("queries"), n_keys = sizes.at("keys");
  const auto check = [](const char* name, const std::vector<std::string>& tokens, std::size_t n,
                        const char* what) {
    if (!tokens.empty() && tokens.size() != n)
      refuse(failure(std::string(name) + " has " + count_text(static_cast<int>(tokens.size()), "text") +
                     ", but there are " + std::to_string(n) + " " + what));
  };
  check("tokens", parts.tokens, n_queries, "queries");
  check("source_tokens", parts.source_tokens, n_keys, "keys");
  if (n_queries != n_keys && parts.source_tokens.empty())
    refuse(failure(
        "it has " + std::to_string(n_queries) + " queries and " + std::to_string(n_keys) +
        " keys: the keys of another text need the metadata source_tokens; if they are those of a cache, keep only "
        "as many as there are queries"));
}

/// The maximum magnitude. Products of larger numbers with each other and with the scale might overflow.
constexpr float largest_number = 1e15F;

/// Whether the numbers of a row are valid. Weights must be shares, whose sum may be below 1 because of sinks
/// and hidden keys.
bool is_row(std::span<const float> row, bool is_weights, NumberType type) {
  if (!std::ranges::all_of(row, [](float number) { return std::abs(number) <= largest_number; }))
    return false;
  if (!is_weights) return true;
  double sum = 0.0;
  for (const float weight : row) sum += static_cast<double>(weight);
  const double rounding = type == NumberType::f32 ? 1e-3 : 0.05;
  return sum <= 1.0 + rounding && std::ranges::all_of(row, [](float weight) { return weight >= 0.0F; });
}

/// It is an error if a number cannot be shown. The message names the first.
void check_numbers(const PartRecord& record, const Source& source) {
  const TensorRef& tensor = source.tensor;
  const std::size_t width = tensor.shape.back();
  const std::size_t n_rows = tensor.size() / width;
  constexpr std::size_t numbers_at_once = std::size_t{1} << 16U;
  const std::size_t at_once = std::max<std::size_t>(numbers_at_once / width, 1);
  const bool is_weights = std::string_view(record.name) == "attentions";
  std::atomic<std::size_t> wrong{n_rows};
  shared_pool().for_each(static_cast<int>((n_rows + at_once - 1) / at_once), [&](int part) {
    const std::size_t first = static_cast<std::size_t>(part) * at_once;
    const std::size_t n = std::min(at_once, n_rows - first);
    std::vector<float> numbers(n * width);
    read_numbers(tensor, first * width, n * width, numbers.data());
    std::size_t in_part = 0;
    while (in_part < n && is_row(std::span(numbers).subspan(in_part * width, width), is_weights, tensor.type))
      ++in_part;
    if (in_part == n) return;
    const std::size_t row = first + in_part;
    for (std::size_t known = wrong; row < known && !wrong.compare_exchange_weak(known, row);) {
    }
  });
  if (wrong == n_rows) return;
  std::string place;
  std::size_t rest = wrong;
  for (std::size_t axis = tensor.shape.size() - 1; axis-- > 0;) {
    place.insert(0, std::to_string(rest % tensor.shape[axis]) + (place.empty() ? "" : ", "));
    rest /= tensor.shape[axis];
  }
  place = std::string(record.name) + "[" + place + "]";
  if (!is_weights) refuse(failure(place + " holds NaN, ±∞ or a number beyond ±10¹⁵"));
  refuse(failure(
      place +
      " is not a row of weights: it holds NaN, ±∞ or a number below 0, or its sum is above 1. Write the output of the softmax, with the model in eval mode; where every key is hidden, PyTorch gives NaN, which torch.nan_to_num(attentions) turns into 0"));
}

// Masks

/// Whether no query of the weights has a weight on a later key.
bool are_causal(const Source& weights) {
  const Shape& shape = weights.tensor.shape;
  const std::size_t n = shape[3];
  if (shape[2] != n || n < 2) return false;
  std::atomic<bool> causal{true};
  shared_pool().for_each(static_cast<int>(shape[0] * shape[1]), [&](int map) {
    if (!causal) return;
    std::vector<float> row(n);
    for (std::size_t query = 0; query < n; ++query) {
      read_numbers(weights.tensor, (static_cast<std::size_t>(map) * n + query) * n, n, row.data());
      if (std::any_of(row.begin() + static_cast<std::ptrdiff_t>(query) + 1, row.end(),
                      [](float w) { return w != 0.0F; }))
        causal = false;
    }
  });
  return causal;
}

/// The numbers of a mask: 1 and 0, or the numbers that are added to scores.
std::vector<float> mask_numbers(const TensorRef& tensor) {
  std::vector<float> numbers(tensor.size());
  if (tensor.is_weight()) {
    read_numbers(tensor, 0, numbers.size(), numbers.data());
    const auto can_be_added = [](float number) { return number <= largest_number; };
    if (!std::ranges::all_of(numbers, can_be_added))
      refuse(failure(
          "mask holds NaN, +∞ or a number above 10¹⁵, but hidden cells hold −∞ or a large negative number"));
    const auto is_flag = [](float number) { return number == 0.0F || number == 1.0F; };
    if (std::ranges::all_of(numbers, is_flag) && std::ranges::count(numbers, 1.0F) > 0)
      refuse(failure("mask has only 0.0 and 1.0, which would be added to the scores: write it with .bool()"));
    return numbers;
  }
  constexpr std::array whole{NumberType::boolean, NumberType::u8,  NumberType::i8,  NumberType::i16,
                             NumberType::i32,     NumberType::i64, NumberType::u32, NumberType::u64};
  if (std::ranges::find(whole, tensor.type) == whole.end())
    refuse(failure("mask has the type " + std::string(name_of(tensor.type)) +
                   ": write it as bool, or as float32"));
  const std::size_t size = bytes_of(tensor.type);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t number = little_endian(tensor.bytes.substr(i * size, size));
    if (number > 1)
      refuse(failure("mask holds whole numbers other than 0 and 1: write it as bool, or as float32"));
    numbers[i] = static_cast<float>(number);
  }
  return numbers;
}

/// The mask of a capture. Null if there is none.
std::shared_ptr<const LoadedMask> loaded_mask(const Parts& parts, const Sizes& sizes) {
  if (!parts.mask) return nullptr;
  const std::size_t n_heads = sizes.at("heads"), n_queries = sizes.at("queries"), n_keys = sizes.at("keys");
  const TensorRef& tensor = parts.mask->tensor;
  const std::vector<Shape> fitting{{n_queries, n_keys}, {1, n_keys}, {n_heads, n_queries, n_keys}};
  if (std::ranges::find(fitting, tensor.shape) == fitting.end())
    refuse(failure("mask is " + shape_text(tensor.shape) +
                   ", but it must be [queries, keys] = " + shape_text(fitting[0]) + ", " +
                   shape_text(fitting[1]) + " or one for each head, " + shape_text(fitting[2])));
  auto mask = std::make_shared<LoadedMask>();
  mask->name = "mask";
  mask->additive = tensor.is_weight();
  const std::size_t rank = tensor.shape.size();
  mask->n_heads = rank == 2 ? 1 : static_cast<int>(n_heads);
  mask->rows = static_cast<int>(tensor.shape[rank - 2]);
  mask->cols = static_cast<int>(n_keys);
  mask->values = mask_numbers(tensor);
  return mask;
}

/// Whether a mask lets each query see exactly the keys up to its own position.
bool is_causal(const LoadedMask& mask) {
  if (mask.additive || mask.n_heads != 1 || mask.rows != mask.cols || mask.rows < 2) return false;
  for (int query = 0; query < mask.rows; ++query) {
    for (int key = 0; key < mask.cols; ++key) {
      const auto at = static_cast<std::size_t>(query) * static_cast<std::size_t>(mask.cols) +
                      static_cast<std::size_t>(key);
      if ((mask.values[at] != 0.0F) != (key <= query)) return false;
    }
  }
  return true;
}

// The model

Architecture architecture_of(const Parts& parts, const Sizes& sizes) {
  Architecture a;
  a.stacks = parts.source_tokens.empty() ? Stacks::encoder : Stacks::cross;
  const auto whole = [&](const char* axis) {
    return static_cast<int>(std::min<std::size_t>(sizes.at(axis), std::numeric_limits<int>::max()));
  };
  a.n_layers = whole("layers");
  a.n_heads = whole("heads");
  if (sizes.at("key heads") != sizes.at("heads")) a.n_kv_heads = whole("key heads");
  a.d_head = whole("d_head");
  a.d_value = whole("d_value");
  a.d_model = whole("d_model");
  a.bias = {false, false, false, false, false};
  a.output_projection = false;
  a.positions = Positions::none;
  if (parts.scale) a.score_scale = to_float(*parts.scale);
  a.foreign.captured = CapturedParts{parts.attentions.has_value(), parts.queries.has_value(),
                                     parts.values.has_value(), parts.hidden_states.has_value()};
  return a;
}

std::shared_ptr<const CapturedAttention> numbers_of(const Parts& parts, const Sizes& sizes) {
  const auto rows = [](const std::optional<Source>& part) { return part ? part->rows() : CapturedRows(); };
  return std::make_shared<const CapturedAttention>(CapturedAttention{
      rows(parts.attentions), rows(parts.queries), rows(parts.keys), rows(parts.values),
      rows(parts.hidden_states), static_cast<int>(sizes.at("queries")), static_cast<int>(sizes.at("keys"))});
}

/// Returns the tokens or, if the capture does not name them, their numbers.
std::vector<std::string> named_or_counted(const std::vector<std::string>& tokens, std::size_t n) {
  if (!tokens.empty()) return tokens;
  std::vector<std::string> counted_tokens;
  for (std::size_t i = 0; i < n; ++i) counted_tokens.push_back(std::to_string(i));
  return counted_tokens;
}

void set_texts(const Parts& parts, const Sizes& sizes, TrainedModel& model) {
  CapturedPieces pieces;
  CapturedText asking = captured_text(named_or_counted(parts.tokens, sizes.at("queries")), pieces);
  if (parts.source_tokens.empty()) {
    model.text = std::move(asking.text);
    model.tokenizer = std::move(asking.tokenizer);
  } else {
    CapturedText source = captured_text(parts.source_tokens, pieces);
    model.text = std::move(source.text);
    model.tokenizer = std::move(source.tokenizer);
    model.target_text = std::move(asking.text);
    model.target_tokenizer = std::move(asking.tokenizer);
  }
  model.vocabulary = Vocabulary::from_pieces(std::move(pieces.shown));
}

/// The parts, sizes and architecture of a capture, from its header.
std::tuple<Parts, Sizes, Architecture> capture_headers(const fs::path& file) {
  Parts parts = read_parts(file);
  set_usual_axes(parts);
  return reading(file, [&] {
    Sizes sizes = sizes_of(parts);
    check_tokens(parts, sizes);
    Architecture architecture = architecture_of(parts, sizes);
    ensure(validate(architecture));
    return std::tuple(std::move(parts), std::move(sizes), std::move(architecture));
  });
}

/// A capture in a mapped file, whose numbers were checked when it was opened.
class CaptureFile : public ModelFiles {
 public:
  explicit CaptureFile(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {}

  std::vector<std::string> non_finite_tensors() const override { return {}; }
  double max_packed_bytes() const override { return 0.0; }
  double saved_bytes() const override { return 0.0; }
  std::string_view bytes() const { return file_->bytes(); }

 private:
  Result<void> compare() const override {
    if (file_->is_unchanged()) return {};
    return failure("the capture in '" + file_->path().string() +
                   "' was changed after it was opened: open it again when it is complete");
  }

  std::shared_ptr<const MappedFile> file_;
};

/// Whether a JSON file begins with one of the keys that CircuitsVis writes.
bool begins_as_capture(const fs::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return false;
  constexpr std::size_t most = 64;
  std::string begin;
  for (const char letter : file->bytes().substr(0, most)) {
    if (std::isspace(static_cast<unsigned char>(letter)) == 0) begin += letter;
  }
  return begin.starts_with(R"({"attention":)") || begin.starts_with(R"({"tokens":)");
}

bool sums_to_one(const std::vector<float>& row) {
  constexpr double rounding = 1e-2;
  return std::abs(std::accumulate(row.begin(), row.end(), 0.0) - 1.0) < rounding;
}

/// Whether an array has the axes of heads, queries and keys, and its last row sums to 1, which the last row
/// of a mask does not.
bool is_array_of_weights(const fs::path& path) {
  const auto array = read_end_of_npy(path, 0);
  constexpr std::size_t max_axes = 5;
  if (!array || !array->type.starts_with("float") || array->shape.size() < min_axes ||
      array->shape.size() > max_axes)
    return false;
  const auto row = read_end_of_npy(path, static_cast<std::size_t>(array->shape.back()));
  return row && sums_to_one(row->values);
}

/// The same of the first layer in a file of PyTorch.
bool is_torch_file_of_weights(const fs::path& path) {
  const auto file = MappedFile::open(path);
  const auto tensors = file ? torch_tensors(file->bytes()) : tl::unexpected(file.error());
  const TensorRef* const weights = tensors ? weights_of_layer(by_name(*tensors), 0) : nullptr;
  if (weights == nullptr || weights->shape.size() < min_axes || weights->size() == 0) return false;
  std::vector<float> row(weights->shape.back());
  read_numbers(*weights, weights->size() - row.size(), row.size(), row.data());
  return sums_to_one(row);
}

}  // namespace

bool is_capture(const fs::path& path) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return false;
  if (path.extension() == ".npy") return is_array_of_weights(path);
  if (path.extension() == ".json") return begins_as_capture(path);
  if (path.extension() == ".pt") return is_torch_file_of_weights(path);
  if (path.extension() != ".safetensors") return false;
  const auto file = MappedFile::open(path);
  const auto view = file ? view_safetensors(file->bytes()) : tl::unexpected(file.error());
  return view && std::ranges::any_of(view->tensors, [](const TensorRef& tensor) {
           const auto is_traced = [&](const TracedAttention& each) {
             return tensor.name == weights_name(each, 0, 0);
           };
           return tensor.name == "attentions" || tensor.name == "queries" || tensor.name == pattern_name(0) ||
                  std::ranges::any_of(traced_attentions, is_traced);
         });
}

Result<std::shared_ptr<const TrainedModel>> open_capture(const fs::path& file, const std::string& name) try {
  return result_of([&]() -> std::shared_ptr<const TrainedModel> {
    const auto headers = capture_headers(file);
    const auto& [parts, sizes, architecture] = headers;
    const auto mask = reading(file, [&, &parts = parts, &sizes = sizes] {
      for (const PartRecord& record : part_records())
        if (parts.*record.part) check_numbers(record, *(parts.*record.part));
      if (parts.file && !parts.file->is_unchanged()) refuse(failure("it changed while it was read"));
      return loaded_mask(parts, sizes);
    });
    auto model = std::make_shared<TrainedModel>(TrainedModel{
        name, "", 0, 0, 0, {}, Vocabulary::from_pieces({}), {}, FolderSource{name, parts.hash()}});
    Architecture& a = model->model.architecture;
    a = architecture;
    const bool has_causal_mask = mask != nullptr && is_causal(*mask);
    const bool is_decoder = parts.attentions ? are_causal(*parts.attentions) : has_causal_mask;
    if (is_decoder && a.stacks == Stacks::encoder) a.stacks = Stacks::decoder;
    const bool is_in_causal_mask = has_causal_mask && a.stacks == Stacks::decoder;
    if (!is_in_causal_mask && !parts.attentions) model->mask = mask;
    model->model.drawn = false;
    model->model.captured = numbers_of(parts, sizes);
    if (parts.file) model->files = std::make_shared<const CaptureFile>(parts.file);
    model->family = capture_family;
    model->embedded_name = parts.name;
    set_texts(parts, sizes, *model);
    return model;
  });
} catch (const std::bad_alloc&) {
  return failure(cannot_open(file) + "there is not enough memory: capture a shorter text, or fewer layers");
}

Result<void> write_capture(const fs::path& file, const TrainedModel& capture) {
  const auto* read = dynamic_cast<const CaptureFile*>(capture.files.get());
  if (read == nullptr)
    return failure(
        "the attention of “" + capture.title() +
        "” was not opened from a safetensors file, and only such files can be saved with a session");
  if (auto whole = read->check_unchanged(); !whole) return whole;
  return write_atomically(file, read->bytes());
}

Result<std::string> describe_capture(const fs::path& file) {
  return result_of([&] {
    const auto [parts, sizes, architecture] = capture_headers(file);
    return std::string(capture_family) + " · " + layers_text(architecture) + " × " +
           std::to_string(architecture.n_heads) + " heads · " +
           count_text(static_cast<int>(sizes.at("queries")), "token");
  });
}

}  // namespace headscope
