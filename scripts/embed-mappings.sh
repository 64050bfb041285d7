#!/usr/bin/env bash
# Puts the files of mappings/ into the program: writes Sources/Jobs/Mappings/BuiltInMapping.swift.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
{
  cat <<'SWIFT'
// Made by scripts/embed-mappings.sh; the files are in mappings/.

/// The mappings that are built in (docs/guides/mapping.md), by the names that `--mapping`
/// takes.
package enum BuiltInMapping: String, CaseIterable, Sendable {
SWIFT
  names=()
  for file in mappings/*.json; do
    name=$(basename "$file" .json)
    names+=("$name")
    printf '  case %s\n' "$name"
  done
  printf '\n  /// The text of its file.\n  package var text: StaticString {\n    switch self {\n'
  for name in "${names[@]}"; do
    printf '    case .%s:\n      #"""\n' "$name"
    sed 's/^\(.\)/      \1/' "mappings/$name.json"
    printf '      """#\n'
  done
  printf '    }\n  }\n\n  /// Which logs it is for.\n  package var summary: String {\n    switch self {\n'
  for name in "${names[@]}"; do
    printf '    case .%s:\n      "%s"\n' "$name" "$(jq -r .description "mappings/$name.json")"
  done
  printf '    }\n  }\n}\n'
} >Sources/Jobs/Mappings/BuiltInMapping.swift
