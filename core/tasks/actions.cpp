#include <array>

#include "core/tasks/lexicon.h"

namespace headscope {
namespace {

constexpr std::array all_actions{
    // People and people.
    LexiconAction{
        "human", "human",
        "thank|praise|scold|blame|help|visit|invite|phone|call|greet|hug|kiss|teach|marry|hire|fire|forgive|"
        "punish|trust|admire|envy|congratulate|comfort|warn|insult|interrupt|annoy|surprise|beat|defeat|"
        "believe|question|interview|telephone|accuse|arrest|cheat|tease|mock|thank|respect|pity|criticise|"
        "encourage|fool|wave at|smile at|laugh at|shout at|yell at|talk to|speak to|listen to|"
        "apologise to|argue with|agree with|dance with|work for|write to|depend on|disappoint|impress|obey|"
        "disobey|disturb|embarrass|entertain|convince|persuade|reward|rob|sack|marry|bore|amuse|applaud|"
        "clap for|cheer for|vote for|pay|charge|advise|treat|cure|examine|outwit|trick|welcome|introduce|"
        "meet|promise|ask|answer|telephone|whisper to|quarrel with|flatter|motivate|betray|release|dismiss|"
        "lecture|tickle|nurse|hire|bribe|kidnap|arrest|capture|bow to|beat"},
    LexiconAction{
        "animate", "animate",
        "chase|follow|watch|see|hear|find|attack|fight|scare|frighten|hurt|help|love|like|hate|miss|fear|"
        "avoid|ignore|recognise|notice|protect|rescue|save|wake|kill|push|touch|hit|kick|catch|pass|guard|"
        "run from|hide from|run after|look at|look for|wait for|run towards|bump into|escape from|leave|"
        "lose|need|remember|forget|startle|hunt|stare at|flee from|spot|spy|eye|approach|meet|trust|"
        "back away from|walk past|jump over|play with|sit next to|lead|bother|beat|tire|circle|surprise"},
    LexiconAction{"animal", "animate",
                  "bite|lick|sting|scratch|smell|sniff|growl at|bark at|swallow|sniff ^out|ram|"
                  "swoop at|snap at"},
    LexiconAction{
        "human", "animal",
        "feed|walk|pet|train|ride|groom|buy|sell|adopt|wash|milk|stroke|shoot|tame|cuddle|brush|raise|"
        "photograph|pick ^up|hold|carry|draw|paint|own|keep|release|soothe"},
    LexiconAction{"human", "human",
                  "carry|hold|wash|feed|dress|push|pick ^up|draw|paint|photograph|nurse|cuddle|"
                  "take care of|look after|bandage|fetch|bring ^home|throw ^out|send ^home|let ^in"},
    // Things to eat and drink.
    LexiconAction{"animate", "eatable", "eat|eat|swallow|bite|devour|chew|nibble|gobble|eat ^up"},
    LexiconAction{"animate", "edible",
                  "smell|taste|finish|find|want|like|love|hate|need|refuse|share|steal|hide|lick"},
    LexiconAction{
        "human", "eatable",
        "cook|bake|fry|cut|slice|peel|burn|roast|boil|chop|butter|grill|unwrap|freeze|heat ^up|pick"},
    LexiconAction{"human", "edible",
                  "buy|sell|order|serve|make|prepare|bring|offer|pour ^out|throw ^away|enjoy|spoil"},
    LexiconAction{"animate", "drink", "drink|drink|spill|sip"},
    // Things to use.
    LexiconAction{
        "human", "small",
        "drop|throw|catch|borrow|lend|steal|hide|find|lose|hold|carry|take|bring|buy|sell|want|need|put "
        "^away|pick ^up|throw ^away|pack|wrap|unwrap|break|own|keep|forget|remember|show|give ^away|look for|"
        "collect|hand ^over|put ^down|fetch|drop|lose|find|touch|grab|pull ^out|share|return|reach for|leave|"
        "leave ^behind|unpack"},
    LexiconAction{
        "human", "object",
        "buy|sell|move|clean|paint|repair|see|find|touch|kick|hit|burn|break|damage|destroy|make|build|"
        "hate|love|like|choose|push|pull|lift|fix|admire|notice|forget|check|inspect|measure|examine|ruin|"
        "photograph|draw|design|deliver|replace|own|describe|look at|look for|point at|pay for|wait for|"
        "trip over|step on|sit on|lean on|get rid of|need|cover|hide|polish|dust|decorate|rent|insure|"
        "throw ^out|smash|scratch|wash|dry|sell|bring ^home|take ^away|pack ^up"},
    LexiconAction{"human", "container",
                  "open|close|pack|fill|empty|lock|unlock|carry|unpack|search|drop|seal"},
    LexiconAction{
        "human", "clothing",
        "wear|wash|iron|fold|sew|mend|borrow|try ^on|take ^off|put ^on|dry|knit|tear|button|hang ^up|stain"},
    LexiconAction{
        "human", "device",
        "switch ^on|switch ^off|turn ^on|turn ^off|unplug|install|test|repair|fix|break|invent|use|start|"
        "stop|sell|hear|clean|oil|operate|charge|plug ^in"},
    LexiconAction{"human", "vehicle",
                  "drive|park|wash|stop|start|repair|crash|ride|follow|wait for|catch|miss|board|"
                  "steer|scratch|tow|steal|pass|see|leave|get into|get out of|load|push|race"},
    LexiconAction{"human", "boat", "sail|row|paint|board|steer|sink|build|leave|load|anchor|repair|see|spot"},
    LexiconAction{"human", "building",
                  "build|clean|rent|lock|decorate|own|close|open|rob|burn ^down|design|paint|sell|buy"},
    LexiconAction{"animate", "somewhere",
                  "enter|leave|reach|like|love|visit|find|see|explore|walk past|return to|cross"},
    LexiconAction{"animate", "place", "cross|avoid|climb|walk across|walk along"},
    LexiconAction{"animal", "den",
                  "build|dig|guard|defend|sleep in|hide in|live in|crawl into|creep out of|share"},
    LexiconAction{"human", "den", "build|clean|open|close|lock|repair|look into"},
    LexiconAction{"animal", "obstacle", "jump over|leap over|climb over"},
    LexiconAction{
        "human", "text",
        "read|write|publish|sign|translate|finish|copy|post|send|tear ^up|memorise|correct|print|edit|"
        "write ^down|learn|understand|forget|begin|sell|erase|recite|study|burn|open|hear|explain"},
    LexiconAction{
        "human", "event",
        "enjoy|organise|attend|leave|cancel|watch|miss|plan|win|lose|like|hate|remember|forget|spoil|"
        "start|begin|stop|postpone|join|prepare"},
    LexiconAction{"human", "plant",
                  "water|plant|cut|cut ^down|pick|grow|prune|smell|dig ^up|draw|photograph|trim"},
    LexiconAction{"animal", "plant", "eat|nibble|trample|smell|climb"},
    LexiconAction{"human", "treasure",
                  "wear|polish|steal|hide|find|lose|sell|buy|inherit|pawn|admire|bury|dig ^up"},
    LexiconAction{"human", "blade", "sharpen|clean|use|hold|drop|swing"},
    LexiconAction{"human", "furniture", "paint|move|build|polish|clean|break|repair|carry|lean on|dust|kick"},
    LexiconAction{"human", "furniture building", "knock on|paint|repair"},
    LexiconAction{"animal", "small",
                  "find|steal|chew|smell|carry|break|knock ^over|drop|bury|hide|bring ^back|snatch|"
                  "sniff|sit on|step on|play with"},
    LexiconAction{"animal", "furniture vehicle",
                  "scratch|jump on|sit on|sleep under|hide under|jump over|bump into"},
    // Things that act on others.
    LexiconAction{"missile", "target fragile vehicle animate", "hit|strike|miss|break|fly past"},
    LexiconAction{"vehicle", "vehicle animate", "hit|pass|miss|follow|overtake|run into"},
    LexiconAction{"vehicle boat", "place", "cross|reach|leave|pass"},
    LexiconAction{"weather", "building place plant boat",
                  "destroy|damage|flood|cover|hit|ruin|reach|flatten|batter|strike"},
    LexiconAction{"weather", "animate", "scare|wake|surprise|soak|delay|trap|frighten|kill"},
    LexiconAction{"device", "animate", "scare|wake|annoy|disturb|startle|help|frighten|amuse"},
    LexiconAction{"text event", "human",
                  "bore|surprise|amuse|please|upset|delight|puzzle|shock|interest|impress|scare"},
};

}  // namespace

std::span<const LexiconAction> actions() {
  return all_actions;
}

}  // namespace headscope
