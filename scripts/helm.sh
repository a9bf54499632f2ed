#!/usr/bin/env bash
# Helm, for the tests of the chart: compiled once from its Go module, and kept.
#
#   scripts/helm.sh path    where it is; compiles it when it is not there (some minutes)
#   scripts/helm.sh find    the same, but ends with 1 when it is not there
#
# Environment:
#   PORTOLAN_HELM_CACHE  folder of the program (default: portolan-helm in the user's cache)
#   GOPROXY              as for go
set -euo pipefail

# Which of them the Go at hand compiles: that of Debian 12 is 1.19.
readonly NEW=v3.13.3 OLD=v3.11.3

home=$(getent passwd "$(id -u)" | cut -d: -f6) # of the user, whatever a test has made of HOME
cache=${PORTOLAN_HELM_CACHE:-$home/.cache/portolan-helm}
program=$cache/$NEW-or-$OLD/helm
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# In a container, so that the machine needs no Go; the image has this machine's, or Debian's.
compile() {
  local work
  "$here/container-env.sh" up go
  mkdir -p "${program%/*}"
  work=$(mktemp -d "$cache/build.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  printf 'helm: compiling (some minutes)\n' >&2
  docker run --rm --label portolan.dev/test=helm -v "$work:/out" -e "GOPROXY=${GOPROXY:-}" -e HOME=/tmp/home -e GOBIN=/out \
    -e CGO_ENABLED=0 -e GOFLAGS=-trimpath portolan-test/go \
    sh -ec '
      [ -n "$GOPROXY" ] || unset GOPROXY
      case $(go env GOVERSION) in go1.1[0-9]*) version=$1 ;; *) version=$0 ;; esac
      go install -ldflags "-s -w" "helm.sh/helm/v3/cmd/helm@$version"' "$NEW" "$OLD" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    exit 1
  }
  mv "$work/helm" "$program" # in one step: whoever looks finds a whole program or none
}

case "${1:-}" in
  path) [[ -x $program ]] || compile ;;
  find) [[ -x $program ]] || exit 1 ;;
  *)
    printf 'usage: helm.sh path | find\n' >&2
    exit 2
    ;;
esac
printf '%s\n' "$program"
