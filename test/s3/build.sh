#!/usr/bin/env bash
# build.sh
#
# Builds versitygw, a storage that speaks S3, unless the cache has it, and prints its path. Needs Go.
set -euo pipefail
version=v1.8.0
binary=${XDG_CACHE_HOME:-$HOME/.cache}/svc-versitygw/$version/versitygw
mkdir -p "${binary%/*}"
exec 8>"${binary%/*}.lock"
flock 8
if [[ ! -x $binary ]]; then
    echo "building versitygw $version (minutes when Go's cache is cold)" >&2
    GOBIN=${binary%/*}/new CGO_ENABLED=0 go install "github.com/versity/versitygw/cmd/versitygw@$version"
    mv "${binary%/*}/new/versitygw" "$binary"
fi
echo "$binary"
