#include "core/engine/head_study.h"

#include <cstdint>
#include <utility>

#include "core/engine/engine.h"
#include "core/engine/study_texts.h"

namespace headscope {
namespace {

Request request_of_study(const HeadStudyRequest& study_request, const StudyTexts& texts) {
  Request request;
  request.architecture = study_request.architecture;
  request.attention = study_request.attention;
  request.model = study_request.model;
  request.tokenizer = texts.tokenizer;
  request.given = study_request.given;
  request.interventions.heads = study_request.changes;
  return without_own_texts(std::move(request));
}

}  // namespace

Slices<Result<HeadStudy>> head_study(HeadStudyRequest study_request) {
  const auto texts = study_texts(study_request.on, study_request.architecture, study_request.model);
  if (!texts) co_return tl::unexpected(texts.error());
  const Architecture& a = study_request.architecture;
  const auto n_heads = static_cast<std::size_t>(a.n_heads);
  std::vector<MeasureSums> sums(static_cast<std::size_t>(a.layers_of(study_request.stack)) * n_heads);
  Engine engine(1);
  Request request = request_of_study(study_request, *texts);
  HeadStudy study;
  for (const StudyText& text : texts->all) {
    request.sentence = text.sentence;
    request.target = text.target;
    const auto trace = engine.compute(request, TooLong::refuse);
    if (!trace) co_return tl::unexpected(trace.error());
    StageId id{StageKind::weights, study_request.stack, 0, study_request.kind, 0};
    // The selection may belong to another model than the pass that is shown meanwhile.
    if (!(*trace)->has(id)) co_return failure("the model does not have this kind of attention");
    const MeasuredText measured = measured_text(**trace, id, study_request.detector);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      id.layer = static_cast<int>(i / n_heads);
      id.head = static_cast<int>(i % n_heads);
      add_head(**trace, id, measured, sums[i]);
    }
    if (auto ok = (*trace)->check_files(); !ok) co_return tl::unexpected(ok.error());
    co_yield static_cast<double>(++study.n_texts) / static_cast<double>(texts->all.size());
  }
  study.heads.n_heads = a.n_heads;
  study.heads.heads.reserve(sums.size());
  for (const MeasureSums& each : sums) study.heads.heads.push_back(means_of(each));
  co_return study;
}

}  // namespace headscope
