#!/usr/bin/env bash
# A real Kubernetes API server for tests, on a bare Debian machine and without
# any image registry: etcd from Debian, and the server compiled from Debian's
# own source package of Kubernetes 1.20.2, which kubectl is made of there.
#
#   scripts/kube-env.sh build          etcd and kube-apiserver, once; the result is cached. Takes three to six
#                                      minutes, and the engine and the image of `scripts/container-env.sh up debian`
#   scripts/kube-env.sh start FOLDER   etcd and the API server on free ports of 127.0.0.1, with all their
#                                      files in FOLDER, which must not exist yet or be empty; prints the
#                                      path of a kubeconfig. Takes about five seconds
#   scripts/kube-env.sh halt FOLDER    stops the API server alone, as a crash would
#   scripts/kube-env.sh resume FOLDER  starts it again, on the same port and with the same data
#   scripts/kube-env.sh compact FOLDER forgets the history up to now: older versions are answered with 410
#   scripts/kube-env.sh stop FOLDER    stops both and removes FOLDER
#   scripts/kube-env.sh status         whether it is built; ends with 1 when it is not
#
# The kubeconfig has the contexts `admin`, who may do everything, and `reader`,
# who may do what RBAC grants to the user `reader`.
#
# Environment:
#   PORTOLAN_KUBE_CACHE  folder of what was built (default: portolan-kube in the user's cache)
set -euo pipefail

readonly VERSION=1.20.2
readonly RECIPE=1 # raise it when something else is to be built
readonly IMAGE=portolan-test/debian
readonly TEST_LABEL=portolan.dev/test
readonly READY_TENTHS=900

home=$(getent passwd "$(id -u)" | cut -d: -f6) # of the user, whatever a test has made of HOME
cache=${PORTOLAN_KUBE_CACHE:-$home/.cache/portolan-kube}
programs=$cache/server-$RECIPE

say() { printf 'kube-env: %s\n' "$1" >&2; }

fail() {
  say "$1"
  exit 1
}

is_built() { [[ -x $programs/etcd && -x $programs/kube-apiserver ]]; }

# source_apt FOLDER COMMAND...: apt with source packages, in folders of its own, so that those of the machine stay as they are
source_apt() {
  local folder=$1 tool=$2 file
  shift 2
  mkdir -p "$folder"/{etc,lists/partial,cache/archives/partial}
  if [[ ! -e $folder/etc/done ]]; then
    file=/etc/apt/sources.list.d/debian.sources
    [[ ! -s $file ]] || sed 's/^Types:.*/Types: deb deb-src/' "$file" >"$folder/etc/src.sources"
    file=/etc/apt/sources.list
    [[ ! -s $file ]] || sed -nE 's/^deb(-src)? (.*)/deb \2\ndeb-src \2/p' "$file" >"$folder/etc/src.list"
    touch "$folder/etc/done"
  fi
  "$tool" -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$folder/etc" \
    -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" \
    -o APT::Sandbox::User=root -o APT::Get::List-Cleanup=0 "$@"
}

# Only the files of the package: to install it would start a service.
fetch_etcd() {
  [[ ! -x $programs/etcd ]] || return 0
  local work=$1
  (
    cd "$work"
    source_apt "$work/apt" apt-get -qq download etcd-server
    dpkg -x etcd-server_*.deb etcd
  )
  install_whole "$work/etcd/usr/bin/etcd"
}

fetch_source() {
  local work=$1 found vendored
  say "fetching the source of Kubernetes $VERSION"
  (
    cd "$work"
    found=$(source_apt "$work/apt" apt-cache showsrc kubernetes |
      sed -nE "s/^Version: (.*really$VERSION.*)/\1/p" | sort -V | tail -n 1)
    [[ -n $found ]] || fail "this Debian has no source package of Kubernetes $VERSION"
    source_apt "$work/apt" apt-get -qq source --download-only "kubernetes=$found"
    tar -xf kubernetes_*.orig.tar.gz
    # The vendored reflect2 1.0.1 corrupts memory when built with Go 1.18 or newer: the server dies
    # on the first custom resource. Debian packages 1.0.2.
    source_apt "$work/apt" apt-get -qq download golang-github-modern-go-reflect2-dev
    dpkg -x golang-github-modern-go-reflect2-dev_*.deb reflect2
    vendored=kubernetes-$VERSION/vendor/github.com/modern-go/reflect2
    rm -f "$vendored"/*.go "$vendored"/*.s
    cp reflect2/usr/share/gocode/src/github.com/modern-go/reflect2/*.{go,s} "$vendored/"
  )
}

# Without its makefiles, which compile five generators and a model of all packages first: the source has everything
# that is generated but the description of the API. That halves the time.
compile() {
  local work=$1 tree=/go/src/k8s.io/kubernetes
  say 'compiling kube-apiserver (several minutes)'
  # shellcheck disable=SC2016 # the variables are those of the container
  docker run --rm --label "$TEST_LABEL=kube" -v "$work/kubernetes-$VERSION:$tree" -w "$tree" -e "VERSION=$VERSION" \
    "$IMAGE" sh -ec '
      apt-get -qq update
      DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends golang-go >/dev/null
      export PATH=/usr/lib/go/bin:$PATH HOME=/tmp/home GOPATH=/go GO111MODULE=off CGO_ENABLED=0
      go build -o /tmp/openapi-gen ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
      described=$(grep -rl --include=*.go -e +k8s:openapi-gen= pkg cmd plugin vendor/k8s.io/*/ |
        grep -v -e ^vendor/k8s.io/code-generator/ -e ^vendor/k8s.io/sample-apiserver/ |
        xargs -n 1 dirname | LC_ALL=C sort -u | sed s,^,k8s.io/kubernetes/, | paste -sd , -)
      /tmp/openapi-gen --logtostderr -i "$described" -p k8s.io/kubernetes/pkg/generated/openapi \
        -O zz_generated.openapi -h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r /tmp/violations
      flags="-s -w"
      for package in component-base/version client-go/pkg/version; do
        at=k8s.io/kubernetes/vendor/k8s.io/$package
        flags="$flags -X $at.gitVersion=v$VERSION -X $at.gitMajor=1 -X $at.gitMinor=20 -X $at.gitCommit=debian"
      done
      go build -trimpath -ldflags "$flags" -gcflags=all=-dwarf=false -o kube-apiserver ./cmd/kube-apiserver
    ' >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    fail 'the build failed'
  }
  install_whole "$work/kubernetes-$VERSION/kube-apiserver"
}

# install_whole FILE: whoever looks meanwhile finds all of it or nothing
install_whole() {
  local place
  place=$programs/$(basename "$1")
  install -D "$1" "$place.part$$"
  mv "$place.part$$" "$place"
}

build() {
  local start=$SECONDS work
  ! is_built || return 0
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9 # two runs at once build it once
  ! is_built || return 0
  "$(dirname "${BASH_SOURCE[0]}")/container-env.sh" up debian
  if ! command -v curl >/dev/null || ! command -v openssl >/dev/null; then
    apt-get -o DPkg::Lock::Timeout=300 update -qq
    apt-get -o DPkg::Lock::Timeout=300 install -qq -y --no-install-recommends curl openssl >/dev/null
  fi
  work=$(mktemp -d "$cache/build.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now, whatever the variable holds later
  trap "rm -rf --one-file-system '$work'" EXIT
  source_apt "$work/apt" apt-get -qq update
  fetch_etcd "$work"
  if [[ ! -x $programs/kube-apiserver ]]; then
    fetch_source "$work"
    compile "$work"
  fi
  rm -rf --one-file-system "$work"
  trap - EXIT
  say "built in $((SECONDS - start)) s"
}

is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

free_port() {
  local port
  for _ in 1 2 3 4 5 6 7 8; do
    port=$((20000 + RANDOM % 20000))
    is_taken "$port" || break
  done
  printf '%s\n' "$port"
}

# launch FOLDER NAME PROGRAM...: in the background, with a log and the number of the process. Linux shares the
# processors among sessions first (sched(7), autogroup): the priority of this script has to be that of the session too.
launch() {
  local folder=$1 name=$2
  shift 2
  # shellcheck disable=SC2016 # the inner shell expands it
  setsid sh -c '[ "$(nice)" = 0 ] || (nice >/proc/self/autogroup) 2>/dev/null || :; exec "$0" "$@"' "$@" \
    >>"$folder/$name.log" 2>&1 </dev/null &
  printf '%s\n' "$!" >"$folder/$name.pid"
}

# A zombie that nobody has reaped does not run.
runs() {
  local state
  [[ -s $1 ]] && state=$(cut -d' ' -f3 "/proc/$(cat "$1")/stat" 2>/dev/null) && [[ $state != Z ]]
}

end() {
  local file=$1 signal=$2
  runs "$file" || return 0
  kill "-$signal" "$(cat "$file")" 2>/dev/null || true
  for _ in $(seq 100); do
    runs "$file" || return 0
    sleep 0.1
  done
  kill -KILL "$(cat "$file")" 2>/dev/null || true
}

# Fails when the server ends, or is not ready in time. A crash of the etcd before it shows in its log.
await_ready() {
  local folder=$1 port=$2
  for _ in $(seq "$READY_TENTHS"); do
    runs "$folder/apiserver.pid" || return 1
    curl -sf --cacert "$folder/pki/apiserver.crt" -H 'Authorization: Bearer admin' \
      "https://127.0.0.1:$port/readyz" >/dev/null 2>&1 && return
    sleep 0.1
  done
  return 1
}

launch_server() {
  local folder=$1 port etcd
  read -r port etcd <"$folder/ports"
  launch "$folder" apiserver "$programs/kube-apiserver" --etcd-servers="http://127.0.0.1:$etcd" \
    --bind-address=127.0.0.1 --secure-port="$port" --cert-dir="$folder/pki" \
    --token-auth-file="$folder/tokens.csv" --authorization-mode=RBAC \
    --service-account-key-file="$folder/sa.key" --service-account-signing-key-file="$folder/sa.key" \
    --service-account-issuer=https://kubernetes.default.svc --service-cluster-ip-range=10.96.0.0/16 \
    --disable-admission-plugins=ServiceAccount --enable-priority-and-fairness=false
  await_ready "$folder" "$port"
}

launch_both() {
  local folder=$1 port etcd peer
  port=$(free_port)
  etcd=$(free_port)
  peer=$(free_port)
  printf '%s %s\n' "$port" "$etcd" >"$folder/ports"
  launch "$folder" etcd "$programs/etcd" --data-dir "$folder/etcd" --unsafe-no-fsync \
    --listen-client-urls "http://127.0.0.1:$etcd" --advertise-client-urls "http://127.0.0.1:$etcd" \
    --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
    --initial-cluster "default=http://127.0.0.1:$peer"
  launch_server "$folder"
}

start() {
  local folder=$1
  is_built || fail 'no API server is built; scripts/kube-env.sh build makes one'
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
  [[ -z $(ls -A "$folder") ]] || fail "$folder is not empty"
  chmod 700 "$folder"
  openssl genrsa -out "$folder/sa.key" 2048 2>/dev/null
  printf 'admin,admin,admin,system:masters\nreader,reader,reader\n' >"$folder/tokens.csv"
  for _ in 1 2 3; do # somebody else may have been given the same port
    if launch_both "$folder"; then
      write_kubeconfig "$folder"
      printf '%s\n' "$folder/kubeconfig"
      return
    fi
    end "$folder/apiserver.pid" KILL
    end "$folder/etcd.pid" KILL
    rm -rf --one-file-system "$folder/etcd"
  done
  tail -n 5 "$folder"/*.log >&2
  fail 'the API server did not become ready'
}

write_kubeconfig() {
  local folder=$1 port
  read -r port _ <"$folder/ports"
  (
    umask 077
    cat >"$folder/kubeconfig" <<EOD
apiVersion: v1
kind: Config
current-context: admin
clusters:
- name: portolan
  cluster: {server: "https://127.0.0.1:$port", certificate-authority: "$folder/pki/apiserver.crt"}
users:
- {name: admin, user: {token: admin}}
- {name: reader, user: {token: reader}}
contexts:
- {name: admin, context: {cluster: portolan, user: admin}}
- {name: reader, context: {cluster: portolan, user: reader}}
EOD
  )
}

compact() {
  local folder=$1 etcd revision
  read -r _ etcd <"$folder/ports"
  revision=$(curl -sf "http://127.0.0.1:$etcd/v3/kv/range" -d '{"key":"AA=="}' | sed -nE 's/.*"revision":"([0-9]+)".*/\1/p')
  [[ -n $revision ]] || fail 'etcd does not answer'
  curl -sf "http://127.0.0.1:$etcd/v3/kv/compaction" -d "{\"revision\":\"$revision\",\"physical\":true}" >/dev/null
}

# resume FOLDER: again when the server ends by itself, as the kubelet does: a busy machine
# lets its hooks for the start run out of time, and that is fatal to it.
resume() {
  for _ in 1 2 3; do
    ! launch_server "$1" || return 0
    end "$1/apiserver.pid" KILL
  done
  tail -n 5 "$1"/*.log >&2
  fail 'the API server did not become ready again'
}

stop() {
  end "$1/apiserver.pid" TERM
  end "$1/etcd.pid" TERM
  rm -rf --one-file-system "$1"
}

case "${1:-} $#" in
  'build 1') build ;;
  'start 2') start "$2" ;;
  'halt 2') end "$2/apiserver.pid" KILL ;;
  'resume 2') resume "$2" ;;
  'compact 2') compact "$2" ;;
  'stop 2') stop "$2" ;;
  'status 1') is_built ;;
  *) fail 'usage: kube-env.sh build | start FOLDER | halt FOLDER | resume FOLDER | compact FOLDER | stop FOLDER | status' ;;
esac
