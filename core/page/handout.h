#pragma once

#include <vector>

#include "core/lesson/walk.h"
#include "core/page/film.h"
#include "core/page/page_inputs.h"
#include "core/result.h"

namespace headscope {

/// A lesson on paper: its text, a figure of each scene, and the questions, with the answers on the last
/// pages. The pages are A4, in points, with light colours. Fails if a scene cannot be computed.
Result<std::vector<Figure>> handout_of(const Lesson& lesson, const ComputePass& compute,
                                       const MeasureText& measure);

/// A lesson as a film: a slide of 960 × 540 units for each step, with its text beside its picture, and one
/// for the answer to each question. A slide stays as long as its text takes to read.
FilmSteps film_of_lesson(const Lesson& lesson, const ComputePass& compute);

}  // namespace headscope
