#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The man pages and the bash completion that scripts/lib/command_pages makes: each command has a page, and the
# completion offers only options that the command knows.
#
#     command_pages.sh BURSTLOG SCRATCH
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
burstlog=$1 scratch=$2
[ -f "$tree/scripts/lib/command_pages" ] || { echo "SKIPPED: no scripts beside native"; exit 77; }
command -v python3 >/dev/null || { echo "SKIPPED: no python3"; exit 77; }

fail() { echo "FAILED: $*"; exit 1; }

rm -rf "$scratch"
mkdir -p "$scratch"
"$tree/scripts/lib/command_pages" "$burstlog" 1.2.3 "$scratch"
# shellcheck disable=SC1091 # it was made just now
. "$scratch/bash-completion/completions/burstlog"

# offered WORD..: prints what the completion offers for the last word.
offered() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _burstlog
  printf '%s\n' "${COMPREPLY[@]}"
}

commands=$(offered burstlog "" | grep -v '^--')
[ "$(wc -l <<<"$commands")" -ge 7 ] || fail "the completion offers only: $commands"
while IFS= read -r command; do
  page=$scratch/man/man1/burstlog-$command.1
  for part in NAME SYNOPSIS DESCRIPTION; do
    grep -qx "\.SH $part" "$page" || fail "$page has no part $part"
  done
  options=$(offered burstlog "$command" --)
  grep -qx -- --help <<<"$options" || fail "burstlog $command: the completion offers only: $options"
  while IFS= read -r option; do
    grep -qF -- "${option//-/\\-}" "$page" || [ "$option" = --help ] || fail "$page lacks $option"
    said=$("$burstlog" "$command" "$option" --no-such-option 2>&1 </dev/null) || true
    ! grep -qE "unrecognized option:? '?(--)?${option#--}" <<<"$said" || fail "burstlog $command has no option $option: $said"
  done <<<"$options"
done <<<"$commands"
