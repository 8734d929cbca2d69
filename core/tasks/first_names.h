#pragma once

#include <string_view>

namespace headscope {

/// First names, separated by spaces.
inline constexpr std::string_view names_of_men =
    "adam alan albert alex alexander alfred andrew anthony antonio arthur ben benjamin bernard bill bob "
    "brian bruce carl carlos charles charlie chris christopher colin dan daniel dave david dennis derek "
    "diego donald douglas ed eddie edward eric ernest felix fernando frank fred frederick gary geoffrey "
    "george gerald graham greg gregory hans harold harry henry howard hugh hugo ian isaac ivan jack "
    "jacob jake james jason jeff jeremy jim joe john jonathan jorge joseph josh juan justin keith ken "
    "kenneth kevin larry leo leonard lewis louis lucas luke mark martin matthew max michael mike miguel "
    "mohammed nathan neil nicholas nick noah norman oliver omar oscar otto owen pablo patrick paul pedro "
    "peter philip pierre ralph ray raymond richard rob robert robin roger ron ronald roy ryan sam samuel "
    "scott sean sebastian sergei simon stanley stephen steve steven stuart ted terry theo thomas tim "
    "timothy toby tom tommy tony victor vincent walter will william zach dad daddy grandpa";

inline constexpr std::string_view names_of_women =
    "abigail ada agnes alice alison amanda amelia amy andrea angela anita ann anna anne annie barbara "
    "beatrice bella beth betty brenda carla carmen carol caroline catherine charlotte chloe christina "
    "claire clara cynthia daisy deborah debra diana donna dora doris dorothy edith eleanor elena eliza "
    "elizabeth ella ellen emily emma erica esther eva eve evelyn fiona florence frances gloria grace "
    "hannah harriet heather heidi helen ida ingrid irene iris isabel isabella jackie jane janet janice "
    "jasmine jean jennifer jenny jessica jill joan joanna josephine joy joyce judith judy julia julie "
    "june karen kate katherine kathy katie kelly laura lena lily linda lisa liz louise lucia lucy lydia "
    "maggie margaret maria marie marion martha mary maya megan melissa mia michelle molly monica nancy "
    "naomi natalie nicole nina nora olga olivia pamela patricia paula penny phoebe polly rachel rebecca "
    "rita rosa rose rosie ruby ruth sally samantha sandra sara sarah sharon sheila shirley silvia sofia "
    "sonia sophia sophie stella stephanie sue susan suzanne sylvia teresa tina tracy ursula valerie vera "
    "veronica victoria violet virginia wendy yvonne zoe mum mummy mom mommy mother grandma granny";

}  // namespace headscope
