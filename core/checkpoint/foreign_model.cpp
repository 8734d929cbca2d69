#include "core/checkpoint/foreign_model.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/tensor_loader.h"
#include "core/result.h"
#include "core/system/machine_memory.h"
#include "core/tensor/floats.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

tl::unexpected<Error> cannot_open_model(const std::filesystem::path& path, const std::string& why) {
  return failure("the model in '" + path.string() + "' cannot be opened: " + why);
}

std::string family_name(const ForeignModel& model) {
  return std::string(model.family->name) + (model.adapter.empty() ? "" : " with " + model.adapter);
}

std::string description_of(const ForeignModel& model) {
  const Architecture& a = model.architecture;
  const auto megabytes = static_cast<long long>(model.files->bytes() / 1'000'000);
  return family_name(model) + " · " + layers_text(a) + " × " + std::to_string(a.n_heads) + " heads · " +
         (megabytes > 0 ? std::to_string(megabytes) + " MB" : "below 1 MB");
}

namespace {

/// Splits texts with a model's own tokenizer. A typed separator ("[SEP]") divides a text into a pair, just as
/// the tokenizer joins the texts of a pair with it.
class OfModel : public Tokenizer {
 public:
  /// `start` is the id of a token that begins every text and replaces the special tokens that the tokenizer
  /// would add.
  OfModel(std::shared_ptr<const ModelTokenizer> own, std::optional<int> start, bool has_pair_segments)
      : own_(std::move(own)), start_(start), has_pair_segments_(has_pair_segments) {}

  TokenizerKind kind() const override { return TokenizerKind::model; }
  /// A text that the tokenizer refuses becomes a single token without an id, which the error of the pass
  /// names.
  std::vector<Token> tokenize(std::string_view text) const override {
    std::vector<Token> tokens;
    if (start_) {
      Token& token = tokens.emplace_back();
      token.text = own_->shown(*start_);
      token.lookup = own_->piece(*start_);
      token.id = *start_;
      token.is_special = true;
    }
    const auto encoded = own_->encode(text, !start_);
    if (!encoded) {
      constexpr int no_id = -1;
      Token& token = tokens.emplace_back();
      token.text = encoded.error().message;
      token.id = no_id;
      token.span = {0, text.size()};
      return tokens;
    }
    tokens.reserve(tokens.size() + encoded->size());
    const std::optional<int> separator = own_->special_ids().sep;
    bool is_second = false;
    for (const ModelToken& read : *encoded) {
      Token& token = tokens.emplace_back(read.token);
      token.is_special = read.is_special;
      token.continues_word = read.continues_word;
      token.segment = is_second ? 1 : 0;
      if (has_pair_segments_ && separator && token.id == *separator) is_second = true;
    }
    return tokens;
  }

  std::string with_appended_tokens(std::string_view text, std::span<const Token> next) const override {
    auto ids = own_->ids(text, false);
    if (!ids) return Tokenizer::with_appended_tokens(text, next);
    const std::vector<int> added = ids_of(next);
    const auto before = own_->decode(*ids);
    ids->insert(ids->end(), added.begin(), added.end());
    const auto after = own_->decode(*ids);
    // Decoding may lose spaces of the text, but what the new tokens append to the decoded text are their
    // pieces. An incomplete character can spoil those before it.
    if (before && after && after->starts_with(*before))
      return std::string(text) + after->substr(before->size());
    const auto alone = own_->decode(added);
    return alone ? std::string(text) + *alone : Tokenizer::with_appended_tokens(text, next);
  }

 private:
  std::shared_ptr<const ModelTokenizer> own_;
  std::optional<int> start_;
  bool has_pair_segments_;
};

/// Why files do not have what the configuration describes, with the sizes that it leaves out.
tl::unexpected<Error> misfit(const ForeignModel& model, const std::string& why) {
  return cannot_open_model(model.path,
                           why + (model.missing_sizes.empty() ? "" : " (" + model.missing_sizes + ")"));
}

/// Checks that the files are large enough for what the configuration claims, and that this machine has enough
/// memory for the model.
void check_size(const ForeignModel& model) {
  const double numbers = count_distinct_parameters(model.architecture);
  if (numbers > model.files->max_numbers()) {
    refuse(misfit(model, "its configuration describes " + std::to_string(std::llround(numbers)) +
                             " numbers, but its files have only " + std::to_string(model.files->bytes()) +
                             " bytes"));
  }
  // Weights are packed when they are used, so a model needs its final linear layer and, at a time, about one
  // layer of the others.
  const int n_layers =
      model.architecture.layers_of(Stack::encoder) + model.architecture.layers_of(Stack::decoder);
  const double bytes = unembedding_bytes(model.architecture, model.vocabulary) +
                       model_bytes(model.architecture) / std::max(n_layers, 1);
  ensure(
      check_memory(bytes, "the model in '" + model.path.string() + "'", "take a smaller one of its family"));
}

/// The files of a model that was opened.
class OpenedFiles : public ModelFiles {
 public:
  OpenedFiles(std::shared_ptr<const CheckpointFiles> files, std::vector<const TensorRef*> used,
              double saved_bytes, std::shared_ptr<const PackedMemoryBudget> share)
      : files_(std::move(files)),
        used_(std::move(used)),
        saved_bytes_(saved_bytes),
        share_(std::move(share)) {}

  std::vector<std::string> non_finite_tensors() const override {
    std::vector<char> is_finite(used_.size());
    shared_pool().for_each(static_cast<int>(used_.size()), [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      is_finite[at] = static_cast<char>(has_only_finite_numbers(*used_[at]));
    });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (is_finite[i] == 0) names.push_back(files_->stored_name(used_[i]->name));
    }
    std::ranges::sort(names);
    return names;
  }
  double max_packed_bytes() const override { return share_->bytes(); }
  double saved_bytes() const override { return saved_bytes_; }

 private:
  Result<void> compare() const override { return files_->check_unchanged(); }
  static bool has_only_finite_numbers(const TensorRef& tensor) {
    constexpr std::size_t at_once = 1 << 16;
    std::vector<float> numbers(at_once);
    for (std::size_t first = 0; first < tensor.size(); first += at_once) {
      const std::size_t n = std::min(at_once, tensor.size() - first);
      read_numbers(tensor, first, n, numbers.data());
      if (!all_finite(numbers.data(), n)) return false;
    }
    return true;
  }

  std::shared_ptr<const CheckpointFiles> files_;
  std::vector<const TensorRef*> used_;
  double saved_bytes_;
  std::shared_ptr<const PackedMemoryBudget> share_;
};

/// What all models of the program together may fill with packed weights.
std::shared_ptr<PackedMemoryBudget> share_of_program() {
  static const auto share = std::make_shared<PackedMemoryBudget>(machine_memory() / 2);
  return share;
}

}  // namespace

void set_tokenizer(TrainedModel& model, const Result<std::shared_ptr<const ModelTokenizer>>& own, int size,
                   std::optional<int> decoder_start, bool has_pair_segments) {
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<std::size_t>(size));
  for (int id = 0; id < size; ++id) {
    const bool has_piece = own && id < (*own)->size();
    pieces.push_back(has_piece ? (*own)->shown(id) : std::to_string(id));
  }
  int pad = 0;
  int end = -1;
  if (!own) {
    model.tokenizer_error = own.error().message;
  } else {
    const SpecialIds& special = (*own)->special_ids();
    // A tokenizer may have a padding token for which the model has no row.
    if (special.pad.value_or(0) < size) pad = special.pad.value_or(0);
    if (special.eos && *special.eos < size) end = *special.eos;
    if (special.mask && *special.mask < size) model.mask_text = (*own)->piece(*special.mask);
    if (!(*own)->doubt().empty()) model.warnings.push_back((*own)->doubt());
    model.tokenizer = std::make_shared<const OfModel>(*own, std::nullopt, has_pair_segments);
    if (decoder_start) model.target_tokenizer = std::make_shared<const OfModel>(*own, decoder_start, false);
  }
  model.vocabulary = Vocabulary::from_pieces(std::move(pieces), pad, end);
}

ModelSlices load_foreign_model(ForeignModel model, std::string name) {
  return load_foreign_model(std::move(model), std::move(name), share_of_program());
}

ModelSlices load_foreign_model(ForeignModel from, std::string name,
                               std::shared_ptr<PackedMemoryBudget> share) {
  try {
    const Architecture& architecture = from.architecture;
    check_size(from);
    const ParameterLayout layout = layout_of(architecture, from.vocabulary);
    auto model = std::make_shared<TrainedModel>(TrainedModel{name,
                                                             "",
                                                             0,
                                                             0,
                                                             0,
                                                             {},
                                                             Vocabulary::from_pieces({}),
                                                             {},
                                                             FolderSource{name, from.files->sampled_hash()}});
    model->model.architecture = architecture;
    model->model.drawn = false;
    TensorLoader loader(*from.family, from.files, layout, share);
    const auto place_part = [&]<class Part>(const ParameterSlot& slot, Part& part) {
      if constexpr (std::is_same_v<Part, Linear>) {
        loader.linear(slot, part);
      } else if constexpr (std::is_same_v<Part, WordTable>) {
        loader.word_table(slot.first, slot.n_in, slot.n_out, part);
      } else {
        loader.table(slot.first, slot.n_in, slot.n_out, part);
      }
    };
    const auto placed = result_of([&] {
      visit_parts(layout, model->model, place_part);
      loader.check_unused_tensors();
    });
    if (!placed) refuse(misfit(from, placed.error().message));
    model->warnings = from.warnings;
    loader.add([&] {
      set_tokenizer(*model, from.tokenizer(), from.vocabulary, from.decoder_start,
                    from.family->has_pairs && architecture.foreign.segments > 1);
      if (!from.target_tokenizer || !model->target_tokenizer) return;
      if (const auto target = from.target_tokenizer())
        model->target_tokenizer = std::make_shared<const OfModel>(*target, from.decoder_start, false);
    });
    Slices<std::monostate> running = loader.run(shared_pool());
    while (running.next()) co_yield running.share();
    ensure(from.files->check_unchanged());
    model->family = family_name(from);
    model->embedded_name = from.embedded_name;
    model->stored_types = from.files->types_text();
    model->unused = loader.unused();
    model->unknown_keys = from.unknown_keys;
    model->steps = from.steps;
    model->trained_on = from.trained_on;
    model->example = from.example;
    double saved_bytes = loader.saved_bytes();
    if (architecture.output_layer == OutputLayer::tied) {
      model->model.unembedding = tied_unembedding(model->model, share);
      saved_bytes += model->model.unembedding->saved_bytes();
    }
    if (model->model.unembedding) model->model.unembedding->reserve_packed_memory();
    model->files = std::make_shared<const OpenedFiles>(from.files, loader.used(), saved_bytes, share);
    for (int i = 0; i < architecture.foreign.classes; ++i)
      model->class_names.push_back("class " + std::to_string(i));
    co_return model;
  } catch (const std::bad_alloc&) {
    // The message needs the memory that is released here.
  }
  co_return failure("not enough memory for the model in '" + from.path.string() +
                    "': choose a smaller model of its family");
}

}  // namespace headscope
