#!/usr/bin/env bash
# headscope train: tests the folder that it writes, that the other commands open it, and what it refuses.
# Needs: program imagemagick
set -euo pipefail
# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh"

small=(--d-model 16 --heads 2 --d-ff 16 --batch-size 16)

# trained TASK FOLDER ARGUMENT… : trains a small model, and succeeds if its three files are there.
trained() {
  local task=$1 folder=$2
  shift 2
  "$headscope" train --task "$task" --steps 40 "${small[@]}" "$@" --out "$folder" || return 1
  [[ -s $folder/config.json && -s $folder/model.safetensors && -s $folder/vocab.txt ]] || return 1
  [[ $(ls -A "$folder" | wc -l) == 3 ]]
}

for task in pronouns copying reversing; do
  check "train writes a model for $task" trained "$task" "$task"
done

same_bytes() {
  trained reversing again || return 1
  diff -r reversing again
}
check "two runs give the same bytes" same_bytes
another_seed() { trained reversing other --seed 5 && ! cmp -s reversing/model.safetensors other/model.safetensors; }
check "another seed gives other bytes" another_seed
written_over() { trained reversing again --seed 5 && cmp again/model.safetensors other/model.safetensors; }
check "train replaces the model in a folder" written_over

opened() {
  "$headscope" trace --model ./pronouns --sentence "The zorp is ___ ." --out trace.safetensors || return 1
  "$headscope" explain --model ./pronouns --stage probabilities --row 3 --column 5 || return 1
  "$headscope" info --model ./reversing --target "the end" >info.txt || return 1
  grep -q 'embedding.table' info.txt
}
check "trace, explain and info open a model's folder" opened

drawn_again() {
  "$headscope" render --model ./reversing --attention cross --sentence "red green" --target "green" --out a.png || return 1
  "$headscope" render a.png --out b.png && cmp a.png b.png
}
check "a figure of a model in a folder is drawn again from its file" drawn_again

# The bundled models are opened by name.
bundled() {
  local name
  for name in pronouns copying reversing; do
    "$headscope" info --model "$name" >info.txt || return 1
    grep -q "^Trained for $name: .* words and [0-9]* special ones such as \[pad\]\.$" info.txt || return 1
  done
}
check "info opens the bundled models by name" bundled
counted() {
  local words
  words=$("$headscope" train --task reversing --steps 1 "${small[@]}" --out counted | grep -oE '[0-9]+ words and [0-9]+ special') || return 1
  "$headscope" info --model ./counted | grep -F " $words ones such as [pad]"
}
check "train and info count the same words" counted
# Trains a model in the same way as the bundled one.
again_from_its_seed() {
  "$headscope" train --task reversing --out whole || return 1
  /usr/bin/python3 - whole "$HEADSCOPE_ROOT/assets/models/reversing" <<'END'
import json, sys
new, bundled = (json.load(open(f"{folder}/config.json")) for folder in sys.argv[1:])
print(new["held_out_accuracy"], bundled["held_out_accuracy"])
sys.exit(new["held_out_accuracy"] < 0.99 or abs(new["held_out_accuracy"] - bundled["held_out_accuracy"]) > 0.003
         or new["steps"] != bundled["steps"])
END
}
check "a bundled model that is trained again from its seed is as good" again_from_its_seed
looks_at() {
  "$headscope" explain --row it --column "$1" --sentence "The animal didn't cross the street because it was too $2" >explained.txt || return 1
  grep -Eq "gives 0\.(9|8)|gives 1 " explained.txt
}
stands_for() {
  "$headscope" explain --stage probabilities --row it --column "$1" --sentence "$2" >explained.txt || return 1
  grep -Eq "probability of “$1” is (0\.9|≈1)" explained.txt
}
check "explain finds a word's probability by the word" stands_for street "The animal didn't cross the street because it was too wide"
check "explain finds a word's probability by a word that the model does not know" stands_for zorp "The zorp didn't cross the street because it was too tired"
words=$(wc -l <"$HEADSCOPE_ROOT/assets/models/pronouns/vocab.txt")
check_refused 2 "--column xyzzy .*not one of the $words words" explain --stage probabilities --row it --column xyzzy
check "without options, the pronoun looks at “animal” for “tired”" looks_at animal tired
check "without options, the pronoun looks at “street” for “wide”" looks_at street wide

diverged() {
  local status=0
  "$headscope" train --task copying "${small[@]}" --steps 400 --learning-rate "$1" --out wild 2>message || status=$?
  [[ $status == 1 ]] && grep -q 'diverged' message && grep -q 'a --learning-rate below' message || return 1
  if grep -q 'nothing was written' message; then
    [[ ! -e wild ]]
  else
    "$headscope" trace --model wild --sentence "red green" --out wild.safetensors && rm -r wild
  fi
}
for rate in 0.3 10; do
  check "a learning rate of $rate is reported to diverge, and only good weights are written" diverged "$rate"
done
keeps_the_model_before() {
  local status=0
  cp -r small-model before && "$headscope" train --task copying --learning-rate 10 --steps 400 --out before 2>message || status=$?
  [[ $status == 1 ]] && grep -q 'is unchanged' message && diff -r small-model before
}
"$headscope" train --task copying "${small[@]}" --steps 20 --out small-model >/dev/null 2>&1
check "a run that diverges never replaces the model that was there" keeps_the_model_before
interrupted() {
  local status=0
  "$headscope" train --task pronouns --steps 100000 --batch-size 8 --out stopped 2>message &
  local training=$!
  for _ in {1..100}; do [[ -d stopped ]] && break || sleep 0.1; done
  kill -TERM "$training"  # the shell lets what it runs in the background ignore INT
  for _ in {1..200}; do kill -0 "$training" 2>/dev/null || break; sleep 0.1; done
  kill -9 "$training" 2>/dev/null || true
  wait "$training" || status=$?
  [[ $status == 1 ]] && grep -Eq 'stopped after step [0-9]+ of 100000: nothing was written' message && [[ ! -e stopped ]]
}
check "a request to end stops training at once and leaves nothing behind" interrupted
check_refused 1 'takes [0-9]+\.[0-9] GB, but this machine has' train --task reversing --layers 24 --d-model 1024 \
  --heads 16 --d-head 1024 --d-value 1024 --d-ff 4096 --out enormous

check_refused 2 'pronouns, copying or reversing' train --out x
check_refused 2 '--task nothing .*pronouns, copying or reversing' train --task nothing --out x
check_refused 2 '--out' train --task pronouns
check_refused 2 'only an encoder' train --task pronouns --stacks decoder --out x
check_refused 2 '--steps 0' train --task pronouns --steps 0 --out x
check_refused 2 '--learning-rate -1' train --task pronouns --learning-rate=-1 --out x
check_refused 2 'not divisible' train --task pronouns --d-model 66 --heads 4 --out x
check_refused 2 '--model .*there is no file or folder' render --model nowhere --out x.png
check_refused 2 '--d-model and --model .*cannot be combined' render --model ../pronouns --d-model 8 --out x.png
mkdir full && touch full/thesis.txt
check_refused 1 'holds other files' train --task reversing --out ../full
cp -r pronouns broken && truncate -s 1000 broken/model.safetensors
check_refused 1 'model.safetensors' render --model ../broken --out x.png

# check_config_refused PATTERN EXPRESSION : checks that a model is refused after EXPRESSION has changed its config.json.
check_config_refused() {
  rm -rf odd && cp -r small-model odd
  /usr/bin/python3 -c "import json; c = json.load(open('odd/config.json')); $2; json.dump(c, open('odd/config.json', 'w'))"
  check_refused 1 "$1" render --model ../odd --out x.png
}
check_config_refused 'no place for the tensor decoder.layers.1' "c['architecture']['layers'] = 1; c['shows']['layer'] = 0"
check_config_refused 'no place for the tensor' "c['architecture']['positions'] = 'rotary'"
check_config_refused 'its task is reversing, which needs other stacks' "c['task'] = 'reversing'"
check_config_refused 'must be one of these: pronouns, copying, reversing' "c['task'] = 'zzz'"
check_config_refused 'its steps is "many"' "c['steps'] = 'many'"
check_config_refused 'its head is 70, but must be a whole number from 0 to' "c['shows']['head'] = 70"

# A request to end must take effect within two seconds, even in the middle of a long step.
"$headscope" train --task pronouns --d-model 512 --layers 6 --heads 8 --d-ff 4096 --batch-size 1024 --steps 1000 --out slow >slow.log 2>&1 &
slow=$!
sleep 2
SECONDS=0
kill -TERM "$slow"
wait "$slow" || true
check "training ends within two seconds of a request to end" test "$SECONDS" -le 2
check "training that was ended has written nothing" test ! -e slow/model.safetensors
# POSIX lets a signal handler call timer_settime() and alarm(), but not setitimer().
check "the signal handler only calls functions that are allowed there" bash -c '! nm -D "$0" | grep -qw setitimer' "$headscope"
