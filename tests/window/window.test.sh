#!/usr/bin/env bash
# Tests the real window on a virtual display: types into it, clicks, exports, closes it and starts it again.
# Needs: program xvfb xdotool imagemagick x11-utils xclip python3-numpy
# Runs alone, as it measures what an idle window computes.
# WIDTH and HEIGHT come from xdotool's geometry.
# shellcheck disable=SC2153
set -euo pipefail

for tool in Xvfb xdotool convert identify; do
  if ! command -v "$tool" >/dev/null; then
    echo "skip - the real window: $tool is missing"
    exit 0
  fi
done

# shellcheck source=tests/cli/check.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../cli/check.sh"
# Files that are saved without a choice of folder go into the home folder.
export HOME=$folder XDG_CONFIG_HOME=$folder/config LIBGL_ALWAYS_SOFTWARE=1 LC_ALL=C.UTF-8
server='' app='' window='' owner=''
stop() {
  local process
  for process in $app $server $owner; do kill -9 "$process" 2>/dev/null || true; done
  rm -rf -- "$folder"
}
trap stop EXIT

# start_display SIZE : starts a virtual display with a free number.
start_display() {
  rm -f display && mkfifo display
  Xvfb -displayfd 3 -screen 0 "$1x24" -nolisten tcp 3>display >server.log 2>&1 &
  server=$!
  DISPLAY=:$(head -n 1 display)
  export DISPLAY
}

# within SECONDS COMMAND… : repeats the command until it succeeds or the time is over.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

# start_app OPTION… : starts the program and gives its window the keyboard focus.
start_app() {
  "$headscope" "$@" >app.log 2>&1 &
  app=$!
  window=$(timeout 30 xdotool search --sync --onlyvisible --class headscope | head -n 1)
  xdotool windowfocus --sync "$window"
  sleep 1
}

# ended CODE : succeeds if the program ends within ten seconds with this exit code.
ended() {
  local status=0
  if ! within 10 gone "$app"; then
    echo "still running after ten seconds"
    kill -9 "$app"
  fi
  wait "$app" || status=$?
  app=''
  cat app.log
  echo "status $status"
  [[ $status == "$1" ]]
}
gone() { [[ ! -e /proc/$1 || $(cut -d ' ' -f 3 "/proc/$1/stat") == Z ]]; }

# ticks : prints the processor time that the program has used, in hundredths of a second.
ticks() { sed 's/.*) //' "/proc/$app/stat" | awk '{print $12 + $13}'; }

# keys KEY… : presses the keys faster than frames are drawn. None may get lost.
# With newer keyboard maps (xkb-data 2.48), xdotool presses Alt with F5, so a function key is sent by its code.
keys() {
  local key codes=()
  for key in "$@"; do
    if [[ $key =~ ^F([1-9])$ ]]; then key=$((66 + BASH_REMATCH[1])); fi
    codes+=("$key")
  done
  xdotool key --delay 12 "${codes[@]}"
  sleep 0.3
}
has_icons() {
  xprop -id "$window" _NET_WM_ICON >icons
  # xprop prints only the icons that fit into its limit, which excludes the largest.
  grep -q 'Icon (16 x 16)' icons && grep -q 'Icon (128 x 128)' icons
}
is_whole_png() { [[ -s $1 ]] && identify "$1" >/dev/null 2>&1; }
scene_of() { identify -format '%[Scene]' "$1"; }
size_of() { identify -format '%w %h\n' "$1"; }
holds() { [[ $1 == *"$2"* ]] || { echo "$2 is missing in: $1" && false; }; }
# size_is WxH FILE : succeeds if the picture has this size in pixels.
size_is() {
  size_of "$2"
  [[ $(size_of "$2") == "${1/x/ }" ]]
}
# pixels_of COLOUR FILE : prints how many pixels have exactly this colour (RRGGBB).
pixels_of() {
  convert "$2" -alpha off -depth 8 -fill black +opaque "#$1" -fill white -opaque "#$1" -format '%[fx:int(mean*w*h+0.5)]' info:
}
# shows COLOUR FILE PERCENT : succeeds if at least this percentage of the picture has this colour.
shows() {
  [[ -s $2 ]] || { echo "no file $2" && return 1; }
  local width height pixels
  read -r width height <<<"$(size_of "$2")"
  pixels=$(pixels_of "$1" "$2")
  echo "$pixels pixels of #$1 among $width × $height"
  ((pixels > 0 && pixels * 100 >= $3 * width * height))
}

# The program opens on the layer and head that the trained model shows.
config=${HEADSCOPE_ROOT:?the root of the tree}/assets/models/pronouns/config.json
shown() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$config" | first_line; }
first_line() { awk 'NR == 1'; }
weights_png=headscope-explore-layer-$(shown layer)-weights-head-$(shown head).png

start_display 1600x1000
sentence='The robot fixed itself, then it slept.'
start_app

keys alt+s ctrl+a
xdotool type --delay 12 "$sentence"
sleep 0.5
# Presses the key of a command right after Escape, an odd number of times.
keys Escape alt+c
for _ in 1 2 3 4; do keys alt+s Escape alt+c; done
eval "$(xdotool getwindowgeometry --shell "$window")"
# The large map is in the lower middle of the window.
xdotool mousemove --window "$window" $((WIDTH * 11 / 20)) $((HEIGHT * 13 / 20)) click 1
sleep 0.5
keys ctrl+shift+e
check "the window has an icon in several sizes" has_icons
check "the figure's key writes a PNG" within 20 is_whole_png "$weights_png"
keys ctrl+shift+w
check "the window's key writes a PNG" within 20 is_whole_png headscope-window.png
figure=$(scene_of "$weights_png")
# pasted AS TYPE : saves to the file AS what another program would paste as TYPE.
pasted() { timeout 10 xclip -selection clipboard -t "$2" -o >"$1"; }
copied_picture() {
  keys ctrl+c
  within 20 eval 'pasted pasted.png image/png && is_whole_png pasted.png' || return 1
  compare -metric AE "$weights_png" pasted.png null:
}
copied_table() {
  keys ctrl+shift+c
  within 20 eval 'pasted pasted.txt UTF8_STRING && grep -q "query" pasted.txt' || return 1
  head -n 2 pasted.txt
  grep -q "$(printf 'query.*\tThe\trobot\t')" pasted.txt && grep -q "$(printf '^robot\t0')" pasted.txt
}
if command -v xclip >/dev/null; then
  check "Ctrl+C copies the figure as a picture" copied_picture
  check "Ctrl+Shift+C copies the numbers as a table" copied_table
else
  echo "skip - the clipboard: xclip is missing"
fi
check "the figure holds the sentence that was typed" holds "$figure" "\"sentence\":\"$sentence\""
check "the figure holds the mask that was toggled" holds "$figure" '"causal":true'

again() {
  "$headscope" render "$weights_png" --out again.png || return 1
  local differing
  differing=$(compare -metric AE "$weights_png" again.png null: 2>&1) || true
  echo "$differing pixels differ"
  [[ ${differing%% *} == 0 ]]
}
check "the figure is drawn again with the same pixels" again
check "the window's picture is as large as the window" size_is "${WIDTH}x$HEIGHT" headscope-window.png
check "the window's picture shows the panels" shows ffffff headscope-window.png 20
check "the window's picture shows the ground between the panels" shows f6f7f9 headscope-window.png 2
check "the window's picture shows the accent colour" shows b45708 headscope-window.png 0
same_but_messages() {
  # The message about a saved file may be below the middle.
  local upper=${WIDTH}x$((HEIGHT / 2))+0+0 differing
  import -window "$window" -crop "$upper" +repage screen.png || return 1
  convert headscope-window.png -crop "$upper" +repage saved.png || return 1
  differing=$(compare -metric AE screen.png saved.png null: 2>&1) || true
  echo "$differing pixels differ"
  # Some versions of ImageMagick count fractions of pixels.
  ((${differing%%[ .]*} < WIDTH * HEIGHT / 1000))
}
check "the window's picture equals the screen" same_but_messages

sleep 6
before=$(ticks)
sleep 3
after=$(ticks)
idle() {
  echo "$((after - before)) hundredths of a second in 3 s"
  ((after - before < 6))
}
check "an idle window computes next to nothing" idle

keys ctrl+q
check "Ctrl+Q ends the program with exit code 0" ended 0
settings=$XDG_CONFIG_HOME/headscope/settings.json
check "the settings keep the sentence" grep -qF "$sentence" "$settings"
pinned() {
  local read='import json, sys; print(json.load(open(sys.argv[1]))["session"]["selection"]["pin"]["row"])'
  /usr/bin/python3 -c "$read" "$settings"
}
check "the settings keep the cell that was pinned" pinned

rm -f "$weights_png"
start_app
keys ctrl+shift+e
within 20 is_whole_png "$weights_png" || true
check "a second start shows the same figure" test "$(scene_of "$weights_png")" = "$figure"
keys ctrl+shift+3 ctrl+8 alt+shift+r alt+shift+t
sleep 1
keys ctrl+q
check "closing during training ends with exit code 0" ended 0
check "the settings keep the task that was being trained" grep -q '"task": "reversing"' "$settings"
start_app
lost_display() {
  kill -9 "$server"
  wait "$server"
  server=''
  ended 1 && grep -q '^headscope: .*display' app.log
}
check "a display that goes away ends the program with a message" lost_display
start_display 1280x800

for size in 900x700 1280x800 1920x1080; do
  "$headscope" --screenshot shot.png --size "$size" || true
  check "a screenshot of $size on a display of 1280x800 has its full size" size_is "$size" shot.png
  rm -f shot.png
done
printf '# Mine\n## A step\n```scene\n--sentence "one two three"\n```\nText.\n' >mine.md
for words in 'mine.md' 'lesson mine.md' 'lesson 04-masks' 'textbook raschka-3.5.1-causal-mask'; do
  rm -f shot.png
  # shellcheck disable=SC2086
  "$headscope" $words --screenshot shot.png --size 800x600 || true
  check "the window of “$words” has the requested size" size_is 800x600 shot.png
done
"$headscope" --screenshot shot.png --size 1280x800 --ui-scale 2
check "a screenshot at twice the scale has the requested size" size_is 1280x800 shot.png
check "a screenshot at twice the scale is not blank" shows ffffff shot.png 20
unwritable() {
  local status=0
  "$headscope" --screenshot "$settings/shot.png" 2>message || status=$?
  cat message
  [[ $status == 1 ]] && grep -q "shot.png" message
}
check "a screenshot that cannot be written is refused" unwritable
/usr/bin/python3 -c 'import numpy; numpy.save("wrong.npy", numpy.ones((4, 5), bool))'
failed_pass() {
  local status=0
  "$headscope" --screenshot failed.png --mask wrong.npy 2>message || status=$?
  cat message
  [[ $status == 1 && ! -e failed.png ]] && grep -q '^headscope: .*wrong.npy.*\[4, 5\]' message
}
check "a pass that failed gives no screenshot" failed_pass
failed_sentence() {
  local status=0
  "$headscope" --screenshot failed.png --sentence '' 2>message || status=$?
  cat message
  [[ $status == 1 && ! -e failed.png ]] && grep -q '^headscope: .*no words' message
}
check "an empty sentence gives no screenshot" failed_sentence

echo '{"session": ' >"$settings"
start_app
check "broken settings do not keep the program from starting" test -n "$window"
keys ctrl+q
check "broken settings do not keep the program from ending well" ended 0
start_app
xdotool mousemove --window "$window" 5 5
keys alt+t
rm -f "$settings"
kill -TERM "$app"
check "a signal ends the program as closing does" ended 0
check "a signal saves the settings" /usr/bin/python3 -m json.tool "$settings" /dev/null
start_app
last_words='These words were typed just before the end'
keys alt+s ctrl+a
xdotool type --delay 1 "$last_words"
kill -TERM "$app"
check "a signal right after typing ends the program well" ended 0
check "a signal right after typing saves the text" grep -qF "\"sentence\": \"$last_words\"" "$settings"
# A user may paste a word of a megabyte by mistake.
start_app
head -c 1000000 /dev/zero | tr '\0' W >long.txt
xclip -selection clipboard -i long.txt
keys alt+s ctrl+a ctrl+v
SECONDS=0
kill -TERM "$app"
check "a signal ends the program while it draws a word of a megabyte" ended 0
check "ending while it draws that word takes at most two seconds" test "$SECONDS" -le 2
check "the word of a megabyte is saved" test "$(grep -c 'WWWWWWWWWW' "$settings")" = 1
check "the settings with a word of a megabyte are valid JSON" /usr/bin/python3 -m json.tool "$settings" /dev/null

# A program that holds the clipboard may hang. After the paste, the window takes the next keys.
rm -f -- "$settings"
start_app
xclip -quiet -selection clipboard -i long.txt >/dev/null 2>&1 &
owner=$!
sleep 1
kill -STOP "$owner"
keys alt+s ctrl+a ctrl+v End
xdotool type --delay 1 ' still typed'
keys ctrl+q
check "a paste whose owner hangs does not keep the program from ending" ended 0
check "a paste whose owner hangs changes nothing, and the next keys are taken" grep -q '[a-z].* still typed' "$settings"

end_display() {
  kill -9 "$server"
  wait "$server" 2>/dev/null || true
  server=''
}
end_display
# said EXPRESSION : prints the value of a Python expression about the saved session `s`.
said() {
  /usr/bin/python3 -c "import json, sys; s = json.load(open(sys.argv[1]))['session']; print($1)" "$settings"
}
is_said() {
  said "$1"
  [[ $(said "$1") == "$2" ]]
}
# with_the_keyboard SIZE SCALE : finds Compare in the palette, holds a session, types, presents and copies.
with_the_keyboard() {
  rm -f -- "$settings" headscope-window.png pasted.png
  start_display "$1"
  start_app --size "$1" --ui-scale "$2"
  keys ctrl+k
  xdotool type --delay 12 compare
  keys Return alt+h alt+s ctrl+a
  xdotool type --delay 12 'The animal crossed the street because it was too wide'
  sleep 0.5
  keys Escape F5 Right Escape ctrl+shift+w
  check "the window's picture at $1, scale $2, is written" within 20 is_whole_png headscope-window.png
  check "the window's picture at $1, scale $2, is as large as the window" size_is "$1" headscope-window.png
  if command -v xclip >/dev/null; then
    keys ctrl+c
    check "Ctrl+C copies the figure of Compare at $1" within 20 eval 'pasted pasted.png image/png && is_whole_png pasted.png'
  fi
  keys ctrl+q
  check "Ctrl+Q ends the program well at $1" ended 0
  check "the palette opened Compare at $1" is_said 's["selection"]["view"]' compare
  check "H held what was shown at $1" is_said '" ".join(of["sentence"].split()[-1] for of in [*s["held"], s])' "tired wide"
  check "→ during the presentation went on to another stage at $1" is_said 's["selection"]["stage"] != "weights"' True
  end_display
}
with_the_keyboard 1280x800 1
with_the_keyboard 1920x1080 1
with_the_keyboard 2560x1600 2

unset DISPLAY
no_display() {
  local status=0
  "$headscope" >out 2>message || status=$?
  cat message
  [[ $status == 1 && ! -s out ]] && grep -q DISPLAY message && grep -q render message
}
check "without a display, the program says what to do" no_display
