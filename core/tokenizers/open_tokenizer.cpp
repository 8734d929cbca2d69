#include "core/tokenizers/open_tokenizer.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/budget.h"
#include "core/caught.h"
#include "core/io/gguf.h"
#include "core/io/json_text.h"
#include "core/split_text.h"
#include "core/system/mapped_file.h"
#include "core/system/read_file.h"
#include "core/tokenizers/sentencepiece_model.h"
#include "core/tokenizers/tokenizer_files.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

TokenizerParts parts_of_json(const fs::path& /*path*/, std::string_view text,
                             const ModelConfiguration& configuration) {
  TokenizerParts parts = parse_tokenizer_json(text).value();
  apply_tokenizer_class(parts, configuration);
  return parts;
}

TokenizerParts parts_of_vocabulary_and_merges(const fs::path& path, std::string_view text,
                                              const ModelConfiguration& configuration) {
  const bool is_merges = path.filename() == "merges.txt";
  const std::string name = is_merges ? "vocab.json" : "merges.txt";
  const std::string other = result_of("it needs " + name + " beside it, but ", [&] {
                              return read_file(path.parent_path() / name).value();
                            }).value();
  return is_merges ? parse_vocabulary_and_merges(other, text, configuration)
                   : parse_vocabulary_and_merges(text, other, configuration);
}

TokenizerParts parts_of_lines(const fs::path& /*path*/, std::string_view text,
                              const ModelConfiguration& configuration) {
  return parse_vocabulary_lines(text, configuration);
}

TokenizerParts parts_of_ranks(const fs::path& path, std::string_view text,
                              const ModelConfiguration& configuration) {
  return parse_tiktoken(text, configuration.family + " " + path.filename().string()).value();
}

/// Llama 3's tokenizer.model has tiktoken ranks.
TokenizerParts parts_of_model(const fs::path& /*path*/, std::string_view text,
                              const ModelConfiguration& configuration) {
  if (looks_like_tiktoken(text)) return parse_tiktoken(text, "llama").value();
  return sentencepiece_parts(parse_sentencepiece(text).value(), configuration).value();
}

/// The name of a file, or its end if it begins with a dot, and the function that reads such files.
using FileKind = std::pair<std::string_view, TokenizerParts (*)(const fs::path& path, std::string_view text,
                                                                const ModelConfiguration& configuration)>;

bool is_of(const FileKind& kind, const std::string& name) {
  return kind.first.starts_with('.') ? name.ends_with(kind.first) : name == kind.first;
}

/// In search order.
constexpr std::array tokenizer_files{
    FileKind{"tokenizer.json", parts_of_json}, FileKind{"vocab.json", parts_of_vocabulary_and_merges},
    FileKind{"vocab.txt", parts_of_lines},     FileKind{"tokenizer.model", parts_of_model},
    FileKind{"spiece.model", parts_of_model},  FileKind{"sentencepiece.bpe.model", parts_of_model},
    FileKind{"spm.model", parts_of_model},     FileKind{".tiktoken", parts_of_ranks}};

/// The kinds of files that may also be opened directly.
constexpr std::array named_tokenizer_files{FileKind{"merges.txt", parts_of_vocabulary_and_merges},
                                           FileKind{".json", parts_of_json}, FileKind{".txt", parts_of_lines},
                                           FileKind{".model", parts_of_model}};

tl::unexpected<Error> tokenizer_error(const fs::path& path, const std::string& why) {
  return failure("cannot open a tokenizer at '" + path.string() + "': " + why);
}

using ChosenFile = std::pair<fs::path, const FileKind*>;

ChosenFile chosen_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator each(folder, error); !error && each != fs::directory_iterator();
       each.increment(error)) {
    std::error_code of_file;
    if (each->is_regular_file(of_file)) names.push_back(each->path().filename().string());
  }
  if (error) refuse(tokenizer_error(folder, error.message()));
  std::sort(names.begin(), names.end());
  for (const FileKind& kind : tokenizer_files) {
    for (const std::string& name : names) {
      const bool lacks_merges = kind.first == "vocab.json" &&
                                !std::binary_search(names.begin(), names.end(), std::string("merges.txt"));
      if (is_of(kind, name) && !lacks_merges) return ChosenFile{folder / name, &kind};
    }
  }
  const std::string all = join_texts(tokenizer_files, ", ", [](const FileKind& kind) {
    return (kind.first.starts_with('.') ? "*" : "") + std::string(kind.first);
  });
  refuse(tokenizer_error(
      folder, "the folder has none of the files of a tokenizer (" + all + "; vocab.json needs merges.txt)"));
}

ChosenFile chosen_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return chosen_in(path);
  const std::string name = path.filename().string();
  for (const FileKind& kind : tokenizer_files) {
    if (is_of(kind, name)) return ChosenFile{path, &kind};
  }
  for (const FileKind& kind : named_tokenizer_files) {
    if (is_of(kind, name)) return ChosenFile{path, &kind};
  }
  refuse(tokenizer_error(
      path,
      "its name does not show its format: give it the name under which it was published (tokenizer.json, vocab.txt, tokenizer.model, NAME.tiktoken), or give its folder"));
}

Result<std::shared_ptr<const ModelTokenizer>> tokenizer_in_gguf(const fs::path& path) {
  return read_mapped(path, [](const MappedFile& file) {
    const std::string problem = "cannot read '" + file.path().string() + "'";
    const auto read = [&](Budget&) {
      return result_of(problem + ": ",
                       [&] { return gguf_tokenizer(Gguf::parse(file.bytes()).value()).value(); });
    };
    return within_budget(Budget(file.bytes().size()), problem, "use another tokenizer", read);
  });
}

}  // namespace

Result<std::shared_ptr<const ModelTokenizer>> open_tokenizer(const fs::path& path) try {
  if (is_gguf(path)) return tokenizer_in_gguf(path);
  return result_of([&] {
    const auto [file, kind] = chosen_file(path);
    const std::string problem = "cannot read '" + file.string() + "'";
    const std::string text = read_file(file).value();
    const auto read = [&, &file = file, &kind = kind](Budget&) {
      return result_of([&] {
        const ModelConfiguration configuration = read_model_configuration(file.parent_path());
        TokenizerParts parts =
            result_of(problem + ": ", [&] { return kind->second(file, text, configuration); }).value();
        parts.special_ids = special_ids_of(parts, configuration);
        return std::make_shared<const ModelTokenizer>(std::move(parts));
      });
    };
    return within_budget(Budget(text.size()), problem, "use another tokenizer", read).value();
  });
} catch (...) {
  return tokenizer_error(path, current_exception_message());
}

namespace {

using Kind = ScoredPiece::Kind;

constexpr const char* marian_vocabulary = "vocab.json";

/// The kind of a piece that is not in the sentencepiece model: special tokens and language names (“>>fr<<”)
/// are matched literally, and pieces of the other language never occur.
Kind kind_of(const std::string& piece) {
  if (piece == "<unk>") return Kind::unknown;
  const bool is_special = piece == "</s>" || piece == "<pad>" || piece.starts_with(">>");
  return is_special ? Kind::control : Kind::unused;
}

/// The pieces of a model in vocabulary order.
std::vector<ScoredPiece> in_order(const nlohmann::json& ids, std::vector<ScoredPiece> pieces) {
  std::map<std::string, ScoredPiece> known;
  for (ScoredPiece& piece : pieces) known.emplace(piece.text, std::move(piece));
  std::vector<ScoredPiece> ordered(ids.size());
  for (const auto& [piece, id] : ids.items()) {
    const bool is_place = id.is_number_unsigned() && id.get<std::size_t>() < ordered.size();
    if (!is_place || !ordered[id.get<std::size_t>()].text.empty())
      refuse(failure("the ids of its pieces are not 0 to " + std::to_string(ids.size() - 1)));
    const auto found = known.find(piece);
    const bool is_text = found != known.end() && found->second.kind == Kind::normal;
    ordered[id.get<std::size_t>()] = is_text ? found->second : ScoredPiece{piece, 0.0F, kind_of(piece)};
  }
  return ordered;
}

}  // namespace

bool has_marian_tokenizer(const fs::path& folder) {
  std::error_code unknown;
  return fs::exists(folder / "source.spm", unknown) && fs::exists(folder / marian_vocabulary, unknown);
}

Result<std::shared_ptr<const ModelTokenizer>> open_marian_tokenizer(const fs::path& folder,
                                                                    const char* model_name) {
  const auto reading = [&](const char* file, const auto& read) {
    return result_of("cannot read '" + (folder / file).string() + "': ", read).value();
  };
  return result_of([&] {
    const std::string text = read_file(folder / marian_vocabulary).value();
    const auto ids = reading(marian_vocabulary, [&] {
      auto json = parse_json(text).value();
      if (!json.is_object()) refuse(failure("it is not a JSON object"));
      return json;
    });
    const std::string bytes = read_file(folder / model_name).value();
    SentencePieceModel model = reading(model_name, [&] { return parse_sentencepiece(bytes).value(); });
    model.pieces = reading(marian_vocabulary, [&] { return in_order(ids, std::move(model.pieces)); });
    ModelConfiguration configuration = read_model_configuration(folder);
    configuration.family = "t5";  // Same post-processing
    configuration.extra_ids = 0;
    TokenizerParts parts =
        reading(model_name, [&] { return sentencepiece_parts(std::move(model), configuration).value(); });
    parts.special_ids = special_ids_of(parts, configuration);
    return std::make_shared<const ModelTokenizer>(std::move(parts));
  });
}

}  // namespace headscope
