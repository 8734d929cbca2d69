#include "app/shell/shown_view.h"

#include "app/shell/notices.h"
#include "app/views/compare.h"
#include "app/views/decoding.h"
#include "app/views/effects.h"
#include "app/views/explore.h"
#include "app/views/heads.h"
#include "app/views/lines.h"
#include "app/views/model.h"
#include "app/views/positions.h"
#include "app/views/presented.h"
#include "app/views/scale.h"
#include "app/views/split.h"
#include "app/views/stages.h"
#include "app/views/textbooks.h"
#include "app/views/tiles.h"
#include "app/views/train.h"
#include "app/views/words.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"

namespace headscope {

void shown_view(Frame& frame) {
  leftover_notice(frame);
  problem_notice(frame);
  interventions_notice(frame);
  if (!frame.trace) {
    const Panel panel(frame.ui, "nothing yet", ImGui::GetContentRegionAvail());
    const std::string_view said = frame.session.sentence.empty()
                                      ? "Type a sentence above to see attention work."
                                  : frame.error.empty() ? "Computing…"
                                                        : "";
    text(frame.ui, said, Font::sans, text_size::title, frame.ui.theme().quiet);
    return;
  }
  const bool presents_itself = frame.session.view == View::explore || frame.session.view == View::lines;
  if (frame.screen.presents && !presents_itself) return presented_view(frame);
  switch (frame.session.view) {
    case View::explore:
      return explore_view(frame);
    case View::stages:
      return stages_view(frame);
    case View::heads:
      return heads_view(frame);
    case View::model:
      return model_view(frame);
    case View::positions:
      return positions_view(frame);
    case View::words:
      return words_view(frame);
    case View::split:
      return split_view(frame);
    case View::train:
      return train_view(frame);
    case View::compare:
      return compare_view(frame);
    case View::effects:
      return effects_view(frame);
    case View::lines:
      return lines_view(frame);
    case View::tiles:
      return tiles_view(frame);
    case View::decoding:
      return decoding_view(frame);
    case View::textbooks:
      return textbooks_view(frame);
    case View::scale:
      return scale_view(frame);
  }
}

}  // namespace headscope
