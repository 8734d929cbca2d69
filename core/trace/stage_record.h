#pragma once

#include <string>
#include <vector>

#include "core/trace/stage.h"
#include "core/trace/trace.h"

namespace headscope {

struct Derivation;  // core/trace/derivation.h

/// A cell of a stage and its number.
struct CellValue {
  int row = 0;
  int col = 0;
  double value = 0.0;
};

/// Everything that the program knows about a kind of stage. The headers of the families (input_stages.h and
/// so on) contain one record for each kind; stage_table.cpp joins them and checks that none is missing or
/// incomplete.
struct StageRecord {
  StageInfo info;
  /// Returns a function that computes rows of the stage on demand, possibly from other stages, or that reads
  /// the rows of a table. Called if the pass did not keep them. Null if it is computed as a step of a pass,
  /// or a parameter. Thread-safe.
  RowMaker (*compute)(const Trace&, const StageId&) = nullptr;
  /// Derives a cell. Null if derive_by_operation() does.
  void (*derive)(Derivation&) = nullptr;
  /// Returns a sentence about one number. Null if sentence_by_operation() does.
  std::string (*sentence)(const Trace&, const StageId&, const CellValue&) = nullptr;
  /// Returns the formula with the options of the pass filled in. Null if its operation says all, or if the
  /// formula of `info` always applies.
  std::string (*formula)(const Trace&, const StageId&) = nullptr;
  /// Returns the magnitude at which numbers begin to be excluded from the range of colours. Null if all
  /// finite numbers count.
  float (*counted_below)(const Trace&, const StageId&) = nullptr;
  /// For a stage of a stack: true if it does not exist before the stack's last layer is computed.
  bool follows_layers = false;
};

const StageRecord& record_of(StageKind kind);

}  // namespace headscope
