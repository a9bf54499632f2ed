#!/usr/bin/env bash
# A PostgreSQL of its own for tests and measurements: on a free port of
# 127.0.0.1, without passwords, with all its files in one folder.
#
#   scripts/postgres.sh start FOLDER [SERVER-OPTION...]   prints its address
#   scripts/postgres.sh stop FOLDER                       stops it and removes the folder
#
# The folder must not exist yet, or be empty. Server options are those of the
# program postgres, for example: -c fsync=off
set -euo pipefail

fail() {
  printf 'postgres.sh: %s\n' "$1" >&2
  exit 1
}

# The newest installed version; Debian keeps its programs out of PATH.
find_programs() {
  local newest
  newest=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
  if [[ -n $newest ]]; then
    printf '%s\n' "$newest"
  elif command -v initdb >/dev/null; then
    dirname "$(command -v initdb)"
  else
    fail 'PostgreSQL is not installed (Debian: apt-get install postgresql postgresql-contrib)'
  fi
}

# PostgreSQL refuses to run as root.
as_owner() {
  if [[ $EUID -eq 0 ]]; then
    (cd / && runuser -u postgres -- "$@")
  else
    "$@"
  fi
}

is_taken() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

start() {
  local folder=$1 programs port options=''
  shift
  # pg_ctl hands the options to a shell, hence the quotes.
  [[ $# -eq 0 ]] || options=$(printf '%q ' "$@")
  programs=$(find_programs)
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
  [[ -z $(ls -A "$folder") ]] || fail "$folder is not empty"
  [[ $EUID -ne 0 ]] || chown postgres "$folder"
  as_owner "$programs/initdb" --pgdata "$folder/data" --username postgres --auth trust \
    --encoding UTF8 --locale C.UTF-8 >"$folder.log" 2>&1 || { cat "$folder.log" >&2; fail 'initdb failed'; }
  rm -f "$folder.log"
  for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 20000))
    is_taken "$port" && continue
    if as_owner "$programs/pg_ctl" start --wait --silent --pgdata "$folder/data" --log "$folder/server.log" \
      --options "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories='$folder' -c max_connections=300 $options" \
      >/dev/null 2>&1; then
      printf 'postgres://postgres@127.0.0.1:%s/postgres\n' "$port"
      return
    fi
  done
  tail -n 20 "$folder/server.log" >&2
  fail 'the server did not start'
}

stop() {
  local folder=$1
  [[ -d $folder/data ]] || fail "$folder holds no server of this script"
  as_owner "$(find_programs)/pg_ctl" stop --wait --silent --mode immediate --pgdata "$folder/data" >/dev/null 2>&1 || true
  rm -rf "$folder"
}

case "${1:-} $#" in
  'start 1' | 'stop 1' | ' 0') fail 'usage: postgres.sh start FOLDER [SERVER-OPTION...] | stop FOLDER' ;;
  'start '*) shift && start "$@" ;;
  'stop 2') stop "$2" ;;
  *) fail "unknown command \"$1\"; expected start or stop" ;;
esac
