#include <cmath>
#include <limits>

#include "core/session/json_fields.h"
#include "core/session/repair.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr int session_version = 1;
constexpr int json_indent = 1;

/// One description of every field for both directions. The sentence and the sizes come before what counts
/// in them.
template <class Archive>
void describe(Archive& archive, Architecture& architecture) {
  using Limits = ArchitectureLimits;
  archive.number("d_model", architecture.d_model, Limits::min_d_model, Limits::max_d_model);
  archive.number("heads", architecture.n_heads, Limits::min_heads, Limits::max_heads);
  archive.number("d_head", architecture.d_head, Limits::min_head_width, Limits::max_head_width);
  archive.number("d_value", architecture.d_value, Limits::min_head_width, Limits::max_head_width);
  archive.group("bias", [&](Archive& bias) {
    bias.flag("query", architecture.bias.query);
    bias.flag("key", architecture.bias.key);
    bias.flag("value", architecture.bias.value);
    bias.flag("output", architecture.bias.output);
  });
  archive.flag("output_projection", architecture.output_projection);
  archive.choice("positions", architecture.positions);
  archive.choice("init", architecture.init);
  archive.number("seed", architecture.seed, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
}

template <class Archive>
void describe(Archive& archive, AttentionOptions& attention, int n_tokens) {
  archive.flag("scale", attention.scale);
  archive.number("temperature", attention.temperature, min_temperature, max_temperature);
  archive.choice("softmax", attention.softmax);
  archive.choice("mask_value", attention.mask_value);
  MaskSpec& mask = attention.mask;
  archive.flag("causal", mask.causal);
  archive.number("window", mask.window, 0, std::numeric_limits<int>::max());
  archive.tokens("padding", mask.padding, n_tokens);
  archive.cells("painted", mask.painted, n_tokens);
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
  archive.number("head", selection.head, 0, session.architecture.n_heads - 1);
  archive.number("token", selection.token, 0, axis_size(session, Axis::query_tokens) - 1);
  archive.optional_group("pin", selection.pin, [&](Archive& group, auto&& pin) {
    group.stage("stage", pin.stage);
    group.number("row", pin.row, 0, axis_size(session, info(pin.stage.kind).rows) - 1);
    group.number("col", pin.col, 0, axis_size(session, info(pin.stage.kind).cols) - 1);
  });
}

template <class Archive>
void describe(Archive& archive, Session& session) {
  archive.text("sentence", session.sentence);
  archive.choice("tokenizer", session.tokenizer);
  archive.group("architecture", [&](Archive& group) { describe(group, session.architecture); });
  const int n_tokens = axis_size(session, Axis::query_tokens);
  archive.group("attention", [&](Archive& group) { describe(group, session.attention, n_tokens); });
  archive.group("picture", [&](Archive& group) { describe(group, session.picture); });
  archive.group("selection", [&](Archive& group) { describe(group, session.selection, session); });
}

}  // namespace

std::string to_json(const Session& session) {
  Session described = session;
  described.sentence = valid_utf8(session.sentence);
  Json json;
  FieldWriter writer(json);
  describe(writer, described);
  // The masks themselves stay in their files; whoever reads this must know that they took part.
  for (const auto& mask : session.attention.mask.loaded) {
    json["attention"]["mask_files"].push_back(
        {{"name", mask->name}, {"shape", {mask->n_heads, mask->rows, mask->cols}}});
  }
  json["version"] = session_version;
  return json.dump(json_indent) + "\n";
}

Result<Session> session_from_json(std::string_view text) {
  const auto cannot_read = [](const std::string& why) { return failure("cannot read the session: " + why); };
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return cannot_read("it is not a JSON object");
  Session session;
  std::string error;
  int version = 0;
  FieldReader reader(json, "", error);
  reader.number("version", version, session_version, session_version);
  if (error.empty() && version != session_version) error = "it has no version";
  describe(reader, session);
  if (!error.empty()) return cannot_read(error);
  return repaired(session, Session{});
}

}  // namespace headscope
