#include <map>
#include <system_error>
#include <utility>

#include "core/io/json_text.h"
#include "core/system/read_file.h"
#include "core/tokenizers/open_tokenizer.h"
#include "core/tokenizers/sentencepiece_model.h"
#include "core/tokenizers/vocabulary_files.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
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
Result<std::vector<ScoredPiece>> in_order(const nlohmann::json& ids, std::vector<ScoredPiece> pieces) {
  std::map<std::string, ScoredPiece> known;
  for (ScoredPiece& piece : pieces) known.emplace(piece.text, std::move(piece));
  std::vector<ScoredPiece> ordered(ids.size());
  for (const auto& [piece, id] : ids.items()) {
    const bool is_place = id.is_number_unsigned() && id.get<std::size_t>() < ordered.size();
    if (!is_place || !ordered[id.get<std::size_t>()].text.empty())
      return failure("the ids of its pieces are not 0 to " + std::to_string(ids.size() - 1));
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
  const auto failed = [](const fs::path& file, const std::string& why) {
    return failure("cannot read '" + file.string() + "': " + why);
  };
  const auto text = read_file(folder / marian_vocabulary);
  if (!text) return tl::unexpected(text.error());
  const auto ids = parse_json(*text);
  if (!ids || !ids->is_object())
    return failed(folder / marian_vocabulary, ids ? "it is not a JSON object" : ids.error().message);
  const auto bytes = read_file(folder / model_name);
  if (!bytes) return tl::unexpected(bytes.error());
  auto model = parse_sentencepiece(*bytes);
  if (!model) return failed(folder / model_name, model.error().message);
  auto pieces = in_order(*ids, std::move(model->pieces));
  if (!pieces) return failed(folder / marian_vocabulary, pieces.error().message);
  model->pieces = std::move(*pieces);
  auto configuration = read_model_configuration(folder);
  if (!configuration) return tl::unexpected(configuration.error());
  configuration->family = "t5";  // Same post-processing
  configuration->extra_ids = 0;
  auto parts = sentencepiece_parts(std::move(*model), *configuration);
  if (!parts) return failed(folder / model_name, parts.error().message);
  parts->special_ids = special_ids_of(*parts, *configuration);
  return std::make_shared<const ModelTokenizer>(std::move(*parts));
}

}  // namespace headscope
