#include <gtest/gtest.h>

#include "core/tasks/grammar.h"

namespace headscope {
namespace {

TEST(Inflection, OfNouns) {
  for (const auto& [one, many] : {std::pair("dog", "dogs"),
                                  {"box", "boxes"},
                                  {"city", "cities"},
                                  {"boy", "boys"},
                                  {"wolf", "wolves"},
                                  {"leaf", "leaves"},
                                  {"roof", "roofs"},
                                  {"sheep", "sheep"},
                                  {"postman", "postmen"},
                                  {"child", "children"},
                                  {"glass", "glasses"},
                                  {"potato", "potatoes"},
                                  {"piano", "pianos"},
                                  {"bench", "benches"}}) {
    EXPECT_EQ(plural_of(one), many);
  }
  EXPECT_EQ(possessive_of("boy"), "boy's");
}

TEST(Inflection, OfVerbs) {
  struct Forms {
    const char *base, *present, *past, *participle;
  };
  for (const Forms& verb : {Forms{"kick", "kicks", "kicked", "kicked"},
                            {"stop", "stops", "stopped", "stopped"},
                            {"carry", "carries", "carried", "carried"},
                            {"enjoy", "enjoys", "enjoyed", "enjoyed"},
                            {"watch", "watches", "watched", "watched"},
                            {"smile", "smiles", "smiled", "smiled"},
                            {"open", "opens", "opened", "opened"},
                            {"fix", "fixes", "fixed", "fixed"},
                            {"row", "rows", "rowed", "rowed"},
                            {"clean", "cleans", "cleaned", "cleaned"},
                            {"throw", "throws", "threw", "thrown"},
                            {"have", "has", "had", "had"},
                            {"go", "goes", "went", "gone"},
                            {"unplug", "unplugs", "unplugged", "unplugged"}}) {
    EXPECT_EQ(present_of(verb.base), verb.present);
    EXPECT_EQ(past_of(verb.base), verb.past);
    EXPECT_EQ(participle_of(verb.base), verb.participle);
  }
}

}  // namespace
}  // namespace headscope
