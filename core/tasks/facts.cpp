#include <array>

#include "core/tasks/frames.h"

namespace headscope {
namespace {

constexpr std::array all_facts{
    Fact{"sky", "blue|blue|blue|grey|clear|cloudy"},
    Fact{"grass", "green|green|green|wet|soft"},
    Fact{"snow", "white|white|white|cold|soft"},
    Fact{"sun", "yellow|yellow|bright|hot"},
    Fact{"coal", "black|black|black|dirty"},
    Fact{"world", "round|round|round|large"},
    Fact{"earth", "round|round|blue"},
    Fact{"moon", "round|white|bright"},
    Fact{"sea", "blue|blue|deep|salty"},
    Fact{"blood", "red"},
    Fact{"rose", "red|red|pink|beautiful"},
    Fact{"apple", "red|red|green|sweet"},
    Fact{"banana", "yellow|yellow|sweet"},
    Fact{"lemon", "yellow|yellow|sour"},
    Fact{"orange", "orange|round|sweet"},
    Fact{"plum", "purple|purple|sweet"},
    Fact{"leaf", "green|green|brown"},
    Fact{"milk", "white|white|fresh"},
    Fact{"chocolate", "brown|brown|sweet"},
    Fact{"sugar", "sweet|sweet|white"},
    Fact{"salt", "white|white|salty"},
    Fact{"honey", "sweet|sweet|yellow"},
    Fact{"ice", "cold|cold|slippery"},
    Fact{"fire", "hot|hot|hot|red|bright"},
    Fact{"night", "dark|dark|cold|quiet"},
    Fact{"day", "bright|bright|long"},
    Fact{"summer", "hot|warm"},
    Fact{"winter", "cold|cold|white"},
    Fact{"gold", "yellow|yellow|expensive"},
    Fact{"wheel", "round|round|round"},
    Fact{"coin", "round|round|small"},
    Fact{"window", "square|square|clean"},
    Fact{"pyramid", "old|pointed|pointed"},
    Fact{"pig", "pink|pink|fat"},
    Fact{"elephant", "grey|grey|heavy"},
    Fact{"roses", "red|red|pink|beautiful", true},
    Fact{"clouds", "white|white|grey", true},
    Fact{"leaves", "green|green|brown", true},
    Fact{"stars", "bright|bright|yellow", true},
    Fact{"carrots", "orange|orange", true},
    Fact{"lemons", "sour|yellow", true},
};

}  // namespace

std::span<const Fact> facts() {
  return all_facts;
}

}  // namespace headscope
