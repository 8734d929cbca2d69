#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "core/checkpoint/foreign_model.h"
#include "core/system/atomic_file.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {

/// The BERT of tests/fixtures/foreign with its own vocabulary of 29 pieces.
inline std::shared_ptr<const TrainedModel> tiny_bert() {
  const TemporaryFolder folder;
  const std::filesystem::path from =
      std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/foreign/bert";
  for (const auto& entry : std::filesystem::directory_iterator(from))
    std::filesystem::copy(entry.path(), folder / entry.path().filename().string());
  std::string pieces = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\nsat\nun\n##happi\n##ness\n.\n";
  for (char letter = 'a'; letter < 'r'; ++letter) pieces += std::string(1, letter) + "\n";
  EXPECT_TRUE(write_atomically(folder / "vocab.txt", pieces).has_value());
  const auto model = open_foreign_folder(folder / "", "tiny-bert");
  EXPECT_TRUE(model.has_value()) << model.error().message;
  return model ? *model : nullptr;
}

}  // namespace headscope
