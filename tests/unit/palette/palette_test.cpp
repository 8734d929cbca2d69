#include "core/palette/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/palette/glossary.h"
#include "core/session/settings.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

Palette palette_of(const Session& session) {
  return Palette(session,
                 {{.name = "Causal mask", .kind = "Change", .shortcut = "C", .effect = 3},
                  {.name = "Heads", .kind = "Navigate", .shortcut = "Ctrl+3", .effect = 7}},
                 {StageKind::weights, StageKind::query}, {});
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
  ASSERT_TRUE(std::holds_alternative<int>(found.front().entry.effect));
  EXPECT_EQ(std::get<int>(found.front().entry.effect), 3);
}

TEST(Palette, ATermIsFoundWithItsMeaningBySeveralWords) {
  const Palette palette = palette_of(default_session());
  for (const auto& [query, term] : {std::pair("induction", "Induction head"),
                                    {"patch", "Activation patching"},
                                    {"lens", "Logit lens"},
                                    {"rope", "RoPE"},
                                    {"token", "Token"},
                                    {"what is a token?", "Token"},
                                    {"attention", "Attention"},
                                    {"What is the attention", "Attention"},
                                    {"transformer", "Transformer"},
                                    {"translate", "Cross-attention"},
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

TEST(Palette, ANumberBeyondEveryTextIsCalledAll) {
  for (const Palette::Found& found : palette_of(default_session()).find("tokens read"))
    EXPECT_EQ(found.entry.about.find("67108864"), std::string::npos) << found.entry.about;
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
  const auto* const control = std::get_if<const Setting*>(&found.front().entry.effect);
  ASSERT_NE(control, nullptr);
  EXPECT_EQ((*control)->key, "training.learning_rate");
}

/// The entries that give settings a value, and those that take a number.
std::vector<PaletteEntry> entries_of_settings(const Session& session) {
  std::vector<PaletteEntry> entries = palette_of(session).entries();
  std::erase_if(entries, [](const PaletteEntry& entry) { return entry.kind != "Setting"; });
  return entries;
}

std::string title_in(const PaletteEntry& entry) {
  return entry.number != nullptr ? entry.name : entry.name.substr(0, entry.name.rfind(": "));
}

/// The action of a value must give the setting the text that the value shows.
TEST(SettingValues, EachValueIsWhatItsActionMakes) {
  Session session = default_session();
  session.architecture.stacks = Stacks::encoder_decoder;
  int n = 0;
  for (const PaletteEntry& entry : entries_of_settings(session)) {
    const auto* actions = std::get_if<std::vector<Action>>(&entry.effect);
    if (actions == nullptr) continue;
    ++n;
    Session next = session;
    for (const Action& action : *actions) next = reduce(next, action);
    Session same_view = next;
    same_view.view = session.view;
    const bool changes = entry.about.starts_with("now ");
    EXPECT_EQ(session == same_view, !changes) << entry.name;
    if (!changes) continue;
    const std::string value = entry.name.substr(entry.name.rfind(": ") + 2);
    for (const PaletteEntry& other : entries_of_settings(next)) {
      if (title_in(other) != title_in(entry) || other.number != nullptr) continue;
      const bool is_it = other.name == entry.name;
      EXPECT_TRUE(is_it ? other.about == "already set"
                        : !other.about.starts_with("now ") || other.about == "now " + value)
          << other.name << ": " << other.about;
    }
  }
  EXPECT_GT(n, 60);
}

TEST(SettingValues, NamesTellSettingsApart) {
  Session session = default_session();
  session.architecture.stacks = Stacks::encoder_decoder;
  std::vector<std::string> titles;
  for (const PaletteEntry& entry : entries_of_settings(session)) titles.push_back(title_in(entry));
  // The values of one setting follow each other.
  titles.erase(std::unique(titles.begin(), titles.end()), titles.end());
  std::ranges::sort(titles);
  EXPECT_EQ(std::ranges::adjacent_find(titles), titles.end());
}

}  // namespace
}  // namespace headscope
