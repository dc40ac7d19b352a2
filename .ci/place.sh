#!/usr/bin/env bash
# The README's two commands where machines differ: a clone below a folder that only its owner may enter, in a path with a blank and an umlaut, with a
# temporary folder in which others left things, without an identity of git, with a home that cannot be written. Of the tests it runs some that start
# PostgreSQL, the program and git, or those whose paths are given; options go to vitest. NODE: the `bin` of another Node.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d "${PLACE:-$HOME}/ekiden-place-XXXXXX")
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
chmod 700 "$place"
clone="$place/mit Leerzeichen und Ümlaut/clone"
export TMPDIR="$place/tmp"
mkdir -p "$TMPDIR/ekiden-home-of-another" "$TMPDIR/.git" "$place/home"
# As root: of another user, as a killed run leaves it.
[ "$(id -u)" != 0 ] || chown 65534 "$TMPDIR/ekiden-home-of-another"
chmod 700 "$TMPDIR/ekiden-home-of-another"
touch -d '3 hours ago' "$TMPDIR/ekiden-home-of-another"
chmod 1777 "$TMPDIR"
chmod 711 "$place"
git clone -q "$root" "$clone"
cd "$clone"
export PATH="${NODE:+$NODE:}$PATH" GIT_CONFIG_GLOBAL=/dev/null
npm ci 2>&1 | tee "$place/ci.log"
if grep -iE 'warn|deprecat' "$place/ci.log"; then echo "npm ci prints warnings"; exit 1; fi
chmod 500 "$place/home"
export HOME="$place/home"
npm run demo 2>&1 | tee "$place/demo.log"
if grep -E 'Warning:' "$place/demo.log"; then echo "the demo prints warnings of Node"; exit 1; fi
# The package as it would be published, in a folder with nothing in it.
mkdir "$place/packed" "$place/empty"
npm pack --silent --ignore-scripts --pack-destination "$place/packed" >/dev/null
packed=$(echo "$place"/packed/*.tgz)
if (($(stat -c %s "$packed") > 12000000)); then echo "the package is larger than 12 MB"; exit 1; fi
printf '# Try\n\n## One\n\n```sh\necho one > one.txt\n```\n' >"$place/empty/plan.md"
(cd "$place/empty" && npm_config_cache="$place/cache" npx --yes --package "$packed" ekiden run plan.md && test -s one.txt)
# Runs of this program in this place are above; `newcomer` works through the README as a person does.
tests=(test/contracts/migration.test.ts test/e2e/commands/{start-code,newcomer}.test.ts)
for word in "$@"; do [[ $word == -* ]] || tests=(); done
npm test -- "${tests[@]}" "$@"
