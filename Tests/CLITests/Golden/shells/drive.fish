# As drive.bash does.
source ./_eventmill
while read -l line
  set -l offers (complete -C "$line" | string replace -r '\t.*' '')
  echo (string join \t -- $offers)
end <lines
