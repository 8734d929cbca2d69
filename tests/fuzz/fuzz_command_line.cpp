// Fuzzes the command line. The input is the arguments, each followed by a NUL, and then the lines of
// “batch.txt”, which an argument may name. Inputs are skipped if an argument names a place outside the
// harness's folder or asks for more than a moment's work. What is printed is captured, and the window, which
// arguments without a command ask for, is not opened.

#include <algorithm>
#include <iostream>
#include <sstream>

#include "app/cli/option_values.h"
#include "app/cli/run_command_line.h"
#include "core/split_text.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;
using Arguments = std::vector<std::string>;

constexpr std::size_t max_arguments = 64;
constexpr const char* batch_file = "batch.txt";

/// Captures what is printed to a stream during its lifetime.
class Printed {
 public:
  explicit Printed(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {
    stream_.clear();
  }
  ~Printed() { stream_.rdbuf(before_); }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostream& stream_;
  std::ostringstream text_;
  std::streambuf* before_;
};

/// Whether an argument cannot mean a file outside the current folder: it has no absolute path and no “..”.
bool stays_inside(std::string_view argument) {
  for (const std::string_view value : split_text(argument, '=')) {
    if (value.starts_with('/')) return false;
    for (const std::string_view part : split_text(value, '/')) {
      if (part == "..") return false;
    }
  }
  return true;
}

/// Returns the greatest number whose digits occur in an argument, whatever they mean there.
double greatest_number(std::string_view argument) {
  double greatest = 0.0;
  double number = 0.0;
  for (const char c : argument) {
    number = c >= '0' && c <= '9' ? number * 10.0 + (c - '0') : 0.0;
    greatest = std::max(greatest, number);
  }
  return greatest;
}

/// Returns the limit for the value of an option, or nullopt if a greater value does not take longer.
std::optional<double> most_of(std::string_view option) {
  constexpr std::pair<std::string_view, double> most[] = {
      {"--d-model", 64}, {"--heads", 8}, {"--d-head", 64}, {"--d-value", 64},   {"--layers", 2},
      {"--d-ff", 128},   {"--steps", 2}, {"--scale", 2},   {"--batch-size", 8}, {"--size", 900},
  };
  const auto found = std::ranges::find(most, option, [](const auto& pair) { return pair.first; });
  return found == std::end(most) ? std::nullopt : std::optional(found->second);
}

bool is_quick(const Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const auto most = most_of(argument.substr(0, equals));
    if (!most) continue;
    const std::string_view value = equals != std::string_view::npos ? argument.substr(equals + 1)
                                   : i + 1 < arguments.size()       ? std::string_view(arguments[i + 1])
                                                                    : std::string_view();
    if (greatest_number(value) > *most) return false;
  }
  // Pictures of these presets, which have up to twelve layers, take seconds here.
  const auto is_large = [](const std::string& argument) {
    return argument.find("paper") != std::string::npos || argument.find("The") == 0 ||
           argument.find("GPT") != std::string::npos || argument.find("BERT") != std::string::npos;
  };
  const bool has_preset = std::ranges::any_of(
      arguments, [](const std::string& argument) { return argument.starts_with("--preset"); });
  return !has_preset || std::ranges::none_of(arguments, is_large);
}

bool has(const Arguments& arguments, std::string_view wanted) {
  return std::ranges::find(arguments, wanted) != arguments.end();
}

/// Adds options with which training takes a moment; with the default settings it would take a minute.
void train_briefly(Arguments& arguments) {
  if (!has(arguments, "train")) return;
  const std::pair<const char*, const char*> brief[] = {{"--steps", "1"},   {"--batch-size", "2"},
                                                       {"--d-model", "8"}, {"--heads", "1"},
                                                       {"--layers", "1"},  {"--d-ff", "8"}};
  for (const auto& [option, value] : brief) {
    const bool given = std::ranges::any_of(
        arguments, [&](const std::string& argument) { return argument.starts_with(option); });
    if (!given) arguments.insert(arguments.end(), {option, value});
  }
}

/// Whether no sentence is long. Long ones only take more time, because many tokens make maps of many cells.
bool is_short(const Arguments& arguments, std::string_view batch) {
  constexpr std::size_t longest = 400;
  if (has(arguments, "tokenize")) return true;
  std::size_t length = batch.size();
  for (const std::string& argument : arguments) length = std::max(length, argument.size());
  return length <= longest;
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(fuzzing::scratch())) {
    const std::string name = entry.path().filename().string();
    if (name != batch_file) names.push_back(name);
  }
  return names;
}

void empty_scratch() {
  for (const std::string& name : files()) std::filesystem::remove_all(fuzzing::scratch() / name);
}

/// Checks that the text on standard error is readable: a message, which may be followed by a reference to the
/// help, or the progress of training, line by line.
void check_messages(std::string_view text, bool trains) {
  require(text.ends_with('\n'), "a message ends its line");
  text.remove_suffix(1);
  if (trains) {
    for (const std::string_view line : split_text(text, '\n')) fuzzing::require_printed(line);
    return;
  }
  fuzzing::require_printed(text.substr(0, text.rfind("\nTry “headscope ")));
}

void run(const Arguments& arguments) {
  std::vector<const char*> argv{"headscope"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  const Printed results(std::cout);
  const Printed messages(std::cerr);
  const auto outcome = run_command_line(static_cast<int>(argv.size()), argv.data());
  const std::string said = messages.text();
  if (!said.empty()) check_messages(said, has(arguments, "train"));
  if (const auto* window = std::get_if<WindowRequest>(&outcome)) {
    if (!window->complaint.empty()) fuzzing::require_readable(window->complaint);
    return;
  }
  const int code = std::get<int>(outcome);
  require(code >= 0 && code <= 2, "the exit code is one that the help names");
  require(code == 0 || said.starts_with("headscope: ") || has(arguments, "train"), "a failure says why");
  const bool leaves_files = code == 0 || has(arguments, "train");
  require(leaves_files || files().empty(), "a failure leaves no file behind");
  require(fuzzing::is_utf8(results.text()), "what is printed is UTF-8");
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view input = fuzzing::text_of(data, size);
  const auto n_arguments = static_cast<std::size_t>(std::ranges::count(input, '\0'));
  if (n_arguments > max_arguments) return -1;
  const auto parts = fuzzing::parts_of(input, n_arguments + 1);
  Arguments arguments(parts.begin(), parts.end() - 1);
  if (!std::ranges::all_of(arguments, [](const std::string& a) { return stays_inside(a); })) return -1;
  train_briefly(arguments);
  if (!is_quick(arguments) || !is_short(arguments, parts.back())) return -1;
  fuzzing::put(batch_file, parts.back());
  run(arguments);
  empty_scratch();
  return 0;
}
