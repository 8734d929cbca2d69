#pragma once

#include <optional>
#include <string>

#include "core/model/interventions.h"
#include "core/trace/stage.h"

namespace headscope {

/// The stage whose row a patch replaces.
StageId stage_of(const Patch& patch);

/// The patch of a row of a stage. No value if rows of such stages cannot be replaced.
std::optional<Patch> patch_of(const StageId& stage, int row, PatchSource source);

/// The paths of the stages whose rows can be replaced, in the first layer and head: “encoder.input, …”.
std::string patchable_stages();

/// The stage of a kind in a head.
StageId stage_in(const HeadId& head, StageKind kind);
/// The head that a stage of a head belongs to.
HeadId head_of(const StageId& stage);

}  // namespace headscope
