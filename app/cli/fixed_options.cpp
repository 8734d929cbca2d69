#include "app/cli/fixed_options.h"

#include "app/cli/option_values.h"

namespace headscope {
namespace {

struct FixedOption {
  const char* group;
  const char* name;
  const char* type;
  const char* value;
  const char* help;
  CommandOptions::Text CommandOptions::*given;
};

using O = CommandOptions;

constexpr std::array<FixedOption, 8> fixed_options{{
    {"Model", "--model", "NAME", "untrained", "one attention layer with random weights", &O::model},
    {"Model", "--stacks", "WHICH", "encoder", "one stack of layers", &O::stacks},
    {"Model", "--layers", "N", "1", "one layer", &O::layers},
    {"Model", "--norm", "WHERE", "none", "no layer norm", &O::norm},
    {"Model", "--d-ff", "N", "0", "no feed-forward network", &O::d_ff},
    {"What", "--layer", "N", "0", "the layer, counted from 0", &O::layer},
    {"What", "--stack", "NAME", "encoder", "the stack", &O::stack},
    {"What", "--attention", "KIND", "self", "the sentence attends to itself", &O::attention},
}};

}  // namespace

void add_fixed_options(CLI::App& command, CommandOptions& options, std::string_view group) {
  for (const FixedOption& fixed : fixed_options) {
    if (fixed.group != group) continue;
    command.add_option(fixed.name, options.*fixed.given, std::string(fixed.value) + ": " + fixed.help)
        ->type_name(fixed.type)
        ->group(fixed.group);
  }
}

Result<void> check_fixed_options(const CommandOptions& options) {
  for (const FixedOption& fixed : fixed_options) {
    const CommandOptions::Text& given = options.*fixed.given;
    if (!given || *given == fixed.value) continue;
    return wrong_value(fixed.name, *given,
                       std::string("this version has ") + fixed.value + " only: " + fixed.help);
  }
  return {};
}

}  // namespace headscope
