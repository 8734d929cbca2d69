#include "core/engine/export.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <iterator>

#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/system/atomic_file.h"
#include "core/system/read_file.h"
#include "tests/unit/engine/passes.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class Export : public testing::Test {
 protected:
  Export() {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    Request request = request_for("a \"b\", a", 12, 3);
    request.architecture.d_value = 5;
    request.attention.mask.causal = true;
    trace_ = computed(engine_, request);
  }
  ~Export() override { fs::remove_all(folder_); }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  Engine engine_{1};
  SharedTrace trace_;
  fs::path folder_ = fs::temp_directory_path() / ("headscope-export-" + std::to_string(::getpid()));
};

TEST_F(Export, SafetensorsHoldsEveryStageUnderItsPath) {
  const auto written = write_trace(*trace_, folder_ / "t.safetensors", "{\"version\":1}");
  ASSERT_TRUE(written) << written.error().message;
  const auto read = read_safetensors(folder_ / "t.safetensors");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->tensors.size(), trace_->stages().size());
  for (const StageId& id : trace_->stages()) {
    const Tensor* tensor = read->find(path(id));
    ASSERT_NE(tensor, nullptr) << path(id);
    const MatrixView values = trace_->value(id);
    EXPECT_EQ(tensor->shape, (std::vector<std::size_t>{static_cast<std::size_t>(values.rows),
                                                       static_cast<std::size_t>(values.cols)}));
    EXPECT_EQ(tensor->values, numbers(values));
  }
  EXPECT_EQ(read->metadata.at("tokens"), R"(["a","\"","b","\"",",","a"])");
  EXPECT_EQ(read->metadata.at("session"), "{\"version\":1}");
  EXPECT_EQ(files(), std::vector<std::string>{"t.safetensors"});
}

TEST_F(Export, AFolderHoldsAFileAStage) {
  for (const fs::path& out : {folder_ / "new", folder_ / "new" / "", folder_ / "with.dot"}) {
    const auto written = write_trace(*trace_, out, "{}");
    ASSERT_TRUE(written) << written.error().message;
    for (const StageId& id : trace_->stages()) {
      const auto read = read_npy(out / (path(id) + ".npy"));
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->values, numbers(trace_->value(id)));
    }
    EXPECT_EQ(*read_file(out / "tokens.json"), "[\"a\",\"\\\"\",\"b\",\"\\\"\",\",\",\"a\"]\n");
    EXPECT_EQ(*read_file(out / "session.json"), "{}");
    const auto n_files = std::distance(fs::directory_iterator(out), fs::directory_iterator());
    EXPECT_EQ(n_files, static_cast<std::ptrdiff_t>(trace_->stages().size() + 2));
  }
}

TEST_F(Export, AFolderKeepsWhatElseIsThereButDoesNotMixTraces) {
  ASSERT_TRUE(write_atomically(folder_ / "mine.txt", "mine"));
  ASSERT_TRUE(write_trace(*trace_, folder_, "{}"));
  EXPECT_EQ(*read_file(folder_ / "mine.txt"), "mine");
  const auto before = files();
  const SharedTrace fewer_heads = computed(engine_, request_for("a", 12, 2));
  const auto mixed = write_trace(*fewer_heads, folder_, "{}");
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().message.find("another trace"), std::string::npos);
  EXPECT_EQ(files(), before);
}

TEST_F(Export, WhatAnEarlierRunLeftBehindDoesNotMixIn) {
  const std::string name = ".headscope-" + std::to_string(::getpid());
  for (const std::string& leftover : {name + ".tmp", name + "-0.tmp", name + "-1.tmp"}) {
    fs::create_directory(folder_ / leftover);
    ASSERT_TRUE(write_atomically(folder_ / leftover / "stale.npy", "stale"));
  }
  for (const fs::path& out : {folder_ / "new", folder_}) {
    ASSERT_TRUE(write_trace(*trace_, out, "{}"));
    EXPECT_TRUE(fs::exists(out / "session.json"));
    EXPECT_FALSE(fs::exists(out / "stale.npy"));
  }
}

TEST_F(Export, AFailureHalfwayPutsBackWhatWasReplaced) {
  Request request = request_for("a \"b\", a", 12, 3);
  request.architecture.d_value = 5;
  request.architecture.seed = 77;
  const SharedTrace other = computed(engine_, request);
  std::vector<std::string> names{"session.json", "tokens.json"};
  for (const StageId& id : trace_->stages()) names.push_back(path(id) + ".npy");
  for (std::size_t i = 0; i < names.size(); i += 16) {
    const fs::path out = folder_ / ("out" + std::to_string(i));
    ASSERT_TRUE(write_trace(*other, out, "other"));
    fs::remove(out / names[i]);
    fs::create_directory(out / names[i]);
    ASSERT_TRUE(write_atomically(out / names[i] / "mine", "mine"));
    const auto before = files();
    const auto written = write_trace(*trace_, out, "new");
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().message.find(names[i]), std::string::npos) << written.error().message;
    ASSERT_EQ(files(), before);
    for (const StageId& id : other->stages()) {
      if (path(id) + ".npy" == names[i]) continue;
      ASSERT_EQ(read_npy(out / (path(id) + ".npy"))->values, numbers(other->value(id))) << path(id);
    }
    if (names[i] != "session.json") {
      EXPECT_EQ(*read_file(out / "session.json"), "other");
    }
    EXPECT_EQ(*read_file(out / names[i] / "mine"), "mine");
  }
}

TEST_F(Export, WhatCannotBeWrittenLeavesNothing) {
  EXPECT_FALSE(write_trace(*trace_, folder_ / "no" / "t.safetensors", "{}"));
  EXPECT_FALSE(write_trace(*trace_, folder_ / "no" / "t", "{}"));
  EXPECT_FALSE(write_trace(*trace_, "/dev/full", "{}"));
  EXPECT_FALSE(write_stage(*trace_, {StageKind::raw}, folder_ / "no" / "raw.csv"));
  EXPECT_TRUE(files().empty());
  ASSERT_TRUE(write_atomically(folder_ / "file", "kept"));
  EXPECT_FALSE(write_trace(*trace_, folder_ / "file", "{}"));
  EXPECT_EQ(*read_file(folder_ / "file"), "kept");
}

TEST_F(Export, OneStage) {
  const StageId id{StageKind::output, Stack::encoder, 0, AttentionKind::self, 2};
  ASSERT_TRUE(write_stage(*trace_, id, folder_ / "output.npy"));
  const auto read = read_npy(folder_ / "output.npy");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->shape, (std::vector<int>{6, 5}));
  EXPECT_EQ(read->values, numbers(trace_->value(id)));
}

TEST_F(Export, CsvIsLabelled) {
  const auto csv_of = [&](const StageId& id) {
    EXPECT_TRUE(write_stage(*trace_, id, folder_ / "stage.csv"));
    return *read_file(folder_ / "stage.csv");
  };
  const std::string map = csv_of({StageKind::masked});
  EXPECT_TRUE(map.starts_with("query \\ key,a,\"\"\"\",b,\"\"\"\",\",\",a\r\n")) << map;
  EXPECT_NE(map.find(",-inf,-inf\r\n"), std::string::npos);
  EXPECT_TRUE(csv_of({StageKind::query}).starts_with("token \\ dimension,0,1,2,3\r\na,"));
  EXPECT_TRUE(csv_of({StageKind::b_value}).starts_with("dimension \\ dimension,0,1,2,3,4\r\n0,"));
}

TEST_F(Export, OneStageThatCannotBe) {
  const auto type = write_stage(*trace_, {StageKind::raw}, folder_ / "raw.txt");
  ASSERT_FALSE(type);
  EXPECT_EQ(type.error().kind, Error::Kind::usage);
  const auto missing = write_stage(*trace_, {StageKind::embedding_table}, folder_ / "table.npy");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Error::Kind::usage);
  EXPECT_TRUE(files().empty());
}

TEST_F(Export, TheWordsOfTheLogitsColumnsGoAlong) {
  Request request = request_for("a b a c", 12, 3);
  request.architecture.output_layer = OutputLayer::tied;
  const SharedTrace predicts = computed(engine_, request);
  ASSERT_TRUE(write_trace(*predicts, folder_ / "t.safetensors", "{}"));
  EXPECT_EQ(read_safetensors(folder_ / "t.safetensors")->metadata.at("vocabulary"), R"(["a","b","c"])");
  ASSERT_TRUE(write_trace(*trace_, folder_ / "u.safetensors", "{}"));
  EXPECT_EQ(read_safetensors(folder_ / "u.safetensors")->metadata.count("vocabulary"), 0U);
}

}  // namespace
}  // namespace headscope
