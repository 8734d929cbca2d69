#include "core/tasks/noun_kinds.h"

#include <array>

#include "core/tasks/first_names.h"

namespace headscope {
namespace {

using enum NounPronoun;

constexpr std::string_view of_people =
    "old young strange unknown little tall famous clever poor rich quiet friendly grumpy kind brave lazy "
    "busy "
    "proud shy polite rude elderly cheerful careless nervous angry happy lonely gentle wise foolish honest";
constexpr std::string_view of_animals =
    "old young brown black white little big small wild hungry angry fat clever friendly grey lazy tiny huge "
    "sleepy stray playful frightened spotted fierce gentle shy noisy thirsty curious brave lonely wounded";
constexpr std::string_view of_places = "old new quiet beautiful famous nearby lonely strange local foreign";
constexpr std::string_view of_things =
    "old new red blue green yellow beautiful big small little strange expensive cheap heavy light wooden "
    "white "
    "black brown pink large tiny huge lovely ugly dirty clean broken plain shiny favourite special ancient "
    "modern second-hand dusty round";
constexpr std::string_view of_food = "fresh tasty delicious big small large little hot cold sweet whole last";

constexpr std::array kinds{
    NounKind{
        "animal", "Animals", it,
        "animal dog cat horse robot bird rabbit cow fox wolf bear sheep goat pig mouse duck lion monkey "
        "tiger elephant snake frog fish hen chicken rooster chick puppy kitten pony donkey camel deer "
        "squirrel rat hamster parrot owl eagle hawk crow pigeon swan goose turkey penguin seal whale "
        "dolphin shark octopus crab turtle tortoise lizard crocodile giraffe zebra kangaroo panda gorilla "
        "leopard cheetah hedgehog badger otter beaver bat spider bee wasp ant fly butterfly mosquito worm "
        "snail lamb calf foal bull ox hound poodle terrier toad dragon dinosaur creature monster insect "
        "beetle moose hare falcon raven gull stork peacock raccoon skunk hippo rhino buffalo vulture "
        "heron mole newt salmon trout piglet cub duckling beast pet",
        of_animals},
    NounKind{
        "man", "Men", he,
        "man boy king father brother uncle son grandfather husband nephew prince gentleman waiter actor "
        "policeman fireman postman fisherman salesman guy lad monk wizard knight emperor duke lord priest "
        "butler businessman boyfriend bachelor hunter cowboy schoolboy stepfather grandson godfather "
        "bridegroom landlord milkman sailor soldier carpenter blacksmith plumber mechanic bishop pope "
        "giant sultan baron",
        of_people},
    NounKind{"woman", "Women", she,
             "woman girl queen mother sister aunt daughter grandmother wife niece princess lady waitress "
             "actress policewoman saleswoman nun witch girlfriend bride landlady businesswoman schoolgirl "
             "stepmother granddaughter godmother countess duchess empress hostess housewife widow fairy "
             "mermaid goddess ballerina midwife maid baroness heroine",
             of_people},
    NounKind{"he-name", "First names of men", he, names_of_men, "", NounKind::Use::name},
    NounKind{"she-name", "First names of women", she, names_of_women, "", NounKind::Use::name},
    NounKind{"person", "People of either sex", he_or_she,
             "child teacher doctor student farmer neighbour friend driver cook baker nurse soldier baby kid "
             "toddler infant teenager adult parent cousin twin guest visitor stranger tourist traveller "
             "passenger customer client patient dentist surgeon scientist professor engineer lawyer judge "
             "lawyer writer author poet artist painter singer dancer musician pianist drummer guitarist "
             "composer conductor director photographer journalist reporter editor librarian secretary clerk "
             "manager boss worker colleague assistant builder electrician gardener cleaner tailor butcher "
             "barber hairdresser chef pilot astronaut captain guard thief burglar robber pirate prisoner spy "
             "criminal detective officer sergeant general president minister mayor politician player athlete "
             "runner swimmer cyclist climber skier coach referee champion winner loser teammate goalkeeper "
             "pupil classmate principal tutor owner buyer seller shopkeeper merchant banker cashier tenant "
             "rider shepherd miner explorer inventor programmer designer architect magician clown acrobat "
             "juggler hermit beggar servant rescuer lifeguard firefighter biker jogger hiker camper scout "
             "orphan heir hero genius expert volunteer witness victim suspect speaker host enemy rival "
             "partner applicant candidate employee employer trainer vet zookeeper beekeeper potter sculptor "
             "smuggler ghost elf dwarf",
             of_people},
    NounKind{"group", "Groups", they, "people police", "old young local many", NounKind::Use::mass},
    NounKind{"place", "Places", it,
             "street road river bridge field park lake valley desert path tunnel square forest garden hill "
             "beach market village town city island mountain canyon swamp cave jungle lane avenue highway "
             "canal stream pond cliff meadow playground yard track trail pass harbour bay border courtyard "
             "alley car-park crossing",
             of_places},
    NounKind{
        "building", "Buildings and rooms", it,
        "house school hospital church castle hotel shop store museum library station airport office "
        "factory restaurant theatre cinema kitchen bedroom bathroom garage barn shed tower palace prison "
        "bank cafe gym stadium flat apartment cottage cabin hut hall classroom lighthouse temple farm "
        "attic cellar basement warehouse bakery supermarket pub tent",
        "old new big small quiet beautiful famous empty huge tiny white ancient modern"},
    NounKind{"thing", "Things", it,
             "trophy ball book box table piano chair lamp statue bottle clock guitar painting pillow picture "
             "toy umbrella camera watch key candle blanket carpet rug towel curtain doll kite balloon drum "
             "violin flute trumpet bell flag map basket wallet purse coin stamp pen pencil ruler brush "
             "photograph photo souvenir present gift package parcel rope chain stick ladder telescope "
             "microscope globe sculpture vase tent sleeping-bag mattress cushion saddle whistle football "
             "frisbee skateboard helmet ticket stone rock pebble shell bone feather brick log branch bucket "
             "pipe wire tube board panel tray object item bundle tool sign poster mask puppet crown sword "
             "shield arrow spear torch lantern mirror cage net broom mop comb thermometer calculator card "
             "package pot pan kettle teapot plate bowl cup mug glass jar",
             of_things},
    NounKind{"container", "Containers", it,
             "suitcase bag drawer car closet cabinet basket locker chest crate backpack box handbag pocket "
             "cupboard wardrobe briefcase trunk case envelope safe jar purse sack bin shed van garage "
             "fridge freezer pouch",
             "old new red blue green yellow black brown leather wooden"},
    NounKind{"fragile", "Things that break", it,
             "vase glass cup plate mirror bowl egg mug jar bottle teapot saucer dish lamp window lens bulb "
             "figurine tile pot jug screen",
             "old new red blue white beautiful expensive pretty precious favourite"},
    NounKind{"ground", "Ground to fall on", it, "floor rock pavement stone step ground tile", "old grey"},
    NounKind{"support", "Things to lie on", it,
             "shelf bench roof desk ladder wall table counter chair ledge stool platform bed", "old new red"},
    NounKind{"furniture", "Furniture and parts of houses", it,
             "table chair sofa bed desk bench stool cupboard wardrobe bookcase shelf couch armchair cradle "
             "door gate fence wall roof window ceiling chimney stair floor cabinet chandelier",
             "old new wooden big small heavy white brown"},
    NounKind{"vehicle", "Vehicles", it,
             "bus train truck bicycle car lorry van taxi motorbike bike tram ambulance tractor jeep "
             "motorcycle scooter fire-engine plane helicopter aeroplane airplane jet rocket",
             "old new red blue fast slow big white yellow expensive"},
    NounKind{"boat", "Boats", it, "boat ship canoe ferry yacht raft submarine sailboat kayak barge",
             "old new red blue little big small wooden white"},
    NounKind{"device", "Machines", it,
             "phone computer radio television tv laptop printer machine engine oven fridge freezer washing-"
             "machine heater alarm clock camera lamp toaster kettle fan vacuum dishwasher microwave mixer "
             "drill saw tablet keyboard speaker doorbell lift elevator lawnmower motor device gadget "
             "refrigerator cleaner telephone",
             "old new expensive cheap big small modern electric noisy broken"},
    NounKind{"vessel", "Things to pour from", it, "jug bucket kettle bottle cup barrel can pitcher tank",
             "old new red"},
    NounKind{"missile", "Things to throw", it, "ball stone arrow hammer brick rock snowball bullet pebble",
             "old red blue"},
    NounKind{"target", "Things to hit", it, "window mirror door lamp fence glass vase pane", "old new"},
    NounKind{"clothing", "Clothes", it,
             "coat shirt hat dress jacket sweater scarf skirt jumper suit tie uniform cap sock shoe boot "
             "glove belt robe costume raincoat t-shirt blouse cardigan apron sandal slipper vest",
             "old new red blue green black white warm expensive favourite dirty clean long thick woollen"},
    NounKind{"food", "Food", it,
             "bread cake apple sandwich pizza soup cheese egg steak banana cookie biscuit pie sausage burger "
             "salad meal orange pear peach plum tomato potato carrot onion cherry strawberry grape melon "
             "lemon mango pineapple sweet chocolate pancake pudding muffin omelette stew curry ham chicken "
             "fish bun roll loaf snack dessert dinner lunch breakfast nut mushroom pumpkin cabbage lettuce "
             "bean pastry doughnut waffle meat rice toast porridge jam honey butter turkey cereal",
             of_food},
    NounKind{"drink", "Drinks", it,
             "milk water juice tea coffee wine beer lemonade cocoa medicine cola soda whisky",
             "fresh hot cold sweet warm strong", NounKind::Use::mass},
    NounKind{"plant", "Plants", it,
             "tree flower rose plant bush tulip daisy oak pine hedge cactus lawn vine sunflower lily fern "
             "seedling weed",
             "old young beautiful big small tall green little red yellow white"},
    NounKind{"text", "Texts", it,
             "book letter story poem newspaper magazine novel article report essay email diary note postcard "
             "message song play speech list contract document recipe homework test exam script dictionary "
             "textbook menu chapter sentence word joke question answer lecture",
             "old new long short funny boring strange difficult interesting sad secret famous first last"},
    NounKind{"event", "Events", it,
             "party game match concert race lesson meeting wedding trip film movie show festival journey "
             "holiday contest exhibition class performance battle war ceremony parade dance picnic",
             "long boring exciting big small first last wonderful strange noisy important"},
    NounKind{
        "weather", "Weather", it,
        "rain storm snow wind fog thunder lightning hurricane flood fire ice smoke sun earthquake tornado "
        "hail frost heat avalanche blizzard volcano",
        "heavy terrible sudden strong cold", NounKind::Use::mass},
    NounKind{"treasure", "Valuables", it,
             "ring necklace diamond watch bracelet treasure crown jewel pearl coin medal brooch earring ruby "
             "emerald",
             "old beautiful expensive precious golden silver shiny small big"},
    NounKind{"cover", "Covers", it, "blanket carpet rug towel curtain cloth sheet tablecloth quilt mat",
             "old new red blue"},
    NounKind{"bridgelike", "Things to pass under", it, "bridge arch gate branch tunnel ceiling roof wire",
             "old new"},
    NounKind{"gap", "Things to pass through", it,
             "tunnel gate door alley street gap entrance garage lane archway doorway hole window hatch "
             "passage opening pipe corridor",
             "old new small big narrow dark"},
    NounKind{"den", "Where animals live", it,
             "nest barn burrow hole den cave kennel stable cage hutch coop hive sty lair stall aquarium",
             "old new big small warm dark"},
    NounKind{"obstacle", "Things to jump over", it,
             "fence wall hedge gate ditch stream puddle log barrier hurdle railing", "old new wooden"},
    NounKind{"reacher", "Things that reach far", it, "rope ladder pole stick chain hose cable cord arm",
             "old new"},
    NounKind{"bearer", "Things that bear a weight", it,
             "bridge branch shelf table chair rope hook bench raft ledge plank board hammock stool roof",
             "old new wooden"},
    NounKind{"high-place", "Things to climb", it,
             "mountain hill tree ladder wall cliff tower rope fence stair rock", "old big"},
    NounKind{"watery", "Things to fall into", it, "river lake hole pond well canal pit ditch pool",
             "old big"},
    NounKind{"road", "Roads", it, "road street lane highway bridge tunnel path track", "old busy"},
    NounKind{"blade", "Blades", it, "knife saw axe sword razor blade scythe dagger",
             "old new small big long rusty"},
};

constexpr std::array sets{
    KindSet{"human", "man woman he-name she-name person group"},
    KindSet{"someone", "man woman he-name she-name person"},
    KindSet{"animate", "human animal"},
    KindSet{"eatable", "food"},
    KindSet{"edible", "food drink"},
    KindSet{"vehicles", "vehicle boat"},
    KindSet{"small", "thing clothing text treasure food fragile blade"},
    KindSet{"object",
            "thing container fragile furniture device vessel clothing text treasure food plant blade vehicle "
            "boat"},
    KindSet{"somewhere", "place building den"},
    KindSet{"inanimate",
            "object place building den drink event weather missile target ground support bearer"},
    KindSet{"anything", "animate inanimate"},
};

}  // namespace

std::span<const NounKind> noun_kinds() {
  return kinds;
}

std::span<const KindSet> kind_sets() {
  return sets;
}

}  // namespace headscope
