#!/usr/bin/env bash
# A container engine and the base images that the tests use, on a bare Debian
# machine and without any image registry.
#
#   scripts/container-env.sh up [IMAGE...]   engine, then the images (default: node); `up all` takes two to
#                                            ten minutes the first time, and seconds after that
#   scripts/container-env.sh status          what is there
#   scripts/container-env.sh clean           removes containers and networks labelled portolan.dev/test
#   scripts/container-env.sh purge           clean, then removes the images and their cache
#
# IMAGE is one of, or `all`:
#   node     busybox, this machine's npm and the Node of this project (seconds, no network)
#   debian   Debian with apt and CA certificates
#   python   debian with python3, pip and venv, and uv where this machine has it
#   go       debian with a Go toolchain, no C compiler, and Go's own library compiled
#   services debian with PostgreSQL and nginx, stand-ins for their images
#
# Each makes two tags: portolan-test/NAME trusts this machine's CA bundle (npm,
# node, pip, git, curl and go are told where it is); portolan-test/NAME-plain
# holds the same files, but no variable names the bundle.
#
# Environment:
#   DOCKER_HOST           used as it is; with it set, no engine is started
#   PORTOLAN_IMAGE_CACHE  folder of saved images (default: portolan-images in the user's cache); `none`: no cache
#   PORTOLAN_CA_BUNDLE    CA bundle to copy in
#   PORTOLAN_NODE         node binary of the node image
#   PORTOLAN_SUITE        Debian suite of the other images (default: this machine's)
set -euo pipefail

readonly RECIPE=1 # raise it when what an image holds changes
readonly PREFIX=portolan-test
# What programs need of Go's own library; compiled here, it is not compiled in every build of a test.
readonly GO_LIBRARY='bufio encoding/json fmt html/template log/slog net/http os/exec os/signal strings testing'
readonly TEST_LABEL=portolan.dev/test
readonly KEY_LABEL=portolan.dev/test-key
readonly ENGINE_LOG=/var/log/portolan-dockerd.log
readonly ENGINE_LOCK=/run/portolan-dockerd.lock
readonly ENGINE_TENTHS=300

cache=${PORTOLAN_IMAGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/portolan-images}
bundle=${PORTOLAN_CA_BUNDLE:-/etc/ssl/certs/ca-certificates.crt}
suite=${PORTOLAN_SUITE:-$(. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_CODENAME:-}")}
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
node=${PORTOLAN_NODE:-$checkout/node_modules/.bin/node}
[[ -e $node ]] || node=$(command -v node || true)
node=$(readlink -f "$node")
export DOCKER_BUILDKIT=0 # the client's BuildKit needs a plugin that Debian 12 lacks

say() { printf 'container-env: %s\n' "$1" >&2; }

fail() {
  say "$1"
  exit 1
}

answers() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# install_missing BINARY=PACKAGE...: installs the packages whose binary is missing
install_missing() {
  local missing=() pair
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null 2>&1 || missing+=("${pair#*=}")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  [[ $EUID -eq 0 ]] || fail "needs root to install: ${missing[*]}"
  say "installing ${missing[*]}"
  apt_install "${missing[@]}" && return
  apt-get -oDPkg::Lock::Timeout=300 update -qq >/dev/null
  apt_install "${missing[@]}" || fail "cannot install: ${missing[*]}"
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get -oDPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@" \
    >/dev/null 2>&1
}

start_engine() {
  answers && return
  [[ -z ${DOCKER_HOST:-} ]] || fail "nothing answers at DOCKER_HOST=$DOCKER_HOST"
  install_missing dockerd=docker.io iptables=iptables
  install_missing docker=docker-cli # a package of its own from Debian 13 on
  [[ $EUID -eq 0 ]] || fail 'no engine answers, and only root can start dockerd'
  local start=$SECONDS
  exec 9>"$ENGINE_LOCK"
  flock 9 # two test runs at once start one engine
  answers || start_daemon
  flock -u 9
  say "engine $(docker version --format '{{.Server.Version}}') up in $((SECONDS - start)) s"
}

start_daemon() {
  local left=$ENGINE_TENTHS
  say "starting dockerd, log in $ENGINE_LOG"
  setsid dockerd >"$ENGINE_LOG" 2>&1 9>&- </dev/null &
  until answers; do
    left=$((left - 1))
    if [[ $left -le 0 ]]; then
      tail -n 5 "$ENGINE_LOG" >&2
      fail "dockerd did not answer in $((ENGINE_TENTHS / 10)) s"
    fi
    sleep 0.1
  done
}

# What makes an image out of date: the recipe, the CA bundle, and for node the binary and npm.
key_of() {
  {
    printf '%s %s %s\n' "$RECIPE" "$1" "$suite"
    sha256sum <"$bundle"
    if [[ $1 == node ]]; then
      sha256sum <"$node"
      npm --version
    fi
    [[ $1 != go ]] || printf '%s\n' "$GO_LIBRARY"
  } | sha256sum | cut -c1-16
}

is_current() {
  local found
  found=$(docker image inspect "$PREFIX/$1" --format "{{index .Config.Labels \"$KEY_LABEL\"}}" 2>/dev/null) || return 1
  [[ $found == "$(key_of "$1")" ]]
}

size_of() { docker image inspect "$PREFIX/$1" --format '{{.Size}}' | awk '{ printf "%d MB", $1 / 1e6 }'; }

# What every image needs beside its programs.
add_common_files() {
  local root=$1
  mkdir -p "$root"/{tmp,root,etc/ssl/certs,proc,sys,dev,var/tmp,home/app,run}
  chmod 1777 "$root/tmp" "$root/var/tmp" # an engine gives a tmpfs the mode of the folder it covers
  chmod 0700 "$root/root"
  install -m 0644 "$bundle" "$root/etc/ssl/certs/ca-certificates.crt"
  [[ -s $root/etc/passwd ]] ||
    printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n' >"$root/etc/passwd"
  [[ -s $root/etc/group ]] || printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
  grep -q '^app:' "$root/etc/passwd" || printf 'app:x:65532:65532:app:/home/app:/bin/sh\n' >>"$root/etc/passwd"
  grep -q '^app:' "$root/etc/group" || printf 'app:x:65532:\n' >>"$root/etc/group"
  chown 65532:65532 "$root/home/app"
  [[ -e $root/etc/nsswitch.conf ]] ||
    printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$root/etc/nsswitch.conf"
}

# copy_program ROOT FILE PLACE: a program and the shared libraries it loads
copy_program() {
  local root=$1 library
  install -D "$2" "$root$3"
  { ldd "$2" 2>/dev/null || true; } | grep -oE '/[^ ]+' | while read -r library; do
    [[ -e $root$library ]] || install -D "$library" "$root$library"
  done
}

fill_node() {
  local root=$1 npm applet
  install_missing busybox=busybox-static
  [[ -x $node ]] || fail 'the node image needs node on this machine, or PORTOLAN_NODE'
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  mkdir -p "$root"/bin "$root"/usr/{bin,lib/node_modules,etc}
  install "$(command -v busybox)" "$root/bin/busybox"
  for applet in $("$root/bin/busybox" --list); do
    [[ -e $root/bin/$applet ]] || ln -s busybox "$root/bin/$applet"
  done
  [[ -e $root/usr/bin/env ]] || ln -s /bin/busybox "$root/usr/bin/env"
  copy_program "$root" "$node" /usr/bin/node
  cp -a "$npm" "$root/usr/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/bin/npx"
}

# fill_debian ROOT [PACKAGE...]
fill_debian() {
  local root=$1 include=ca-certificates sources package
  shift
  install_missing mmdebstrap=mmdebstrap
  for package in "$@"; do include+=,$package; done
  # This machine's own package sources, so that no mirror is named here.
  for sources in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list ''; do
    [[ ! -s $sources ]] || break
  done
  if ! mmdebstrap --quiet --variant=minbase --mode=root --include="$include" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' "$suite" "$root" ${sources:+"$sources"} 2>"$root.log"; then
    tail -n 5 "$root.log" >&2
    return 1
  fi
  rm -f "$root.log"
  rm -rf "${root:?}"/dev/* "$root"/var/cache/apt/*.bin
}

fill_python() {
  local root=$1 name found
  fill_debian "$root" python3 python3-pip python3-venv
  rm -f "$root"/usr/lib/python3*/EXTERNALLY-MANAGED
  ln -sf python3 "$root/usr/bin/python"
  for name in uv uvx; do
    found=$(command -v "$name") || continue
    install -D "$(readlink -f "$found")" "$root/usr/local/bin/$name"
  done
}

fill_go() {
  local root=$1 toolchain
  toolchain=$(go env GOROOT 2>/dev/null) || toolchain=''
  if [[ -d $toolchain/src && $toolchain != /usr/lib/go* ]]; then
    fill_debian "$root"
    mkdir -p "$root/usr/local"
    cp -a "$toolchain" "$root/usr/local/go"
  else
    fill_debian "$root" golang-go
  fi
}

fill_services() { fill_debian "$1" postgresql nginx-light; }

load_from_cache() {
  [[ $cache != none && -s $1 ]] || return 1
  zstd -qdc "$1" 2>/dev/null | docker load -q >/dev/null 2>&1
}

save_to_cache() {
  local name=$1 file=$2
  [[ $cache != none ]] || return 0
  install_missing zstd=zstd
  mkdir -p "$cache"
  rm -f "$cache/$name"-*.tar.zst
  docker save "$PREFIX/$name" "$PREFIX/$name-plain" | zstd -q -T0 -3 -o "$file.part$$"
  mv "$file.part$$" "$file"
}

# import_image NAME KEY ROOT: both tags from a folder of files
import_image() {
  tar --one-file-system -C "$3" -c . |
    docker import \
      --change 'ENV PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
      --change 'CMD ["/bin/sh"]' --change "LABEL $KEY_LABEL=$2" --change "LABEL $TEST_LABEL=base" \
      - "$PREFIX/$1-plain" >/dev/null
  [[ $1 != go ]] || docker build -q -t "$PREFIX/go-plain" - >/dev/null <<EOD
FROM $PREFIX/go-plain
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false $GO_LIBRARY
EOD
  docker build -q -t "$PREFIX/$1" - >/dev/null 2>&1 <<EOD
FROM $PREFIX/$1-plain
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
    npm_config_cafile=/etc/ssl/certs/ca-certificates.crt PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt GIT_SSL_CAINFO=/etc/ssl/certs/ca-certificates.crt
EOD
}

make_image() {
  local name=$1 start=$SECONDS key file work
  ! is_current "$name" || return 0
  key=$(key_of "$name")
  file=$cache/$name-$key.tar.zst
  if load_from_cache "$file" && is_current "$name"; then
    say "$name: loaded from the cache in $((SECONDS - start)) s"
    return
  fi
  [[ $EUID -eq 0 ]] || fail "making the image $name needs root, for the owners of its files"
  work=$(mktemp -d "${TMPDIR:-/tmp}/portolan-image.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now, whatever the variable holds later
  trap "rm -rf --one-file-system '$work'" EXIT
  mkdir "$work/root"
  chmod 0755 "$work/root"
  "fill_$name" "$work/root"
  add_common_files "$work/root"
  # What is out of date goes first; where a container still needs it, it only loses its name.
  docker rmi "$PREFIX/$name" "$PREFIX/$name-plain" >/dev/null 2>&1 || true
  import_image "$name" "$key" "$work/root"
  rm -rf --one-file-system "$work"
  trap - EXIT
  say "$name: made in $((SECONDS - start)) s, $(size_of "$name")"
  save_to_cache "$name" "$file"
}

make_images() {
  local name
  [[ $# -gt 0 ]] || set -- node
  [[ $1 != all ]] || set -- node debian python go services
  [[ -s $bundle ]] || install_missing update-ca-certificates=ca-certificates
  for name in "$@"; do
    case $name in
      node | debian | python | go | services) make_image "$name" ;;
      *) fail "unknown image \"$name\"; expected node, debian, python, go, services or all" ;;
    esac
  done
}

status() {
  local name
  if ! answers; then
    printf 'engine   none\n'
    return
  fi
  printf 'engine   %s\n' "$(docker version --format '{{.Server.Version}} API {{.Server.APIVersion}}')"
  for name in node debian python go services; do
    if is_current "$name"; then
      printf 'image    %s %s\n' "$PREFIX/$name" "$(size_of "$name")"
    else
      printf 'image    %s missing or out of date\n' "$PREFIX/$name"
    fi
  done
}

clean() {
  answers || return 0
  docker ps -aq --filter "label=$TEST_LABEL" | xargs -r docker rm -fv >/dev/null
  docker network ls -q --filter "label=$TEST_LABEL" | xargs -r docker network rm >/dev/null
}

purge() {
  clean
  if answers; then
    docker images --format '{{.Repository}}:{{.Tag}}' "$PREFIX/*" | xargs -r docker rmi >/dev/null
  fi
  [[ $cache == none ]] || rm -f "$cache"/{node,debian,python,go,services}-*.tar.zst
}

case "${1:-}" in
  up)
    shift
    start_engine
    make_images "$@"
    ;;
  status | clean | purge) "$1" ;;
  *) fail 'usage: container-env.sh up [IMAGE...] | status | clean | purge (up all: two to ten minutes the first time)' ;;
esac
