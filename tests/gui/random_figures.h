#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/sources.h"
#include "core/checkpoint/bundled_models.h"
#include "core/textbook/worked_examples.h"
#include "tests/unit/session/random_settings.h"

namespace headscope {

/// The models of tasks, and null for no model.
inline std::vector<std::shared_ptr<const TrainedModel>> bundled_and_none() {
  std::vector<std::shared_ptr<const TrainedModel>> models{nullptr};
  for (const std::string_view name : task_names()) models.push_back(files().model(std::string(name)).value());
  return models;
}

inline bool is_line_with_words(const std::string& text) {
  return text.find_first_of(std::string_view("\n\0", 2)) == std::string::npos &&
         !tokenize(text, TokenizerKind::word).empty();
}

/// The session without the settings that no command can express, or that render would refuse together with
/// the rest.
inline Session tellable(Session session, RandomSettings& random) {
  const Architecture& a = session.architecture;
  const auto hold_zero = [](std::string& text) { std::erase(text, '\0'); };
  for (std::string* text :
       {&session.sentence, &session.target, &session.output_words, &session.selection.word,
        &session.attention.mask.separator, &session.attention.target_mask.separator, &session.title,
        &session.note, &session.interventions.mean_over}) {
    hold_zero(*text);
  }
  for (std::string& text : session.batch) {
    if (!is_line_with_words(text)) text = "a line " + std::to_string(random.whole(0, 99));
  }
  if (!a.has_cross()) {
    session.target = default_target;
    session.attention.target_mask = AttentionOptions{}.target_mask;
    session.attention.cross_mask = {};
  }
  if (!a.has_self()) {
    session.attention.mask = {};
    session.attention.target_mask = AttentionOptions{}.target_mask;
  }
  if (a.output_layer == OutputLayer::none && !session.model) {
    session.architecture.output_bias = false;
    session.architecture.logit_softcap = 0.0F;
  }
  if (a.output_layer == OutputLayer::none || session.model) session.output_words.clear();
  const bool has_task = session.tokenizer == TokenizerKind::word && random.coin();
  if (!session.model)
    session.task = has_task ? std::string(task_names()[static_cast<std::size_t>(random.whole(0, 2))]) : "";
  const auto last_example = static_cast<int>(worked_examples().size()) - 1;
  session.textbook =
      random.coin() ? "" : worked_examples()[static_cast<std::size_t>(random.whole(0, last_example))].name;
  if (a.linear_attention) {
    session.attention.softmax = SoftmaxAxis::keys;
    session.given = {};  // scores may be negative
  }
  if (!check_given(repaired(session, session))) session.given = {};
  for (Subject& held : session.held) {
    Session alone = tellable(with_subject(session, held), random);
    if (!alone.batch.empty() && alone.batch != session.batch) alone.batch.clear();
    if (!check_given(repaired(alone, alone))) alone.given = {};
    held = alone.subject();
  }
  return repaired(session, session);
}

}  // namespace headscope
