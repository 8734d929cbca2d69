#include <algorithm>
#include <cmath>
#include <limits>

#include "core/io/json_text.h"
#include "core/model/trained_model.h"
#include "core/session/architecture_fields.h"
#include "core/session/repair.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr int session_version = 1;
constexpr int json_indent = 1;

// Each describe() is one description of every field for both directions. The sentence and the sizes come
// before what counts in them.

template <class Archive>
void describe(Archive& archive, MaskSpec& mask, int n_queries, int n_keys) {
  archive.flag("causal", mask.causal);
  archive.number("window", mask.window, 0, std::numeric_limits<int>::max());
  archive.number("prefix", mask.prefix, 0, std::numeric_limits<int>::max());
  archive.tokens("padding", mask.padding, n_keys);
  archive.cells("painted", mask.painted, n_queries, n_keys);
}

template <class Archive>
void describe(Archive& archive, AttentionOptions& attention, int n_source, int n_target) {
  archive.flag("scale", attention.scale);
  archive.number("temperature", attention.temperature, min_temperature, max_temperature);
  archive.choice("softmax", attention.softmax);
  archive.mask_value("mask_value", attention.mask_value);
  describe(archive, attention.mask, n_source, n_source);
  archive.group("target_mask",
                [&](Archive& mask) { describe(mask, attention.target_mask, n_target, n_target); });
  archive.group("cross_mask",
                [&](Archive& mask) { describe(mask, attention.cross_mask, n_target, n_source); });
  archive.flag("train", attention.train);
  archive.number("dropout", attention.dropout, 0.0F, max_dropout);
  archive.number("dropout_seed", attention.dropout_seed, std::uint64_t{0},
                 std::numeric_limits<std::uint64_t>::max());
}

template <class Archive>
void describe(Archive& archive, Sampling& sampling) {
  archive.flag("greedy", sampling.greedy);
  archive.number("temperature", sampling.temperature, min_sampling_temperature, max_sampling_temperature);
  archive.number("top_k", sampling.top_k, 0, std::numeric_limits<int>::max());
  archive.number("top_p", sampling.top_p, 0.0F, 1.0F);
  archive.number("seed", sampling.seed, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
}

template <class Archive>
void describe(Archive& archive, TrainingSettings& training) {
  using Limits = TrainingLimits;
  archive.number("steps", training.steps, 1, Limits::max_steps);
  archive.number("batch_size", training.batch_size, 1, Limits::max_batch_size);
  archive.number("learning_rate", training.learning_rate, Limits::min_learning_rate,
                 Limits::max_learning_rate);
}

template <class Archive>
void describe(Archive& archive, PictureOptions& picture) {
  archive.choice("sequential", picture.sequential);
  archive.choice("diverging", picture.diverging);
  archive.choice("range", picture.range);
  archive.number("fixed_low", picture.fixed_low, -max_fixed_range, max_fixed_range);
  const double above_low = std::nextafter(picture.fixed_low, std::numeric_limits<double>::infinity());
  archive.number("fixed_high", picture.fixed_high, above_low, max_fixed_range);
  archive.choice("transfer", picture.transfer);
  archive.number("gamma", picture.gamma, min_gamma, max_gamma);
  archive.flag("numbers", picture.numbers);
  archive.number("line_threshold", picture.line_threshold, 0.0F, 1.0F);
  archive.choice("theme", picture.theme);
}

template <class Archive>
void describe(Archive& archive, Selection& selection, const Session& session) {
  archive.choice("view", selection.view);
  StageId stage = normalized({selection.stage});
  archive.stage("stage", stage);
  selection.stage = stage.kind;
  archive.choice("stack", selection.stack);
  archive.number("layer", selection.layer, 0, session.architecture.n_layers - 1);
  archive.choice("attention", selection.attention);
  archive.number("head", selection.head, 0, session.architecture.n_heads - 1);
  const int n_queries = axis_size(session, selection.at(StageKind::weights), Axis::query_tokens);
  archive.number("token", selection.token, 0, n_queries - 1);
  // How large its stage is depends on weights that may not be there: repaired() drops a pin without a cell.
  archive.optional_group("pin", selection.pin, [&](Archive& group, auto&& pin) {
    group.stage("stage", pin.stage);
    group.number("row", pin.row, 0, std::numeric_limits<int>::max());
    group.number("col", pin.col, 0, std::numeric_limits<int>::max());
  });
}

template <class Archive>
void describe(Archive& archive, Session& session) {
  archive.text("sentence", session.sentence);
  archive.text("target", session.target);
  archive.texts("batch", session.batch);
  archive.number("sequence", session.sequence, 0, std::max(static_cast<int>(session.batch.size()) - 1, 0));
  archive.choice("tokenizer", session.tokenizer);
  archive.text("output_words", session.output_words);
  archive.group("architecture", [&](Archive& group) { describe(group, session.architecture); });
  archive.text("task", session.task);
  archive.group("training", [&](Archive& group) { describe(group, session.training); });
  archive.group("attention", [&](Archive& group) {
    describe(group, session.attention, n_source_tokens(session), n_target_tokens(session));
  });
  archive.group("sampling", [&](Archive& group) { describe(group, session.sampling); });
  archive.group("picture", [&](Archive& group) { describe(group, session.picture); });
  archive.group("selection", [&](Archive& group) { describe(group, session.selection, session); });
}

}  // namespace

std::string to_json(const Session& session) {
  Session described = session;
  described.sentence = valid_utf8(session.sentence);
  described.target = valid_utf8(session.target);
  described.output_words = valid_utf8(session.output_words);
  for (std::string& sentence : described.batch) sentence = valid_utf8(sentence);
  Json json;
  FieldWriter writer(json);
  describe(writer, described);
  // The masks themselves stay in their files; the reader must know that they were applied.
  const AttentionOptions& attention = session.attention;
  for (const MaskSpec* masks : {&attention.mask, &attention.target_mask, &attention.cross_mask}) {
    for (const auto& mask : masks->loaded) {
      json["attention"]["mask_files"].push_back(
          {{"name", mask->name},
           {"axes", mask->axes},
           {"shape", {mask->n_sequences, mask->n_heads, mask->rows, mask->cols}}});
    }
  }
  if (session.model && !session.model->name.empty()) json["model"] = session.model->name;
  json["version"] = session_version;
  return json_text(json, json_indent) + "\n";
}

Result<Session> session_from_json(std::string_view text, const ModelValue& model) {
  const auto cannot_read = [](const std::string& why) { return failure("cannot read the session: " + why); };
  const auto parsed = parse_json(text);
  if (!parsed) return cannot_read(parsed.error().message);
  const Json& json = *parsed;
  if (!json.is_object()) return cannot_read("it is not a JSON object");
  Session session;
  std::string error;
  int version = 0;
  FieldReader reader(json, "", error);
  reader.number("version", version, session_version, session_version);
  if (error.empty() && version != session_version) error = "it has no version";
  describe(reader, session);
  if (!error.empty()) return cannot_read(error);
  if (model && model->model.architecture == session.architecture) {
    session.model = model;
    session.task = model->task;
  }
  return repaired(session, Session{});
}

}  // namespace headscope
