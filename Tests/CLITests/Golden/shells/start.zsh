# Shows what is offered between <BEGIN> and <END>.
PROMPT=
fpath=($PWD $fpath)
autoload -Uz compinit
compinit -C -d $PWD/dump
say_begin() { print -r - "<BEGIN>" }
say_end() { print -r - "<END>"; exit }
compprefuncs=(say_begin)
comppostfuncs=(say_end)
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl - "<"$^hits">"
  builtin compadd "$@"
}
bindkey '^I' complete-word
print '<READY>'
