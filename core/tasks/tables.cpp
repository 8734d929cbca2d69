#include "core/tasks/tables.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace headscope {
namespace {

using Json = nlohmann::json;

Json table(std::string_view name) {
  const auto file = std::ranges::find(table_files(), name, &TableFile::name);
  if (file == table_files().end()) throw std::logic_error("no table " + std::string(name));
  return Json::parse(file->text);
}

std::string text(const Json& entry, const char* key) {
  return entry.at(key).get<std::string>();
}

std::string text_or_none(const Json& entry, const char* key) {
  return entry.value(key, std::string());
}

/// Joins a list of texts in the syntax of frames and rules. Texts may be empty.
std::string joined(const Json& list, char separator) {
  std::string all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) all += separator;
    all += list[i].get<std::string>();
  }
  return all;
}

/// Calls a function for each entry of a grouped table.
template <typename Read>
void for_each_in_groups(std::string_view name, const char* list, Read read) {
  for (const Json& group : table(name)) {
    for (const Json& entry : group.at(list)) read(entry);
  }
}

std::vector<SentenceFrame> frames_of(std::string_view name) {
  std::vector<SentenceFrame> frames;
  for_each_in_groups(name, "frames", [&](const Json& entry) {
    frames.push_back({text(entry, "text"), entry.at("weight").get<int>(), text_or_none(entry, "a"),
                      text_or_none(entry, "b"), text_or_none(entry, "c"), text_or_none(entry, "decides_a"),
                      text_or_none(entry, "decides_b"), entry.value("pronouns_differ", false)});
  });
  return frames;
}

NounPronoun pronoun_named(const std::string& name) {
  using enum NounPronoun;
  for (const auto& [word, pronoun] :
       {std::pair("it", it), std::pair("he", he), std::pair("she", she), std::pair("they", they)}) {
    if (name == word) return pronoun;
  }
  return he_or_she;
}

NounKind::Use use_named(const std::string& name) {
  return name == "mass"   ? NounKind::Use::mass
         : name == "name" ? NounKind::Use::name
                          : NounKind::Use::countable;
}

void read_nouns(Tables& read) {
  const Json nouns = table("nouns");
  for (const Json& kind : nouns.at("kinds")) {
    read.noun_kinds.push_back({text(kind, "name"), text(kind, "title"), pronoun_named(text(kind, "pronoun")),
                               joined(kind.at("words"), ' '), joined(kind.at("adjectives"), ' '),
                               use_named(text_or_none(kind, "use"))});
  }
  for (const Json& set : nouns.at("sets"))
    read.kind_sets.push_back({text(set, "name"), joined(set.at("kinds"), ' ')});
}

void read_irregular(Tables& read) {
  const Json irregular = table("irregular");
  for (const Json& noun : irregular.at("nouns"))
    read.irregular_nouns.push_back({text(noun, "one"), text(noun, "many")});
  for (const Json& verb : irregular.at("verbs"))
    read.irregular_verbs.push_back({text(verb, "base"), text(verb, "past"), text(verb, "participle")});
}

Tables read_tables() {
  constexpr char or_else = '|';
  Tables read;
  read.scripts = frames_of("frames");
  read.open_frames = frames_of("open-frames");
  for_each_in_groups("rules", "rules", [&](const Json& rule) {
    read.rules.push_back({text(rule, "name"), joined(rule.at("alternatives"), or_else)});
  });
  for (const Json& fact : table("facts")) {
    read.facts.push_back(
        {text(fact, "subject"), joined(fact.at("attributes"), or_else), fact.value("plural", false)});
  }
  for_each_in_groups("sayings", "sayings", [&](const Json& saying) {
    read.sayings.push_back({text(saying, "kinds"), joined(saying.at("texts"), or_else)});
  });
  for_each_in_groups("actions", "actions", [&](const Json& action) {
    read.actions.push_back(
        {text(action, "subjects"), text(action, "objects"), joined(action.at("verbs"), or_else)});
  });
  read_nouns(read);
  read_irregular(read);
  return read;
}

}  // namespace

const Tables& tables() {
  static const Tables read = read_tables();
  return read;
}

}  // namespace headscope
