# Completions of eventmill for bash, 4 or later: source <(eventmill completions bash)
_eventmill() {
  local cur=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]/#\~\//$HOME/} paths
  # A name that is not a program may be an alias.
  program=$(type -P -- "$program" || [[ $program == */* ]] || type -P eventmill)
  {
    read -r paths
    mapfile -t COMPREPLY
  } < <([[ $program ]] && "$program" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # Without their meanings.
  COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
  # Without an answer files are offered.
  if [[ ${paths:=files} != none ]]; then
    # Readline quotes what it inserts, and wants to compare it with plain names.
    cur=${cur#[\"\']} cur=${cur//\\/}
    [[ $cur != '=' ]] || cur=''
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "-${paths:0:1}" -- "$cur")
  fi
  # More follows a colon.
  [[ ${COMPREPLY[0]} != *: ]] || compopt -o nospace 2>/dev/null
}

complete -F _eventmill eventmill
