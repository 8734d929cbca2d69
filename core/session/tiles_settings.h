#pragma once

#include <array>

#include "core/session/setting.h"
#include "core/session/tiles_options.h"

namespace headscope {

/// The settings of the page of tiles.
inline constexpr std::array tiles_settings{
    Setting{"tiles.queries", "the queries of a tile", "--tile-queries", "N", place_group,
            "Queries of a tile: the rows of the scores that are taken in together", "",
            field::Whole{place_at<&Session::tiles, &TilesOptions::queries>, 1, max_tile_side}},
    Setting{"tiles.keys", "the keys of a tile", "--tile-keys", "N", place_group,
            "Keys of a tile: the columns of the scores that are taken in together", "",
            field::Whole{place_at<&Session::tiles, &TilesOptions::keys>, 1, max_tile_side}},
    Setting{"tiles.step", "the tile", "--tile-step", "N", place_group,
            "The tile that was taken in last, counted from 1, row of tiles by row of tiles", "",
            field::Whole{place_at<&Session::tiles, &TilesOptions::step>, 1, max_tile_step}},
};

}  // namespace headscope
