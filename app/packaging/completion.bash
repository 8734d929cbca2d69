# bash completion for headscope. It asks the program for its commands, options and examples.
# shellcheck shell=bash disable=SC2207 # the words in the output of --help contain no blanks

_headscope() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=$1 help command='' i
  local models='pronouns stories copying reversing untrained'
  COMPREPLY=()
  help=$("$program" --help 2>/dev/null) || return 0
  local commands examples
  commands=$(sed -n 's/^  headscope \([a-z][a-z]*\) \[OPTIONS\].*/\1/p' <<<"$help")
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ $'\n'$commands$'\n' == *$'\n'"${COMP_WORDS[i]}"$'\n'* ]]; then command=${COMP_WORDS[i]}; fi
  done
  if [[ $before == --textbook || $command == textbook && $word != -* ]]; then
    examples=$("$program" textbook 2>/dev/null | sed -n 's/^  \([^ ]*\) .*/\1/p')
    COMPREPLY=($(compgen -W "$examples" -- "$word"))
  elif [[ $command == lesson && $word != -* ]]; then
    examples=$("$program" lesson 2>/dev/null | sed -n 's/^  \([^ ]*\) .*/\1/p')
    COMPREPLY=($(compgen -W "$examples" -- "$word"))
  elif [[ $before == --model ]]; then
    COMPREPLY=($(compgen -W "$models" -- "$word"))
  elif [[ $word == -* ]]; then
    # The window also accepts the options of render.
    [[ -n $command ]] && help=
    help+=$("$program" "${command:-render}" --help 2>/dev/null)
    COMPREPLY=($(compgen -W "$(grep -oE '(^|[ ,])--[a-z][a-z-]*' <<<"$help" | tr -d ' ,' | sort -u)" -- "$word"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$commands $models" -- "$word"))
  fi
}

# Everything else is completed as a file name.
complete -o default -F _headscope headscope
