#include "core/session/presets.h"

#include <algorithm>
#include <utility>

#include "core/io/json_text.h"
#include "core/model/trained_model.h"
#include "core/session/json_fields.h"
#include "core/session/repair.h"
#include "core/session/setting_json.h"

namespace headscope {
namespace {

/// Describes the differences from the real model. `original` is a sentence about the real model's sizes, or
/// empty.
std::string differences(const std::string& original, const std::string& others) {
  if (original.empty()) return others;
  const std::string sizes = "Random weights and smaller, with the same ratios. " + original;
  return others.empty() ? sizes : sizes + " " + others;
}

/// Reads settings, which change those of the default session.
Session session_of(const nlohmann::json& settings) {
  Session session = default_session();
  reject_unread_settings(settings);
  read_settings(settings, "", session);
  return repaired(std::move(session), default_session());
}

}  // namespace

AttentionOptions initial_attention(const TrainedModel& model) {
  AttentionOptions options;
  const Stacks stacks = model.model.architecture.stacks;
  MaskSpec& mask = stacks == Stacks::cross ? options.cross_mask : options.mask;
  mask.causal = stacks == Stacks::decoder;
  if (model.mask) mask.loaded = {model.mask};
  return options;
}

Subject defaults_of(const Subject& before, const ModelRef& model) {
  Subject defaults = before;
  defaults.tokenizer = model->tokenizer_kind();
  defaults.model = model;
  defaults.task = model->task;
  defaults.architecture = model->model.architecture;
  defaults.interventions = {};
  defaults.given = {};
  defaults.attention = initial_attention(*model);
  return defaults;
}

Subject with_defaults(Subject subject, const Subject& of) {
  subject.tokenizer = of.tokenizer;
  subject.output_words = of.output_words;
  subject.architecture = of.architecture;
  subject.attention = of.attention;
  subject.interventions = of.interventions;
  subject.given = of.given;
  subject.task = of.task;
  subject.model = of.model;
  return subject;
}

Session default_session() {
  Session session;
  session.texts = texts_of(session);
  const std::vector<Token>& tokens = session.texts.sentence();
  const auto it = std::ranges::find(tokens, "it", &Token::lookup);
  if (it != tokens.end()) session.selection.token = static_cast<int>(it - tokens.begin());
  return session;
}

Result<Preset> read_preset(const EmbeddedFile& file) {
  return result_of("cannot read the preset “" + std::string(file.name) + "”: ", [&] {
    const nlohmann::json json = parse_json(file.text).value();
    const JsonFields fields(json, "");
    Preset preset;
    preset.name = fields.text("name");
    preset.title = fields.text("title", preset.name);
    preset.short_name = fields.text("short_name", "");
    preset.document = fields.text("document", "");
    preset.summary = fields.text("summary");
    preset.lesson = fields.text("lesson", "");
    preset.differs = differences(fields.text("original", ""), fields.text("differs", ""));
    preset.session = session_of(fields.object("session"));
    fields.reject_unread_fields();
    return preset;
  });
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> read;
    read.reserve(preset_files().size());
    for (const EmbeddedFile& file : preset_files()) {
      if (auto preset = read_preset(file)) read.push_back(std::move(*preset));
    }
    return read;
  }();
  return all;
}

}  // namespace headscope
