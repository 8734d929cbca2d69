// Measures how long it takes to open a checkpoint of another program, to compute passes, to decode a token
// and to edit a text. The arguments are FOLDER THREADS. Each line of the output is "NAME NUMBER", with times
// in milliseconds and memory in megabytes.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "core/checkpoint/foreign_model.h"
#include "core/engine/decoding.h"
#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "core/engine/request.h"
#include "core/io/checkpoint_files.h"
#include "core/tensor/aligned_buffer.h"
#include "core/tensor/parallel.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double megabyte = 1e6;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

void print(const char* name, double number) {
  std::cout << name << ' ' << number << std::endl;
}

std::string ids(int n, int last = 0) {
  std::string text;
  for (int i = 0; i < n; ++i) text += std::to_string(i + 1 == n ? 100 + last : 7 * i + 1) + " ";
  return text;
}

std::shared_ptr<const Trace> traced(Engine& engine, const Request& request) {
  const auto trace = engine.compute(request, TooLong::refuse);
  if (!trace) throw std::runtime_error(trace.error().message);
  return *trace;
}

Request request_for(const std::shared_ptr<const TrainedModel>& model, const std::string& text) {
  Session session = reduce(default_session(), OpenModel{model, {}, {}});
  session.tokenizer = TokenizerKind::ids;
  session.sentence = text;
  session.texts = {};
  return request_of(session);
}

/// Returns the median time in which all threads together read this many bytes of memory once.
double streaming_ms(double bytes, ThreadPool& pool) {
  const AlignedBuffer numbers(static_cast<std::size_t>(bytes) / sizeof(float));
  std::fill_n(numbers.data(), numbers.size(), 1.0F);
  const int n = 8 * pool.size();
  std::vector<double> times;
  std::atomic<int> n_found{0};
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    pool.for_each(n, [&](int part) {
      const std::size_t size = numbers.size() / static_cast<std::size_t>(n);
      // No byte of 1.0F has this value, so the C library searches all of the memory, as fast as it can be
      // read.
      constexpr int absent = 0x55;
      const void* const found =
          std::memchr(numbers.data() + static_cast<std::size_t>(part) * size, absent, size * sizeof(float));
      if (found != nullptr) ++n_found;
    });
    times.push_back(since(start));
  }
  if (n_found > 0) throw std::runtime_error("memory has changed");
  return median(times);
}

int run(const std::string& folder, int n_threads) {
  auto start = Clock::now();
  const auto opened = open_foreign_folder(folder, "");
  if (!opened) throw std::runtime_error(opened.error().message);
  const std::shared_ptr<const TrainedModel> model = *opened;
  print("open", since(start));
  Engine engine(n_threads);
  std::shared_ptr<const Trace> trace = traced(engine, request_for(model, ids(8)));
  print("first", since(start));
  for (const int n : {32, 256}) {
    std::vector<double> times;
    for (int round = 0; round < (n == 32 ? 7 : 3); ++round) {
      trace.reset();  // The next pass must not reuse anything of it.
      start = Clock::now();
      trace = traced(engine, request_for(model, ids(n, round)));
      times.push_back(since(start));
    }
    print(n == 32 ? "pass32" : "pass256", median(times));
  }
  print("trace256", static_cast<double>(trace->bytes()) / megabyte);
  std::vector<double> keystrokes;
  trace = traced(engine, request_for(model, ids(64)));
  for (int round = 1; round <= 9; ++round) {
    start = Clock::now();
    trace = traced(engine, request_for(model, ids(64, round)));
    keystrokes.push_back(since(start));
  }
  print("keystroke", median(keystrokes));
  ThreadPool pool(n_threads);
  Decoding decoding(*trace, pool);
  std::vector<double> steps;
  while (decoding.n_decoded() < decoding.n_tokens()) {
    start = Clock::now();
    decoding.step();
    steps.push_back(since(start));
  }
  print("token", median(steps));
  const double packed = weights_bytes(request_for(model, ids(1)));
  print("stream", streaming_ms(packed, pool));
  print("packed", packed / megabyte);
  if (const auto files = CheckpointFiles::open(folder))
    print("file", static_cast<double>(files->bytes()) / megabyte);
  return 0;
}

}  // namespace
}  // namespace headscope

int main(int argc, char** argv) {
  if (argc == 3) return headscope::run(argv[1], std::stoi(argv[2]));
  std::cerr << "bench_checkpoints FOLDER THREADS\n";
  return 2;
}
