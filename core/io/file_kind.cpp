#include "core/io/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/io/json_text.h"
#include "core/io/safetensors.h"
#include "core/split_text.h"
#include "core/system/mapped_file.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Text = std::string_view;

constexpr Text plain_text = "is a text; --batch opens one with a sentence in each line";
constexpr Text opened_things =
    "; a model's folder, a GGUF file, captured attention, a scene, a figure or a lesson can be opened";

/// A format of other programs, recognised by magic bytes or extension.
struct Format {
  Text begins;
  Text ends;
  Text what;
};

constexpr Text save_again =
    ": save the model with save_pretrained() of Transformers, and open the folder that it writes";
constexpr std::array formats{
    Format{"\x89HDF", ".h5", "an HDF5 file, as Keras writes it"},
    Format{"", ".onnx", "an ONNX file"},
    Format{"", ".tflite", "a TensorFlow Lite file"},
    Format{"", ".msgpack", "a file of Flax"},
    Format{"", ".keras", "a model of Keras"},
    Format{"", ".ckpt", "a checkpoint of TensorFlow or Lightning"},
    Format{"", ".ckpt.index", "a part of a TensorFlow checkpoint"},
    Format{"", ".ckpt.meta", "a part of a TensorFlow checkpoint"},
    Format{"", ".data-00000-of-00001", "a part of a TensorFlow checkpoint"},
    Format{"", ".pb", "a graph of TensorFlow"},
};

/// A format recognised by content, its valid extensions, and the advice for others.
struct Content {
  Text what;
  std::array<Text, 3> ends;
  Text advice;
  bool (*is_in)(Text begin);
};
constexpr std::array contents{
    Content{"a GGUF file",
            {".gguf"},
            "give it a name that ends in .gguf, and open it",
            [](Text begin) { return begin.starts_with("GGUF"); }},
    Content{"a NumPy array",
            {".npy"},
            "give it a name that ends in .npy",
            [](Text begin) { return begin.starts_with("\x93NUMPY"); }},
    Content{
        "a zip archive",
        {".bin", ".pt", ".pth"},
        "if torch.save wrote it, give it a name that ends in .pt; otherwise unpack it, and open what is in it",
        [](Text begin) { return begin.starts_with("PK\x03\x04"); }},
    Content{"a safetensors file",
            {".safetensors"},
            "give it a name that ends in .safetensors",
            begins_as_safetensors}};
/// The extensions of files that this program reads.
constexpr std::array<Text, 7> telling_ends{".gguf", ".npy", ".bin", ".pt", ".pth", ".safetensors", ".json"};

std::string lower(Text text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string beginning_of(const fs::path& file) {
  constexpr std::size_t limit = 4096;
  std::string begin(limit, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), limit);
  begin.resize(static_cast<std::size_t>(in.gcount()));
  return begin;
}

std::string with_commas(const std::string& digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

/// What a file really is if that contradicts its name. Empty otherwise.
std::string misnamed(const fs::path& file, Text begin) {
  std::error_code unknown;
  if (fs::file_size(file, unknown) == 0 && !unknown) return "is an empty file: download or write it again";
  if (begin.starts_with("version https://git-lfs")) {
    const std::size_t at = begin.find("\nsize ");
    const Text rest = at == Text::npos ? Text() : begin.substr(at + 6);
    const std::string size(rest.substr(0, rest.find_first_not_of("0123456789")));
    return "is a Git LFS pointer (" + (size.empty() ? "its" : with_commas(size)) +
           " bytes are elsewhere): run “git lfs pull” in its folder";
  }
  const std::string letters = lower(begin.substr(0, 256));
  const std::size_t first = letters.find_first_not_of(" \t\r\n");
  const Text word = first == std::string::npos ? Text() : Text(letters).substr(first);
  if (word.starts_with("<!doctype html") || word.starts_with("<html"))
    return "is a web page, perhaps an error page in place of a download: download the file again";
  const std::string name = lower(file.filename().string());
  const auto ends = [&](Text end) { return !end.empty() && name.ends_with(end); };
  for (const Content& content : contents) {
    const auto* const told = std::ranges::find_if(telling_ends, ends);
    if (told == telling_ends.end() || !content.is_in(begin) || std::ranges::any_of(content.ends, ends))
      continue;
    return "is " + std::string(content.what) + ", although its name ends in " + std::string(*told) + ": " +
           std::string(content.advice);
  }
  for (const Format& format : formats) {
    const bool begins = !format.begins.empty() && begin.starts_with(format.begins);
    if (begins || name.ends_with(format.ends))
      return "is " + std::string(format.what) + ", which Headscope does not read" + std::string(save_again);
  }
  return {};
}

constexpr std::size_t max_listed_names = 5;

std::string kind_of_safetensors(const fs::path& path) {
  const auto file = MappedFile::open(path);
  const auto view = file ? view_safetensors(file->bytes()) : tl::unexpected(file.error());
  if (!view) return "is a damaged safetensors file (" + view.error().message + "): download it again";
  std::vector<std::string> names;
  for (const TensorRef& tensor : view->tensors) names.push_back(tensor.name);
  return "is a safetensors file with the tensors " + first_texts(names, max_listed_names) +
         ": captured attention has attentions [layers, heads, queries, keys], or queries and keys "
         "(“headscope capture” prints programs that write it); the weights of a model are opened by "
         "their folder, which also has config.json, or from a GGUF file; those of one attention module "
         "by --weights";
}

std::string kind_of_file(const fs::path& file) {
  const std::string begin = beginning_of(file);
  if (const std::string what = misnamed(file, begin); !what.empty()) return what;
  const std::string name = lower(file.filename().string());
  const auto ends = [&](Text end) { return name.ends_with(end); };
  const Text text = begin;
  if (ends(".safetensors")) return kind_of_safetensors(file);
  if (ends(".gguf"))
    return "is not a GGUF file, or a damaged one: it does not begin with “GGUF”: download it again";
  if (text.starts_with("\x93NUMPY"))
    return "is a NumPy array, but not of attention weights [layers, heads, queries, keys], whose rows sum to 1: "
           "--mask opens a mask, and --input or --set numbers of your own";
  if (ends(".npz")) return "is an archive of NumPy arrays: save one array with np.save()";
  if (ends(".bin") || ends(".pt") || ends(".pth") || text.find("data.pkl") != Text::npos)
    return "is a file of PyTorch: a model is opened by its folder, which has config.json beside "
           "pytorch_model.bin or model.safetensors; --weights opens one attention module";
  if (text.starts_with("PK\x03\x04") || text.starts_with("\x1f\x8b") || ends(".tar") || ends(".7z"))
    return "is an archive: unpack it, and open the model's folder in it";
  if (text.starts_with("\x89PNG") || text.starts_with("\xff\xd8\xff") || text.starts_with("GIF8") ||
      text.starts_with("%PDF") || text.substr(0, 16).find("WEBP") != Text::npos || ends(".svg"))
    return "is a picture without a scene: of pictures, only figures that Headscope wrote can be opened, and of "
           "those no films";
  if (name == "adapter_config.json" || name == "config.json" || ends(".index.json") ||
      ends("tokenizer.json") || ends("tokenizer_config.json"))
    return "is one file of a model: open its folder";
  if (ends(".csv") || ends(".tsv"))
    return "is a table: --mask opens a mask, and --input or --set numbers of your own";
  if (ends(".json"))
    return "is a JSON file, but not one of CircuitsVis with attention, which begins with \"attention\" or "
           "\"tokens\": a model is opened by its folder, and a session's settings by --scene";
  const auto is_binary = [](unsigned char c) { return c < '\t'; };
  return (std::ranges::any_of(text, is_binary) ? "is of a kind that Headscope does not know"
                                               : std::string(plain_text)) +
         std::string(opened_things);
}

/// Whether a path is a GGUF file, or a folder with a model configuration.
bool is_model_itself(const fs::path& path) {
  std::error_code unknown;
  return path.extension() == ".gguf" || std::ranges::any_of(model_config_names, [&](const char* name) {
           return fs::exists(path / name, unknown);
         });
}

std::string kind_of_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names, models;
  constexpr std::size_t limit = 2000;
  constexpr int deepest = 1;
  fs::recursive_directory_iterator each(folder, error);
  for (const fs::recursive_directory_iterator end; !error && each != end && names.size() < limit;
       each.increment(error)) {
    const std::string name = each->path().lexically_relative(folder).generic_string();
    const bool is_model = is_model_itself(each->path());
    if (is_model || each.depth() == 0) (is_model ? models : names).push_back(name);
    if (is_model || each.depth() == deepest) each.disable_recursion_pending();
  }
  if (error) return "cannot be read: " + error.message();
  std::ranges::sort(models);
  std::ranges::sort(names);
  const auto with = [&](Text part) {
    return std::ranges::find_if(names,
                                [&](const std::string& name) { return name.find(part) != Text::npos; });
  };
  const auto has = [&](Text part) { return with(part) != names.end(); };
  if (has(adapter_config_name)) {
    const std::string base = base_of_adapter(folder);
    return "is a LoRA adapter" + (base.empty() ? "" : " of " + base) +
           ", which is not a folder beside it: put the files of that model into this folder, or its folder beside "
           "this one";
  }
  if (models.size() == 1) return "holds no model itself: open " + models.front() + " in it";
  if (!models.empty()) return "holds several models: open one of " + first_texts(models, max_listed_names);
  if (names.empty()) return "is an empty folder: a model's folder has config.json beside its weights";
  for (const Format& format : formats) {
    if (has(format.ends))
      return "holds " + std::string(format.what) + " (" + *with(format.ends) +
             "), which Headscope does not read" + std::string(save_again);
  }
  const bool has_config = std::ranges::find(names, "config.json") != names.end();
  if (has_config)
    return "has no weights: neither model.safetensors nor pytorch_model.bin, nor shards of either";
  if (has(".safetensors") || has(".bin"))
    return "holds weights (" + *(has(".safetensors") ? with(".safetensors") : with(".bin")) +
           "), but no config.json, which describes the model: download it into the same folder";
  if (has("tokenizer") || has("vocab.") || has("merges.txt") || has(".tiktoken"))
    return "holds no model, only a tokenizer: “headscope tokenize --tokenizer” opens it";
  return "holds no model: a model's folder has config.json beside its weights";
}

}  // namespace

std::string base_of_adapter(const fs::path& folder) {
  const auto json = read_file(folder / adapter_config_name).and_then(parse_python_json);
  if (!json || !json->is_object()) return {};
  const nlohmann::json base = json->value("base_model_name_or_path", nlohmann::json());
  return base.is_string() ? base.get<std::string>() : "";
}

std::string explain_open_failure(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const std::string name = "'" + path.string() + "' ";
  if (status.type() == fs::file_type::not_found)
    return "there is no file or folder " + name.substr(0, name.size() - 1);
  if (error) return name + "cannot be opened: " + error.message();
  if (status.type() == fs::file_type::directory) return "the folder " + name + kind_of_folder(path);
  if (status.type() != fs::file_type::regular) return name + "is not a regular file";
  if (!std::ifstream(path)) return name + "cannot be read: its permissions do not allow it";
  return name + kind_of_file(path);
}

bool is_plain_text(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown) && kind_of_file(path).starts_with(plain_text);
}

bool is_misnamed(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown) && !misnamed(path, beginning_of(path)).empty();
}

}  // namespace headscope
