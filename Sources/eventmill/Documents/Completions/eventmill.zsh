#compdef eventmill
# Completions of eventmill for zsh: source <(eventmill completions zsh), after compinit;
# or a file _eventmill in a directory of $fpath.
_eventmill() {
  local program line tab=$'\t' ret=1
  local -a lines offers
  program=$(whence -p -- ${~${(Q)words[1]}}) &&
    lines=("${(@f)$($program __complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    offers+=("${${line%%$tab*}//:/\\:}:${line#*$tab}")
  done
  (( $#offers )) && _describe -t words word offers && ret=0
  compset -P '--*='
  # Without an answer files are offered.
  case ${lines[1]:-files} in
    files) _files && ret=0 ;;
    directories) _files -/ && ret=0 ;;
  esac
  return ret
}

if [[ $funcstack[1] == _eventmill ]]; then
  _eventmill "$@"
else
  compdef _eventmill eventmill
fi
