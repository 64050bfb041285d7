# Prints a line for each line of the file `lines`, with a tab between two offers.
source ./_eventmill
while IFS= read -r line || [[ -n $line ]]; do
  # As readline does it, which takes an equals sign for a word.
  read -ra COMP_WORDS <<<"${line//=/ = }"
  [[ $line != *' ' && -n $line && $line != *= ]] || COMP_WORDS+=('')
  [[ $line != *= ]] || unset 'COMP_WORDS[-1]'
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _eventmill
  (IFS=$'\t' && echo "${COMPREPLY[*]}")
done <lines
