#!/usr/bin/env bash
# explain and the session of a trace must say what a trained model can only guess.
# Needs: program
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

learned="The animal didn't cross the street because it was too tired"
guessed="Tom met Peter because he was tired"

"$headscope" explain --sentence "$guessed" --row he --column Tom >guess.txt
"$headscope" explain --sentence "$learned" --row it --column animal >learned.txt
"$headscope" explain --sentence "$learned" --row it --column animal --head 1 >other.txt
check "explain says what is a guess" grep -q "^Only a guess, as this is unlike what the model was trained on: .* It was trained on short sentences" guess.txt
check "explain does not call a learned answer a guess" bash -c '! grep -q "Only a guess" learned.txt'
check "explain says what the head was trained to do" grep -q "^This head was trained to look from a pronoun at the noun" learned.txt
check "explain does not say of another head that it was trained" bash -c '! grep -q "was trained" other.txt'

# guesses_of SENTENCE FILE : writes the rows that are guesses, according to the session of the sentence's trace.
guesses_of() {
  "$headscope" trace --sentence "$1" --out "$2.safetensors" || return 1
  head -c 200000 "$2.safetensors" | tr -d ' \n\\' | grep -ao '"guesses":n*\[[n0-9,]*\]' >"$2.txt"
}
guess_is_told() { guesses_of "$guessed" guess && grep -q '\[n*4n*\]' guess.txt; }
nothing_is_told() { guesses_of "$learned" learned && ! grep -q '[0-9]' learned.txt; }
check "the session of a trace names the rows that are guesses" guess_is_told
check "the session of a trace names no rows if there are no guesses" nothing_is_told
