// Tests that the options of the command line match the settings, and that their help agrees with them.
#include <gtest/gtest.h>

#include <set>

#include "app/cli/help.h"
#include "app/cli/parser.h"

namespace headscope {
namespace {

/// The options that are not settings of a session.
const std::set<std::string> others{"--ids",         "--target-ids", "--help",    "--out",    "--diagram",
                                   "--size",        "--scale",      "--row",     "--column", "--preset",
                                   "--mask-axes",   "--against",    "--weights", "--input",  "--key-input",
                                   "--value-input", "--format",     "--query",   "--key",    "--value",
                                   "--transparent", "--without",    "--serif",   "--panels"};

std::string description_of(const Setting& setting) {
  const SharedOption* shared = shared_option(setting);
  return shared == nullptr ? help_of(setting) : shared->sentence;
}

TEST(Options, OfRenderAreThoseOfTheSettings) {
  CommandParser parser;
  const CLI::App* render = parser.app.get_subcommand("render");
  std::set<std::string> own;
  for (const Setting& setting : all_settings) {
    const std::string name(setting.option);
    own.insert(name);
    const CLI::Option* option = render->get_option_no_throw(name);
    ASSERT_NE(option, nullptr) << setting.key << " has no option";
    EXPECT_EQ(option->get_description(), description_of(setting)) << setting.key;
    EXPECT_EQ(option->get_group(), setting.group) << setting.key;
  }
  for (const CLI::Option* option : render->get_options()) {
    const std::string name = option->get_name();
    EXPECT_TRUE(own.contains(name) || others.contains(name)) << name << " is no setting";
  }
}

TEST(Options, SayTheirLimitsAndTheirDefault) {
  EXPECT_EQ(help_of(setting("architecture.d_model")), "Width of a token's vector: 1 to 65536 (64)");
  EXPECT_EQ(help_of(setting("picture.line_threshold")),
            "Weights below this value get no line above the sentence: 0 to 1 (0.02)");
  EXPECT_EQ(help_of(setting("tokenizer")),
            "How sentences are split into tokens: word, seed1, model or ids (word)");
  EXPECT_TRUE(help_of(setting("attention.scale")).starts_with("Without division of the scores"));
  for (const Setting& setting : all_settings) EXPECT_FALSE(help_of(setting).ends_with("()")) << setting.key;
}

}  // namespace
}  // namespace headscope
