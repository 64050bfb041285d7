#!/usr/bin/env bash
# Finds the phrases of scripts/words.txt. Prints FILE:LINE: PHRASE: what to write instead, and ends with
# exit code 1 if there are any.
#
#   scripts/check-words.sh [PATH…]     files and directories; the default is the documents, contrib, the
#                                      comments of Sources and Tests, and the help texts
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

(($#)) || set -- {README,CHANGELOG,CONTRIBUTING}.md contrib ":!contrib/spark/*.py" docs \
  Sources ":!Sources/eventmill/Generate/Tables" Package.swift "Tests/*.swift" "Tests/CLITests/Golden/help*.txt"
mapfile -td "" files < <(git ls-files -z -- "$@")
perl -CSD -0777 -e '
  sub text { open my $in, "<", $_[0] or die "cannot read $_[0]: $!\n"; <$in> }
  # Lines of phrases, then what to write instead of any of them.
  my %instead;
  for (split /\n/, text("scripts/words.txt")) {
    my ($phrases, $instead) = split /: /, $_, 2;
    $instead{$_} = $instead for split /, /, $phrases;
  }
  my $phrases = join "|", sort { length $b <=> length $a || $a cmp $b } keys %instead;
  # A phrase may continue in the next line, behind the sign of a comment.
  $phrases =~ s/ /(?:\\h+|\\h*\\n\\h*(?:\/{2,3}|#)?\\h*)/g;
  my $found = 0;
  for my $path (grep { -T } @ARGV) {
    my $text = text($path);
    # Of code only comments count, and in these not its names.
    $text =~ s/^(?!\s*\/\/).*$//mg, $text =~ s/`[^`\n]*`/`/g if $path =~ /\.(?:swift|c|h)$/;
    # Nor do names of fields and options in documents.
    $text =~ s/`\w+`/`/g if $path =~ /\.md$/;
    while ($text =~ /(?<![\w\/.-])(?<!there )($phrases)(?![\w"-])(?!\s+(?:longer|more|less|fewer)\b)/gi) {
      my ($phrase, $line) = (lc $1, 1 + substr($text, 0, $-[1]) =~ tr/\n//);
      $phrase =~ s/\s+(?:\/{2,3}|#)?\s*/ /g;
      print "$path:$line: $phrase: write $instead{$phrase}\n";
      $found = 1;
    }
  }
  exit $found' "${files[@]}"
