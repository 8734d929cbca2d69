#include "tests/gui/monkey/random_files.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include "core/io/npy.h"
#include "tests/unit/io/written_matrix.h"

namespace headscope::monkey {
namespace {

OwnedMatrix random_mask(Dice& dice, int rows, int cols) {
  OwnedMatrix mask(rows, cols);
  for (float& value : mask.values) {
    value = dice.one_in(4) ? -std::numeric_limits<float>::infinity() : dice.real(-2.0F, 0.0F);
  }
  if (dice.one_in(5)) mask.values.front() = std::numeric_limits<float>::quiet_NaN();
  return mask;
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

std::filesystem::path random_file(Dice& dice, const std::filesystem::path& folder, int n_tokens) {
  const int n = std::max(1, std::min(n_tokens, 200));
  switch (dice.whole(0, 5)) {
    case 0:
      return folder / "missing.npy";
    case 1:
      return folder;
    case 2: {
      const std::filesystem::path file = folder / "bytes.npy";
      std::string bytes = dice.coin() ? "\x93NUMPY\x01" : "";
      for (int i = dice.log_uniform(1, 300); i > 0; --i)
        bytes.push_back(static_cast<char>(dice.whole(0, 255)));
      write_bytes(file, bytes);
      return file;
    }
    case 3: {
      const std::filesystem::path file = folder / "cut.npy";
      const OwnedMatrix mask = random_mask(dice, n, n);
      const std::string bytes = npy_bytes(mask.view());
      write_bytes(file,
                  bytes.substr(0, static_cast<std::size_t>(dice.whole(0, static_cast<int>(bytes.size())))));
      return file;
    }
    default: {
      const std::filesystem::path file = folder / "mask.npy";
      const int other = dice.log_uniform(1, 60);
      const OwnedMatrix mask =
          dice.coin() ? random_mask(dice, n, n) : random_mask(dice, dice.coin() ? 1 : n, other);
      write_bytes(file, npy_bytes(mask.view()));
      return file;
    }
  }
}

}  // namespace headscope::monkey
