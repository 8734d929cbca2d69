#include "core/checkpoint/foreign_model.h"

#include <cmath>
#include <new>
#include <utility>

#include "core/checkpoint/folder_tokenizer.h"
#include "core/checkpoint/tensor_loader.h"
#include "core/io/machine_memory.h"

namespace headscope {

tl::unexpected<Error> cannot_open_model(const std::filesystem::path& path, const std::string& why) {
  return failure("the model in '" + path.string() + "' cannot be opened: " + why);
}

std::string description_of(const ForeignModel& model) {
  const Architecture& a = model.architecture;
  const auto megabytes = static_cast<long long>(model.files.bytes() / 1'000'000);
  return std::string(model.family->name) + " · " + layers_text(a) + " × " + std::to_string(a.n_heads) +
         " heads · " + (megabytes > 0 ? std::to_string(megabytes) + " MB" : "below 1 MB");
}

namespace {

/// Checks that the files have what the configuration claims, and the machine the memory for it.
Result<void> check_size(const ForeignModel& model) {
  const double of_layers = count_parameters(model.architecture);
  if (of_layers > model.files.most_numbers()) {
    return cannot_open_model(model.path, "its configuration describes " +
                                             std::to_string(std::llround(of_layers)) +
                                             " numbers, but its files have only " +
                                             std::to_string(model.files.bytes()) + " bytes");
  }
  const double bytes = model_bytes(model.architecture) + table_bytes(model.architecture, model.vocabulary);
  return check_memory(bytes, "the model in '" + model.path.string() + "'",
                      "take a smaller one of its family");
}

}  // namespace

Result<std::shared_ptr<const TrainedModel>> load_foreign_model(const ForeignModel& from,
                                                               const std::string& name) try {
  const Architecture& architecture = from.architecture;
  if (auto ok = check_size(from); !ok) return tl::unexpected(ok.error());
  const ParameterLayout layout = layout_of(architecture, from.vocabulary);
  auto model = std::make_shared<TrainedModel>(TrainedModel{
      name, "", 0, 0, 0, {}, Vocabulary::of_pieces({}), {}, FolderSource{name, from.files.sampled_hash()}});
  model->model.architecture = architecture;
  model->model.drawn = false;
  TensorLoader loader(*from.family, from.files, layout);
  visit_parts(layout, model->model, loader);
  loader.check_left_over();
  if (!loader.error().empty()) return cannot_open_model(from.path, loader.error());
  FolderTokenizer tokenizer;
  loader.add([&] {
    tokenizer = folder_tokenizer(from.tokenizer(), from.vocabulary, from.decoder_start,
                                 from.family->has_pairs && architecture.foreign.segments > 1);
  });
  for (const MappedFile& file : from.files.files()) file.will_need();
  TaskPool pool;
  loader.run(pool);
  if (auto ok = from.files.check_whole(); !ok) return tl::unexpected(ok.error());
  model->family = from.family->name;
  model->vocabulary = Vocabulary::of_pieces(std::move(tokenizer.pieces), tokenizer.pad, tokenizer.end);
  model->tokenizer = std::move(tokenizer.of_source);
  model->target_tokenizer = std::move(tokenizer.of_target);
  model->no_tokenizer = std::move(tokenizer.problem);
  model->mask_text = std::move(tokenizer.mask_text);
  model->called = from.called;
  model->stored_as = from.files.types_text();
  model->unused = loader.unused();
  model->not_finite = loader.not_finite();
  for (int i = 0; i < architecture.foreign.classes; ++i)
    model->class_names.push_back("class " + std::to_string(i));
  return model;
} catch (const std::bad_alloc&) {
  return failure("not enough memory for the model in '" + from.path.string() +
                 "': choose a smaller model of its family");
}

}  // namespace headscope
