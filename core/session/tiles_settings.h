#pragma once

#include <array>

#include "core/session/setting.h"
#include "core/session/tiles_options.h"

namespace headscope {

/// The settings of the page of tiles.
inline constexpr std::array tiles_settings{
    Setting{"tiles.queries", "the queries of a tile", "--tile-queries", "N", place_group,
            "Queries in a tile: the rows of the scores that are processed together", "",
            field::Whole{place_at<&Session::tiles, &TilesOptions::queries>, 1, max_tile_side}},
    Setting{"tiles.keys", "the keys of a tile", "--tile-keys", "N", place_group,
            "Keys in a tile: the columns of the scores that are processed together", "",
            field::Whole{place_at<&Session::tiles, &TilesOptions::keys>, 1, max_tile_side}},
    Setting{"tiles.step", "the tile", "--tile-step", "N", place_group,
            "The tile that was processed last, counted from 1, one row of tiles after another", "",
            field::Whole{place_at<&Session::tiles, &TilesOptions::step>, 1, max_tile_step}},
};

}  // namespace headscope
