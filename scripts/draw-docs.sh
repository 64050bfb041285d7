#!/usr/bin/env bash
# Draws docs/design/flow.svg and docs/design/house.svg. With --check nothing is written, and the exit code is 1 if the
# files differ from what would be drawn.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/draw-docs.py" "$@"
