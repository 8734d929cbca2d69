#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <variant>
#include <vector>

#include "core/checkpoint/model_folder.h"
#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "core/enum_count.h"
#include "core/page/page_record.h"
#include "core/session/action.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope::test {

inline constexpr auto page_names = [] {
  std::array<PageName, enum_count<PageName>> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<PageName>(i);
  return all;
}();

inline Result<std::shared_ptr<const Trace>> computed(const Session& session) {
  return Engine(1).compute(request_of(session));
}

/// The inputs of a session's page. The trace is null if the pass cannot be computed.
inline PageInputs inputs_of(const Session& session) {
  PageInputs in;
  in.session = session;
  in.trace_model = session.model;
  if (const auto trace = computed(session)) in.trace = *trace;
  return in;
}

/// The bundled models as they are opened, an untrained model, and an untrained encoder–decoder with a final
/// layer.
inline std::vector<Session> usual_sessions() {
  std::vector<Session> sessions{default_session()};
  for (const std::string name : {"pronouns", "copying", "reversing"}) {
    const auto model = open_model(name, {HEADSCOPE_SOURCE_DIR "/assets/models"});
    if (!model) {
      ADD_FAILURE() << name << ": " << model.error().message;
      continue;
    }
    sessions.push_back(reduce(default_session(), opening_action(*model)));
  }
  Session pair = default_session();
  pair.architecture.stacks = Stacks::encoder_decoder;
  pair.architecture.n_layers = 2;
  pair.architecture.output_layer = OutputLayer::linear;
  pair.architecture.positions = Positions::alibi;
  pair.selection.stack = Stack::decoder;
  pair.selection.attention = AttentionKind::cross;
  sessions.push_back(pair);
  Session turned = default_session();
  turned.architecture.positions = Positions::rotary;
  sessions.push_back(turned);
  return sessions;
}

/// The question of a page and its answer.
inline std::string headline_text(const PageInputs& in, PageName name, const MeasureText& measure) {
  PageMemo memo;
  PageTools tools{measure, 0, memo};
  return headline_of(in, name, tools).text();
}

inline Page page_of_session(const PageInputs& in, PageName name, const PageSize& size,
                            const MeasureText& measure) {
  PageMemo memo;
  PageTools tools{measure, 0, memo};
  return page_of(in, name, size, tools);
}

/// Whether one of the page's labels contains the text.
inline bool page_contains(const Page& page, const std::string& text) {
  return std::ranges::any_of(page.figure.items, [&](const Item& item) {
    const auto* label = std::get_if<Label>(&item);
    return label != nullptr && label->text.find(text) != std::string::npos;
  });
}

}  // namespace headscope::test
