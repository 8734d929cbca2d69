#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/measures/cache_bytes.h"
#include "core/session/names.h"
#include "core/session/session.h"
#include "core/trace/stage.h"

namespace headscope {

/// Numbers in rows and columns, in double precision; −∞ where a source prints a hidden score.
struct NumberTable {
  int rows = 0;
  int cols = 0;
  std::vector<double> values;  ///< row-major

  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
  }
  double at(int row, int col) const { return values[index(row, col)]; }
  bool operator==(const NumberTable&) const = default;
};

/// Where the numbers of a quantity are taken from.
namespace origin {

/// Stages of a pass, one below the other; all have as many columns.
struct Stages {
  std::vector<StageId> stages;
};
/// 1 where the mask of a head lets a query attend to a key, 0 where it hides the key.
struct Visible {
  StageId head;
};
/// What the next word is drawn from after a token, as the session's sampling says: one row of all words.
struct Candidates {
  bool logits = false;  ///< the logits, −∞ for a word that is left out; otherwise probabilities, there 0
  int row = 0;
};
/// What the online softmax of a head keeps after a tile, of the tile's queries.
struct Tile {
  enum class What { maximum, sum, output };
  What what = What::maximum;  ///< m, l, or O before the division by l
  StageId scores;             ///< masked
  int step = 1;               ///< tiles that were taken in, counted from 1
};
/// How many numbers the parameters of a model have.
struct Count {
  std::vector<StageKind> kinds;  ///< empty: all
  std::string under;             ///< paths begin with this
  int words = 0;                 ///< rows of the embedding table
};
/// Bytes that caches of keys and values take, one below the other.
struct Cache {
  struct Filled {
    CacheShape shape;
    CacheLoad load;
  };
  std::vector<Filled> caches;
};

}  // namespace origin

using Origin = std::variant<origin::Stages, origin::Visible, origin::Candidates, origin::Tile, origin::Count,
                            origin::Cache>;

/// What is done with the numbers that were taken, in turn.
enum class Reduction {
  sum,             ///< of all
  row_sums,        ///< of each row
  shares,          ///< each number divided by the sum of its row
  lower_triangle,  ///< 0 where the column is greater than the row
  variance,        ///< of all, divided by n − 1
  argmax,          ///< the column of the greatest of each row
  quotient,        ///< the first number divided by the second
  saving,          ///< 1 − second / first
  shape            ///< rows and columns; in front of them the number of matrices where there are several
};
template <>
inline constexpr std::array<std::string_view, 9> names_of<Reduction>{
    "sum", "row sums", "shares", "lower triangle", "variance", "argmax", "quotient", "saving", "shape"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<origin::Tile::What>{"maximum", "sum", "output"};
static_assert(all_are_named<Reduction, origin::Tile::What>(), "one name for each value, in their order");

/// Numbers that an example gives, and where the program has them.
struct Quantity {
  std::string name;                ///< within the example: "weights_row2"
  std::string title;               ///< for people, "Weights of “journey”"
  std::vector<std::size_t> cases;  ///< whose numbers, one below the other; never empty
  Origin origin;
  std::vector<int> rows, cols;  ///< those of each matrix that are taken; empty: all
  std::vector<Reduction> then;
  double times = 1.0;                  ///< by what all are multiplied at last
  std::optional<NumberTable> printed;  ///< by the source; nothing: it has no numbers of this
  int digits = 4;                      ///< that it prints after the point
  std::string reason;  ///< why its numbers differ from the computed ones; empty where they do not
};

/// What an example has that is not computed.
struct LeftOut {
  std::string name;  ///< within the example
  std::string why;
};

/// The numbers that an example gives, as a session; some have several.
struct ExampleCase {
  std::string name;  ///< "β = 5"; may be empty where there is only one
  Session session;
};

/// An example that somebody published, with the numbers that it prints.
struct WorkedExample {
  std::string name;  ///< "raschka-3.3-simple"
  std::string author, title, where;
  std::string heading;     ///< in few words, "Causal mask in two ways"
  std::string shows;       ///< what can be seen in it, in our words
  std::string note;        ///< what to know about the source; may be empty
  std::string impossible;  ///< why there is nothing to compute; empty where there is
  /// Its model is too large to be opened: only its parameters or the bytes of its cache are counted.
  bool is_counted = false;
  std::vector<ExampleCase> cases;
  std::vector<Quantity> quantities;
  std::vector<LeftOut> left_out;

  /// Whether it has numbers that the window can open.
  bool opens() const { return impossible.empty() && !is_counted; }
};

}  // namespace headscope
