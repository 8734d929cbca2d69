#include <array>

#include "core/tasks/lexicon.h"

namespace headscope {
namespace {

constexpr std::array all_sayings{
    // Living beings.
    Saying{"animate",
           "BE <degree> tired|BE <degree> hungry|BE <degree> thirsty|BE <degree> scared|BE <degree> afraid|"
           "BE <degree> frightened|BE <degree> angry|BE <degree> lonely|BE <degree> bored|BE <degree> sick|"
           "BE <degree> ill|BE <degree> weak|BE <degree> nervous|BE <degree> shy|BE <degree> sleepy|"
           "BE <degree> exhausted|BE <degree> excited|BE <degree> curious|BE <degree> lazy|BE <degree> hurt|"
           "BE <degree> jealous|BE <degree> confused|BE <degree> starving|BE <degree> stubborn|BE dizzy|"
           "BE asleep|BE awake|BE alone|BE <degree> alone|BE ready|BE late|BE early|BE safe|BE free|BE "
           "thin|BE fat|BE in pain|BE blind|BE deaf|BE homesick|BE injured|BE wounded|BE playful|"
           "BE <degree> friendly|BE <degree> clever|BE <degree> greedy|BE <degree> brave|BE <degree> happy|"
           "BE <degree> sad|BE <degree> unhappy|BE <degree> calm|BE <degree> surprised|BE <degree> agitated"},
    Saying{
        "animate",
        "~sleep|~yawn|~wake up|~fall asleep|~run away|~escape|~cry|~breathe|~sneeze|~cough|~dream|~drown|"
        "~faint|~starve|~shiver|~tremble|~limp|~swim away|~jump for joy|~sit down|~lie down|~stand up|"
        "~hide|~eat|~drink <liquid>|~hear a noise|~smell smoke|~feel ill|~feel lonely|~feel cold|"
        "~feel hungry|~feel tired|~feel afraid|~need help|~need food|~want to sleep|~want to rest|"
        "~want to play|~want to eat|~want to go home|~like @place|~hate @food|~want @food|"
        "~eat @food|~smell @food|~see @animal|~look around|~look the other way|~notice @human|~turn around|"
        "~climb a tree|~freeze with fear|~die of hunger|~get lost|~get hungry|~get tired|~get hurt|"
        "~break a leg|~hurt a leg|~lose an eye|~have a cold|~have a broken leg|~have a tiny mouth|"
        "~have sharp teeth|~have an empty stomach|~dive|~bathe|~recover|~give up|~try again|~back away|"
        "~wait for help|~refuse to move|~run out of food|~play all day|~flee|~stretch|~blink"},
    Saying{"animate",
           "<could-not> sleep|<could-not> see|<could-not> breathe|<could-not> swim|<could-not> "
           "walk|<did-not> move|"
           "<did-not> wake up|<did-not> see @animal|<did-not> hear @human|<had-not> slept|<had-not> eaten|"
           "had eaten too much|had seen @animal|had heard a noise|wanted @food|had smelled @food"},
    Saying{"animate",
           "BE <doing>|BE <doing>|BE <doing>|~keep <doing>|~stop <doing>|~start <doing>|had been <doing>"},
    Saying{"human",
           "BE <people-doing>|BE <people-doing>|BE <people-doing>|~keep <people-doing>|~stop "
           "<people-doing>|~start <people-doing>|had been <people-doing>"},
    Saying{"device",
           "BE <device-doing>|BE <device-doing>|~keep <device-doing>|~stop <device-doing>|~start "
           "<device-doing>"},
    // People.
    Saying{"human",
           "~laugh|~smile|~whisper|~shout|~sing|~dance|~clap|~giggle|~wave|~apologise|~agree|~disagree|~nod|"
           "~frown|~sigh|~complain|~hesitate|~blush|~grin|~cheer|~pray|~snore|~sob|~worry|~retire|~resign|~"
           "confess|"
           "~applaud|~bow|~listen|~argue|~agree at once|~say no|~say sorry|~laugh out loud|~sing a song|"
           "~tell a joke|~tell a lie|~tell the truth|~ask for help|~call the police|~call a doctor|~pay the "
           "bill|"
           "~read @text|~write @text|~open @container|~buy @food|~buy @thing|~buy @clothing|~drive @vehicle|"
           "~lose @thing|~find @thing|~break @fragile|~clean @building|~watch television|~play the piano|"
           "~forget the time|~know the answer|~know the way|~work all day|~work hard|~work at night|"
           "~practise every day|~study all night|~win the race|~win the lottery|~lose the game|~speak french|"
           "~like music|~like children|~like animals|~love books|~need money|~need a rest|~need a job|"
           "~need advice|~feel guilty|~feel proud|~feel better|~feel sorry|~feel ashamed|~earn good money|"
           "~go to school|~go to work|~go home|~go to bed|~go shopping|~leave home|~miss the train|"
           "~take the bus|~come home late|~come back|~arrive late|~have a headache|~have a toothache|"
           "~have a fever|~have a good idea|~have no money|~have no time|~have a birthday|~have a day off|"
           "~have a bad dream|~pack @container|~wear @clothing|~want to help|~want to learn|~want to win|"
           "~want to buy @thing|~try to help|~hope to win|~prefer to stay|~promise to help|~start to laugh|"
           "~stop talking|~keep smiling|~finish the work|~finish school|~cook dinner|~make a mistake|"
           "~make a sandwich|~make a cake|~make breakfast|~take a photograph|~take a nap|~put on @clothing|"
           "~fix @device|~turn off the light|~hate school|~move to @place|~visit @building|~play chess|"
           "~think of home|~talk too much|~tell the story|~teach the class|"
           "~turn pale|~lose the keys|~forget the keys|~have an accident|~have bad news|~have no umbrella"},
    Saying{
        "human",
        "BE <degree> polite|BE <degree> rude|BE <degree> proud|BE <degree> honest|BE <degree> grateful|"
        "BE <degree> sorry|BE <degree> worried|BE <degree> embarrassed|BE <degree> rich|BE <degree> poor|"
        "BE <degree> generous|BE <degree> selfish|BE <degree> famous|BE <degree> drunk|BE <degree> busy|"
        "BE <degree> careless|BE <degree> disappointed|BE <degree> pleased|BE <degree> ashamed|"
        "BE <degree> impatient|BE <degree> wise|BE <degree> talented|BE <degree> successful|BE on holiday|"
        "BE <degree> furious|BE <degree> upset|BE <degree> annoyed|BE <degree> helpful|BE <degree> lucky|"
        "BE late for work|BE late for school|BE at school|BE at work|BE in hospital|BE in love|BE in prison|"
        "BE a good singer|BE good at maths|BE in a hurry|BE in a bad mood|BE in a good mood|BE out of work|"
        "BE <degree> guilty|BE <degree> innocent|BE pregnant|BE bald|BE barefoot|BE bankrupt|BE invited|"
        "BE <degree> thankful|BE <degree> moody|BE going home|BE reading|BE wearing @clothing|BE cooking|"
        "BE dreaming of home|BE hoping for luck|BE driving too fast|BE working|BE studying|BE talking|"
        "BE listening to music|BE dancing|BE waiting for the bus"},
    Saying{
        "human",
        "had forgotten the time|had lost the key|had won a prize|had worked hard|had worked all night|"
        "had learned a lot|had told a lie|had stolen @thing|had broken @fragile|had passed the test|"
        "had forgotten @text|had missed the bus|had studied hard|had made a mistake|had read @text|"
        "had practised every day|had been ill|had found a job|had no money|had left @thing at home|"
        "had saved money|had fixed @device|had helped @human|had lied|had written @text|had spent the money|"
        "had heard the news|had bought @food|had been rude|had given away @thing|"
        "<could-not> read|<could-not> pay|<could-not> speak english|<could-not> find @thing|<could-not> find "
        "the key|"
        "<could-not> drive|<could-not> cook|<could-not> afford @thing|<could-not> wait|<could-not> open "
        "@container|"
        "<did-not> answer|<did-not> know the way|<did-not> speak|<did-not> believe @human|<did-not> "
        "understand|"
        "<did-not> come|<did-not> listen|<did-not> have money|<did-not> like @food|<did-not> study|<did-not> "
        "smile|"
        "<did-not> cry|<would-not> listen|<would-not> leave|never gave up|never said thank you"},
    // Animals.
    Saying{
        "animal",
        "BE <degree> tame|BE <degree> wild|BE a good pet|BE on a lead|BE looking for food|BE feeding the "
        "young|"
        "~growl|~howl|~bark|~roar|~wag the tail|~have soft fur|~have sharp claws|~have four legs|~have a "
        "long "
        "tail|~dig a hole|~bark all night|~lay eggs|~bury a bone|~chase the cat|~sniff the ground|~eat grass|"
        "~hunt at night|~build a nest|~fly away|~fly south|~flap the wings|~purr|~hiss|~bite @human|"
        "~sting @human|~scratch @human|~catch a mouse|~smell a fox|~live in the forest|~swim in the sea|"
        "~graze|~hibernate|~gallop|~hop|~crawl|~chirp|~sit in a cage|~sleep in a basket|had been in a cage|"
        "~wag a tail|~beg for food|~bark at @human|~sniff|~squeak|~quack|~neigh|~buzz|~creep into a hole"},
    // Things to eat.
    Saying{"eatable",
           "BE <degree> ripe|BE <degree> rotten|BE <degree> stale|BE <degree> raw|BE <degree> spicy|"
           "BE overcooked|BE undercooked|BE burnt|BE mouldy|BE <degree> crunchy|BE <degree> juicy|BE well "
           "cooked|"
           "BE on the plate|BE in the oven|BE baked in the morning|~rot|~go mouldy|~burn in the oven|"
           "~melt in the mouth|~need more time in the oven"},
    Saying{
        "edible",
        "BE <degree> tasty|BE <degree> delicious|BE <degree> bitter|BE <degree> sour|BE <degree> salty|"
        "BE <degree> sweet|BE poisonous|BE poisoned|BE <degree> healthy|BE <degree> fresh|~taste bad|"
        "~taste good|~taste bitter|~taste of soap|~smell delicious|~smell bad|~go bad|~need salt|~need sugar|"
        "~look tasty|~look delicious|~get cold|~contain poison|~have no taste|~spoil"},
    Saying{"drink", "~spill|~boil over|~flow over @furniture|BE in a glass|~evaporate"},
    // Things.
    Saying{"small",
           "BE in the drawer|BE in the bag|BE in the box|BE under the bed|BE on the table|BE a present|"
           "BE a birthday present|~fall off the table|~fall on the floor|~fall out of the bag|~fall into the "
           "water|~slip out|~belong to @human|BE in a drawer|BE missing|BE lost|~lie on the floor|"
           "~lie on the table"},
    Saying{"inanimate",
           "BE made of <material>|BE expensive to repair|BE too expensive|BE cheap|BE <degree> old-fashioned|"
           "~cost too much|~cost a lot|BE worth nothing|BE insured|BE for sale|BE on sale|BE out of date"},
    Saying{"object",
           "BE made of wood|BE made of metal|BE made of glass|BE made of plastic|BE <degree> rusty|"
           "BE <degree> dusty|BE <degree> fragile|BE too heavy to carry|BE broken|~break|~need repair|"
           "BE brand new|BE second-hand|BE well made|BE badly made|~fall apart|~have a crack|~have a hole|BE "
           "stolen|"
           "BE handmade|BE made in china|BE in the way|BE covered with dust|BE covered in mud|~catch fire"},
    Saying{"container",
           "BE <degree> full|BE <degree> empty|BE locked|BE stuffed with clothes|~leak|~have a false bottom|"
           "BE tightly closed|BE full of books|BE half empty|~have a strong lock|BE wide open"},
    Saying{"fragile",
           "~shatter|~crack|BE chipped|BE cracked|~break into pieces|~smash on the floor|BE fragile|"
           "BE made of thin glass|BE brittle"},
    Saying{
        "clothing",
        "BE <degree> torn|BE out of fashion|~shrink|BE made of wool|~have a hole|BE <degree> itchy|~fade|"
        "BE <degree> loose|BE <degree> tight|BE knitted|BE in the wash|BE too short to wear|~match @clothing|"
        "BE wrinkled|~fit well|<did-not> fit|BE in the wardrobe|~keep @human warm|BE hanging on a hook|"
        "~lose a button|~get wet|BE stained"},
    Saying{
        "device vehicles",
        "<would-not> start|~stop working|~work again|~work well|BE switched off|~make a strange noise|"
        "~break down|~need a new battery|BE out of order|~start at once|~overheat|~need repair|BE repaired|"
        "~have a new engine|~use too much power|~explode|BE <degree> noisy|<did-not> work|~still ~work"},
    Saying{"device",
           "~ring|~ring twice|~hum|~beep|~buzz|~flash|BE plugged in|BE unplugged|~ring all morning|~go off|"
           "~use too much electricity|~gurgle|~have a broken button|BE turned off"},
    Saying{"vehicle",
           "~run out of fuel|~have a flat tyre|BE parked outside|~leave on time|~skid|~crash|~turn left|"
           "~stop at the lights|~need new brakes|BE full of passengers|BE stuck in the mud|BE in the garage|"
           "~drive too fast|BE overloaded|~come late|BE delayed"},
    Saying{"boat",
           "~sink|~leak|~capsize|~drift|BE anchored|~hit a rock|~hit an iceberg|~reach the harbour|~sail "
           "away|~drift onto the rocks|~fill with water|~have a hole in the hull"},
    Saying{"furniture",
           "~wobble|~creak|BE made of oak|~collapse|~squeak|BE freshly painted|BE scratched|BE "
           "polished|~have only three legs|BE locked|BE stuck|BE unlocked"},
    Saying{"missile",
           "BE thrown <degree> hard|~bounce|~roll away|~fly through the air|BE thrown from far away"},
    Saying{"plant",
           "~wither|~bloom|~grow too fast|~lose all leaves|~need water|~need sunlight|BE in the shade|"
           "BE full of thorns|~bear fruit|~have deep roots|BE planted in spring|~grow well|~dry out|"
           "BE watered every day"},
    Saying{"text",
           "BE boring to read|BE written in french|BE signed|~have a sad ending|~have many pages|"
           "BE full of mistakes|BE written by a child|BE easy to understand|~make no sense|~rhyme|"
           "BE about love|BE hard to read|BE printed|~begin with a joke|BE translated|~end well"},
    Saying{"event",
           "~last three hours|~begin late|BE cancelled|~end early|~begin at noon|BE a great success|"
           "BE a disaster|~start late|~end in a draw|BE postponed|~take place at night|~last all night"},
    Saying{"treasure",
           "~sparkle|~glitter|~shine|BE worth a fortune|BE made of gold|BE made of silver|BE a fake|"
           "BE in the safe"},
    Saying{"blade", "BE <degree> sharp|BE <degree> blunt|BE sharpened|~gleam"},
    Saying{"weather",
           "~last all night|~stop at noon|~begin at dawn|~pass|~stop|~get worse|~come from the sea|"
           "~fall all night|~turn the road white|~destroy the town|BE over|~clear|~begin|~rage|~melt|"
           "~cover the town|~cover @place"},
    Saying{"device treasure weather", "~vanish|BE <degree> bright"},
    // Places.
    Saying{"place",
           "BE <degree> wide|BE <degree> long|BE <degree> deep|BE <degree> steep|BE <degree> icy|"
           "BE <degree> muddy|BE <degree> foggy|BE <degree> dangerous|BE <degree> narrow|BE flooded|"
           "BE <degree> crowded|BE full of holes|~lead nowhere|BE full of people|BE covered with snow|"
           "BE under water|BE blocked|BE on the map|BE far away|BE miles away|~lead into the forest"},
    Saying{"building",
           "BE haunted|~have a leaking roof|~have no windows|~collapse|BE built of brick|BE closed|"
           "BE <degree> crowded|BE open at night|~open at nine|BE closed for repairs|BE on fire|"
           "BE full of people|BE next to @building|~burn down|~have thick walls|BE rebuilt|BE empty|"
           "BE too far away|BE for rent|~close at six|BE sold out"},
    Saying{"den",
           "BE <degree> cramped|BE <degree> warm|BE made of straw|BE made of wood|BE full of straw|"
           "BE lined with feathers|BE badly built|BE under the roots|~cave in"},
    Saying{"somewhere", "BE too far away|BE near @place|BE <degree> dark|BE <degree> quiet"},
};

}  // namespace

std::span<const Saying> sayings() {
  return all_sayings;
}

}  // namespace headscope
