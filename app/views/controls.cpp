#include "app/views/controls.h"

#include "app/parts/architecture_controls.h"
#include "app/parts/attention_controls.h"
#include "app/parts/cover_controls.h"
#include "app/parts/intervention_controls.h"
#include "app/parts/layer_controls.h"
#include "app/parts/mask_controls.h"
#include "app/parts/model_controls.h"
#include "app/parts/picture_controls.h"

namespace headscope {

void controls_view(Frame& frame) {
  model_controls(frame);
  size_controls(frame);
  mask_controls(frame);
  attention_controls(frame);
  intervention_controls(frame);
  layer_controls(frame);
  weight_controls(frame);
  picture_controls(frame);
  cover_controls(frame);
}

}  // namespace headscope
