#include "core/checkpoint/gguf_model.h"

#include <algorithm>
#include <utility>

#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/gguf_layout.h"
#include "core/io/mapped_file.h"
#include "core/text/utf8.h"
#include "core/tokenizers/gguf_tokenizer.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

std::string known_architectures() {
  std::string names;
  for (const GgufLayout& layout : gguf_layouts())
    names.append(names.empty() ? "" : ", ").append(layout.architecture);
  return names;
}

/// The layout of a file, or why none can be used.
Result<const GgufLayout*> layout_in(const Gguf& file) {
  constexpr std::string_view key = "general.architecture";
  const auto architecture = file.text(key);
  if (!architecture) return failure("its metadata has no " + std::string(key));
  if (const auto parts = file.whole("split.count"); parts && *parts > 1) {
    return failure(
        "it is one of " + std::to_string(*parts) +
        " parts of a model, but only whole models can be opened: join the parts with llama.cpp's gguf-split --merge");
  }
  const auto layouts = gguf_layouts();
  const auto found = std::ranges::find(layouts, *architecture, &GgufLayout::architecture);
  if (found != layouts.end()) return &*found;
  return failure("its general.architecture is “" + valid_utf8(architecture->substr(0, 80)) +
                 "”, but only these are supported: " + known_architectures());
}

/// The rows of the embedding table.
Result<int> rows_of_table(const CheckpointFiles& files) {
  constexpr std::size_t most = 1 << 24;
  const TensorSource* const table = files.find("token_embd.weight");
  if (table == nullptr) return failure("the tensor token_embd.weight is missing");
  if (table->shape.size() == 2 && table->shape[0] <= most) return static_cast<int>(table->shape[0]);
  return failure("its tensor token_embd.weight is not a table of 1 to 16,777,216 rows");
}

Result<Architecture> architecture_in(const Gguf& file, const CheckpointFiles& files,
                                     const GgufLayout& layout) {
  const auto json = gguf_configuration(file, layout);
  if (!json) return tl::unexpected(json.error());
  ModelConfig config(*json);
  Architecture architecture = layout.family.architecture(config, files);
  if (!config.error().empty()) return failure("in its metadata, " + config.error());
  const bool is_rms = architecture.norm_kind == NormKind::rms;
  if (!json->contains(is_rms ? "rms_norm_eps" : "layer_norm_eps")) {
    return failure("its metadata has no " + std::string(layout.architecture) +
                   (is_rms ? ".attention.layer_norm_rms_epsilon" : ".attention.layer_norm_epsilon"));
  }
  if (auto ok = validate(architecture); !ok) return tl::unexpected(ok.error());
  if (auto ok = set_by_tensors(file, files, architecture); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(architecture); !ok) return tl::unexpected(ok.error());
  return architecture;
}

Result<ForeignModel> read_gguf_headers(const fs::path& path) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return tl::unexpected(mapped.error());
  auto gguf = Gguf::parse(mapped->bytes());
  if (!gguf) return cannot_open_model(path, gguf.error().message);
  const auto layout = layout_in(*gguf);
  if (!layout) return cannot_open_model(path, layout.error().message);
  auto files = CheckpointFiles::of_file(std::move(*mapped), gguf->tensors());
  if (!files) return tl::unexpected(files.error());
  const auto architecture = architecture_in(*gguf, *files, **layout);
  if (!architecture) return cannot_open_model(path, architecture.error().message);
  const auto rows = rows_of_table(*files);
  if (!rows) return cannot_open_model(path, rows.error().message);
  std::string called = valid_utf8(gguf->text("general.name").value_or("").substr(0, 200));
  return ForeignModel{path,
                      &(*layout)->family,
                      std::move(*files),
                      *architecture,
                      *rows,
                      {},
                      [gguf = std::move(*gguf)] { return gguf_tokenizer(gguf); },
                      std::move(called)};
}

}  // namespace

Result<std::string> describe_gguf(const fs::path& file) {
  return read_gguf_headers(file).map([](const ForeignModel& model) {
    const std::string types = model.files.types_text();
    return description_of(model) + " · " + types.substr(0, types.find(':'));
  });
}

Result<std::shared_ptr<const TrainedModel>> open_gguf(const fs::path& file, const std::string& name) {
  const auto model = read_gguf_headers(file);
  if (!model) return tl::unexpected(model.error());
  return load_foreign_model(*model, name);
}

}  // namespace headscope
