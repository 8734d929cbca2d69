#include "core/page/parts/thumbnails.h"

#include <utility>

#include "core/page/parts/readable.h"
#include "core/page/parts/small_pictures.h"

namespace headscope {
namespace {

Figure thumbnail(const ThumbnailsKey& key, std::size_t index, const std::atomic<bool>& stop) {
  SmallPicture asked{key.at.trace, key.stages[index], key.against, {}, key.picture, key.side, key.side};
  if (key.against) asked.against_stage = key.against_stages[index];
  return drawn(asked, stop);
}

ThumbnailsKey thumbnails_key(const PageInputs& in, const std::vector<HeadPlace>& places, float side) {
  const Selection& selection = in.session.selection;
  ThumbnailsKey key;
  key.at = {in.trace, selection.stack, selection.attention};
  key.against = in.against();
  key.picture = in.session.picture;
  key.side = side;
  key.stages.reserve(places.size());
  for (const HeadPlace& place : places) {
    key.stages.push_back({tiles_kind(in), selection.stack, place.layer, selection.attention, place.head});
    if (key.against) key.against_stages.push_back(in.counterpart(key.stages.back()));
  }
  return key;
}

}  // namespace

StageKind tiles_kind(const PageInputs& in) {
  const StageKind chosen = in.session.selection.stage;
  return info(chosen).scope == StageScope::head ? chosen : StageKind::weights;
}

std::shared_ptr<const Thumbnails> thumbnails(const PageInputs& in, PageTools& tools,
                                             const std::vector<HeadPlace>& places, float side) {
  HeadsMemo& memo = tools.memo.heads;
  const ThumbnailsKey key = thumbnails_key(in, places, side);
  const Extent map = places.empty() ? Extent{} : in.trace->extent(key.stages.front());
  const bool is_little = !places.empty() && in.trace->is_at_hand(key.stages.front()) &&
                         are_few(std::int64_t{map.rows} * map.cols * static_cast<int>(places.size()));
  const CarryOut at_once = [](const std::function<void()>& job) { job(); };
  const bool is_new = !(memo.thumbnails.key() == key);
  const auto* work = memo.thumbnails.get(
      is_little ? at_once : tools.carry_out, key, [](const ThumbnailsKey& asked, Work<Thumbnails>& found) {
        found.value.reserve(asked.stages.size());
        for (std::size_t i = 0; i < asked.stages.size() && !found.stop; ++i)
          found.value.push_back(thumbnail(asked, i, found.stop));
      });
  if (work != nullptr && (is_new || memo.is_waiting)) {
    memo.shown = std::make_shared<const Thumbnails>(work->value);
    memo.shown_side = side;
    memo.shown_kind = tiles_kind(in);
    memo.shown_difference = in.against() != nullptr;
  }
  memo.is_waiting = work == nullptr;
  const bool fits = memo.shown && memo.shown->size() == places.size() && memo.shown_side == side &&
                    memo.shown_kind == tiles_kind(in) && memo.shown_difference == (in.against() != nullptr);
  return fits ? memo.shown : nullptr;
}

}  // namespace headscope
