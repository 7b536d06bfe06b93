#!/usr/bin/env bash
# build.sh 3|4
#
# Builds the Helm of that major version that go.mod pins, unless the cache has it, and prints its path. Needs Go.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
major=${1:?usage: build.sh 3|4}
version=$(sed -n "s|^\thelm.sh/helm/v$major \(v[0-9.]*\).*|\1|p" "$here/go.mod")
[[ $version ]] || { echo "build.sh: go.mod pins no Helm $major" >&2; exit 64; }
binary=${XDG_CACHE_HOME:-$HOME/.cache}/svc-helm/$version/helm
mkdir -p "${binary%/*}"
exec 8>"${binary%/*}.lock"
flock 8
if [[ ! -x $binary ]]; then
    echo "building Helm $version (minutes when Go's cache is cold)" >&2
    # Without the version it calls itself v0.0.0.
    CGO_ENABLED=0 go build -C "$here" -buildvcs=false -o "$binary.new" \
        -ldflags "-s -w -X helm.sh/helm/v$major/internal/version.version=$version" "helm.sh/helm/v$major/cmd/helm"
    mv "$binary.new" "$binary"
fi
echo "$binary"
