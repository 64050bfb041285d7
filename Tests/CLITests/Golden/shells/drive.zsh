# As drive.bash does, in a terminal of its own for each line.
zmodload zsh/zpty || exit 9
for line in "${(@f)$(<lines)}"; do
  zpty shell zsh -f -i
  zpty -w shell 'source ./start.zsh'
  zpty -r shell out '*<READY>*'
  zpty -w -n shell "$line"$'\t'
  zpty -r shell out '*<END>*'
  offers=(${(M)${(f)${out##*<BEGIN>}//$'\r'}:#<*>})
  offers=(${(u)${${offers:#<END>}#<}%>})
  print -r - ${(pj:\t:)offers//\\}
  zpty -d shell
done
