#include "core/palette/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/palette/glossary.h"
#include "core/palette/setting_values.h"
#include "core/session/settings.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

Palette palette_of(const Session& session) {
  return Palette(
      {.session = session,
       .commands = {{.name = "Causal mask", .group = "Change", .shortcut = "C", .effect = RunCommand{3}},
                    {.name = "Heads", .group = "Navigate", .shortcut = "Ctrl+3", .effect = RunCommand{7}}},
       .stages = {StageKind::weights, StageKind::query}});
}

std::vector<std::string> names(const Palette& palette, std::string_view query) {
  std::vector<std::string> found;
  for (const Palette::Found& one : palette.find(query)) found.push_back(one.entry.name);
  return found;
}

/// The session after choosing the first entry that a query finds.
Session after(const Session& session, std::string_view query) {
  const auto found = palette_of(session).find(query);
  if (found.empty()) return session;
  Session next = session;
  if (const auto* actions = std::get_if<std::vector<Action>>(&found.front().entry.effect)) {
    for (const Action& action : *actions) next = reduce(next, action);
  }
  return next;
}

TEST(Palette, ACommandComesWithItsShortcut) {
  const auto found = palette_of(default_session()).find("causal");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().entry.name, "Causal mask");
  EXPECT_EQ(found.front().entry.shortcut, "C");
  ASSERT_TRUE(std::holds_alternative<RunCommand>(found.front().entry.effect));
  EXPECT_EQ(std::get<RunCommand>(found.front().entry.effect).number, 3);
}

TEST(Palette, ATermIsFoundWithItsMeaningBySeveralWords) {
  const Palette palette = palette_of(default_session());
  for (const auto& [query, term] : {std::pair("induction", "Induction head"),
                                    {"patch", "Activation patching"},
                                    {"lens", "Logit lens"},
                                    {"rope", "RoPE"},
                                    {"residual stream", "Residual stream"},
                                    {"ov circuit", "OV circuit"}}) {
    const auto found = palette.find(query);
    ASSERT_FALSE(found.empty()) << query;
    EXPECT_EQ(found.front().entry.name, term);
    EXPECT_EQ(found.front().entry.kind, term_kind);
    EXPECT_FALSE(found.front().entry.about.empty());
  }
  EXPECT_GE(palette.find("glossary").size(), glossary().size());
}

TEST(Palette, AnEmptyQueryListsEverythingInItsOrder) {
  const Palette palette = palette_of(default_session());
  const auto found = palette.find("");
  ASSERT_EQ(found.size(), palette.entries().size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].entry.name, palette.entries()[i].name);
}

TEST(Palette, AHeadByItsNumbers) {
  Session session = default_session();
  session.architecture.n_layers = 3;
  EXPECT_EQ(names(palette_of(session), "1.2").front(), "Layer 1, head 2");
  const Session next = after(session, "1.2");
  EXPECT_EQ(next.selection.layer, 1);
  EXPECT_EQ(next.selection.head, 2);
}

TEST(Palette, ATokenAStageAndAStartingPoint) {
  const Session session = default_session();
  const auto tokens = texts_of(session).sentence();
  const auto tired = std::ranges::find(tokens, "tired", &Token::text);
  ASSERT_NE(tired, tokens.end());
  EXPECT_EQ(after(session, "tired").selection.token, static_cast<int>(tired - tokens.begin()));
  EXPECT_EQ(after(session, "query").selection.stage, StageKind::query);
  EXPECT_EQ(after(session, "the paper").architecture.n_layers, 6);
}

TEST(Palette, ExamplesOfTheTask) {
  Session session = default_session();
  session.task = "copying";
  const std::string example = task(TaskKind::copying).example_sentences().back();
  const Session next = after(session, example);
  EXPECT_EQ(next.sentence, example);
  EXPECT_TRUE(next.selection.token);
  EXPECT_EQ(std::ranges::count(names(palette_of(default_session()), example), example), 0)
      << "an example of another task";
}

TEST(Palette, TheValuesOfAChoiceAndASwitch) {
  const Session session = default_session();
  EXPECT_EQ(after(session, "positions rotary").architecture.positions, Positions::rotary);
  EXPECT_TRUE(after(session, "causal mask on").attention.mask.causal);
  EXPECT_EQ(after(session, "mode train").attention.train, true);
  const auto now = palette_of(session).find("causal mask off");
  ASSERT_FALSE(now.empty());
  EXPECT_EQ(now.front().entry.about, "already set");
  EXPECT_TRUE(std::get<std::vector<Action>>(now.front().entry.effect).empty());
}

TEST(Palette, ANumberBehindASettingIsGivenToIt) {
  const Session session = default_session();
  EXPECT_FLOAT_EQ(after(session, "temperature 0.5").attention.temperature, 0.5F);
  EXPECT_EQ(after(session, "d_model 32").architecture.d_model, 32);
  EXPECT_EQ(after(session, "sliding window 3").attention.mask.window, 3);
  for (const char* const impossible : {"d_model 32.5", "d_model -1", "d_model 1e30", "temperature nan"}) {
    for (const Palette::Found& found : palette_of(session).find(impossible))
      EXPECT_EQ(found.entry.name.find("d_model:"), std::string::npos) << impossible;
  }
}

TEST(Palette, HeadsAreSortedWhereThatIsSeen) {
  const Session session = default_session();
  const std::vector<std::string> found = names(palette_of(session), "sort");
  ASSERT_FALSE(found.empty());
  for (const std::string& name : found) EXPECT_TRUE(name.starts_with("order of the heads: ")) << name;
  const Session next = after(session, "sort induction");
  EXPECT_EQ(next.heads.sorted_by, HeadMeasure::induction);
  EXPECT_EQ(next.view, PageName::heads);
  EXPECT_TRUE(after(session, "lines arcs").lines.arcs);
  EXPECT_FLOAT_EQ(after(session, "heads-from 0.4").heads.min_value, 0.4F);
}

TEST(Palette, NothingIsFoundRatherThanNonsense) {
  EXPECT_TRUE(names(palette_of(default_session()), "srtd").empty());
  EXPECT_TRUE(names(palette_of(default_session()), "oeeas").empty());
}

TEST(Palette, ASettingWithoutItsNumberLeadsToItsControl) {
  const auto found = palette_of(default_session()).find("learning rate");
  ASSERT_FALSE(found.empty());
  const auto* const control = std::get_if<GoToControl>(&found.front().entry.effect);
  ASSERT_NE(control, nullptr);
  EXPECT_EQ(control->setting->key, "training.learning_rate");
}

/// The action of a value must give the setting the text that the value shows.
TEST(SettingValues, EachValueIsWhatItsActionMakes) {
  Session session = default_session();
  session.architecture.stacks = Stacks::encoder_decoder;
  int n = 0;
  for (const Setting& setting : all_settings) {
    const bool is_of_page = setting.key.starts_with("heads.") || setting.key.starts_with("lines.");
    if (setting.group == place_group && !is_of_page) continue;
    for (const SettingValue& value : values_of(setting, session)) {
      ++n;
      const Session next = value.action ? reduce(session, *value.action) : session;
      EXPECT_EQ(shown_value(setting, next), value.text) << setting.key;
      EXPECT_EQ(session == next, !value.action) << setting.key;
    }
  }
  EXPECT_GT(n, 60);
}

TEST(SettingValues, NamesTellSettingsApart) {
  std::vector<std::string> titles;
  for (const Setting& setting : all_settings) {
    if (accepts_number(setting) || !values_of(setting, default_session()).empty())
      titles.push_back(title_of(setting));
  }
  std::ranges::sort(titles);
  EXPECT_EQ(std::ranges::adjacent_find(titles), titles.end());
}

}  // namespace
}  // namespace headscope
