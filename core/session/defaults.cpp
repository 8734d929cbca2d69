#include "core/session/defaults.h"

#include "core/model/trained_model.h"

namespace headscope {

AttentionOptions attention_as_opened(const TrainedModel& model) {
  AttentionOptions options;
  const Stacks stacks = model.model.architecture.stacks;
  MaskSpec& mask = stacks == Stacks::cross ? options.cross_mask : options.mask;
  mask.causal = stacks == Stacks::decoder;
  if (model.mask) mask.loaded = {model.mask};
  return options;
}

Subject defaults_of(const Subject& before, const ModelValue& model) {
  Subject defaults = before;
  defaults.tokenizer = model->tokenizer_kind();
  defaults.model = model;
  defaults.task = model->task;
  defaults.architecture = model->model.architecture;
  defaults.interventions = {};
  defaults.given = {};
  defaults.attention = attention_as_opened(*model);
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

}  // namespace headscope
