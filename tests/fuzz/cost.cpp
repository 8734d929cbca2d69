// Runs a harness without libFuzzer, so that a Release build can measure what each input costs: its seeds, and
// mutants of them for SECONDS. Mutants that cost more than what they were made of are changed further.
//
//   fuzz_NAME SECONDS FOUND INPUT…    INPUT is a file or a folder; what costs too much or crashes is left in
//   FOUND

#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/fuzz/fuzzing.h"

namespace headscope::fuzzing {
namespace {

namespace fs = std::filesystem;

/// What work costs: the processor time of all threads, and how much larger the process became.
struct Cost {
  double seconds = 0.0;
  double mebibytes = 0.0;
};

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double mebibytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  double kibibytes = 0.0;
  for (std::string word; status >> word;) {
    if (word == key) status >> kibibytes;
  }
  return kibibytes / 1024.0;
}

/// Measures pieces of work, one after another.
class Meter {
 public:
  void begin() {
    most_ = {};
    reset();
  }
  /// Ends a piece of work, and begins the next one.
  void next() {
    most_.seconds = std::max(most_.seconds, processor_seconds() - since_.seconds);
    most_.mebibytes = std::max(most_.mebibytes, mebibytes("VmHWM:") - since_.mebibytes);
    reset();
  }
  /// The most that a piece cost.
  const Cost& most() const { return most_; }

 private:
  void reset() {
    std::ofstream("/proc/self/clear_refs") << 5;  // Sets the peak of the memory back to what is used now.
    since_ = {processor_seconds(), mebibytes("VmRSS:")};
  }

  Cost most_;
  Cost since_;
};

Meter meter;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The cost of an input as a share of what it may cost.
double share(const std::string& input, const fs::path& current) {
  constexpr double max_seconds = 2.0, max_mebibytes = 1024.0, mebibyte = 1 << 20U;
  const double times = std::max(1.0, static_cast<double>(input.size()) / mebibyte);
  std::ofstream(current, std::ios::binary) << input;
  double best = 0.0;
  // A processor that others use, too, is slower now and then.
  for (int i = 0; i == 0 || (i < 3 && best > 1.0); ++i) {
    meter.begin();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    meter.next();
    const auto& [seconds, size] = meter.most();
    const double now = std::max(seconds / max_seconds, size / max_mebibytes) / times;
    if (now > 1.0) std::fprintf(stderr, "%zu bytes cost %.2f s and %.0f MiB\n", input.size(), seconds, size);
    best = i == 0 ? now : std::min(best, now);
  }
  return best;
}

/// Changes an input in one of the ways in which hostile files are made: bytes, numbers, and repetition.
std::string mutated(std::string input, const std::string& other, std::mt19937& random) {
  constexpr std::size_t longest = std::size_t{1} << 20U;
  const auto below = [&](std::size_t end) { return end == 0 ? 0 : random() % end; };
  constexpr std::array numbers{"0",     "-1",       "1e308",      "64",
                               "65536", "16777216", "2147483647", "9223372036854775807"};
  for (std::size_t n = 1 + below(4); n > 0; --n) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(input.size() - at, below(2) == 0 ? 8 : 4096) + 1);
    const std::string part = input.substr(at, length);
    switch (random() % 8) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(random());
        break;
      case 1:
        input.erase(at, length);
        break;
      case 2:
        input.insert(below(input.size() + 1), part);
        break;
      case 3:
        input.insert(at, other.substr(below(other.size()), below(4096)));
        break;
      case 4: {
        std::size_t digits = input.find_first_of("0123456789", at);
        if (digits == std::string::npos) break;
        const std::size_t end = std::min(input.find_first_not_of("0123456789", digits), input.size());
        input.replace(digits, end - digits, numbers[below(numbers.size())]);
        break;
      }
      case 5:
        for (std::size_t i = at; i < std::min(input.size(), at + (below(2) == 0 ? 4 : 8)); ++i)
          input[i] = static_cast<char>(below(2) == 0 ? 0 : 0xFF);
        break;
      default: {
        std::string many;
        const std::size_t times = std::size_t{1} << below(18);
        for (std::size_t i = 0; i < times && many.size() + part.size() <= longest; ++i) many += part;
        input.insert(at, many);
      }
    }
    if (input.size() > longest) input.resize(longest);
  }
  return input;
}

struct Parent {
  std::string input;
  double share = 0.0;
};

int run(double seconds, const fs::path& found, const std::vector<fs::path>& inputs) {
  next_work = [] { meter.next(); };
  std::vector<Parent> parents;
  fs::create_directories(found);
  const fs::path current = fs::absolute(found) / "current";
  double worst = 0.0;
  const auto costs_too_much = [&](const std::string& input) {
    const double of_input = share(input, current);
    worst = std::max(worst, of_input);
    return of_input;
  };
  std::mt19937 random(1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::size_t n_runs = 0;
  for (const fs::path& input : inputs) {
    parents.push_back({bytes_of(input), 0.0});
    parents.back().share = costs_too_much(parents.back().input);
    ++n_runs;
    if (worst > 1.0) return 1;
  }
  while (!parents.empty() && std::chrono::steady_clock::now() < end) {
    const Parent& parent = parents[random() % parents.size()];
    const std::string input = mutated(parent.input, parents[random() % parents.size()].input, random);
    const double of_input = costs_too_much(input);
    ++n_runs;
    if (worst > 1.0) return 1;
    constexpr double clearly = 1.5, noticeable = 0.01;
    if (of_input > noticeable && of_input > clearly * parent.share) parents.push_back({input, of_input});
  }
  fs::remove_all(found);
  std::printf("%zu inputs, the worst at %.0f %% of its limit\n", n_runs, 100.0 * worst);
  return 0;
}

}  // namespace
}  // namespace headscope::fuzzing

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<fs::path> inputs;
  for (int i = 3; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) inputs.emplace_back(fs::absolute(argv[i]));
    if (!fs::is_directory(argv[i])) continue;
    for (const auto& entry : fs::directory_iterator(argv[i])) inputs.push_back(fs::absolute(entry.path()));
  }
  std::ranges::sort(inputs);
  if (argc < 4 || inputs.empty()) return 2;
  return headscope::fuzzing::run(std::atof(argv[1]), argv[2], inputs);
}
