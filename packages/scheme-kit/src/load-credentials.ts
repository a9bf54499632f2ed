/** Host from which build steps fetch their variables and files, through the build's proxy. */
export const CREDENTIALS_HOST = 'credentials.portolan.internal';

/**
 * Script that requests an address with whatever tool the image has, and prints the response. All tools use
 * `http_proxy`.
 */
const ASK: readonly string[] = [
  'portolan_ask() {',
  '  if command -v wget >/dev/null 2>&1; then wget -q -O - "$1"',
  '  elif command -v curl >/dev/null 2>&1; then curl -fsS "$1"',
  "  elif command -v node >/dev/null 2>&1; then node -e '",
  '    const { hostname, port } = new URL(process.env.http_proxy);',
  '    const fail = (text) => { console.error("portolan: " + text); process.exit(1); };',
  '    require("node:http").get({ host: hostname, port, path: process.argv[1] }, (answer) => {',
  '      if (answer.statusCode !== 200) fail("status " + answer.statusCode);',
  '      answer.pipe(process.stdout);',
  '    }).on("error", (error) => fail(error.message));\' "$1"',
  "  elif command -v python3 >/dev/null 2>&1; then python3 -c '",
  'import sys, urllib.request',
  'sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())\' "$1"',
  "  elif command -v bash >/dev/null 2>&1; then bash -c '",
  '    proxy=${http_proxy#http://}; proxy=${proxy%/}',
  '    exec 3<>"/dev/tcp/${proxy%:*}/${proxy##*:}"',
  '    printf "GET %s HTTP/1.0\\r\\n\\r\\n" "$1" >&3',
  '    IFS= read -r line <&3',
  '    case $line in "HTTP/1."?" 200 "*) ;; *) exit 1 ;; esac',
  '    cr=$(printf "\\r")',
  '    while IFS= read -r line <&3 && [ "$line" != "$cr" ]; do :; done',
  '    cat <&3\' portolan "$1"',
  '  else echo "portolan: the base image has no wget, curl, node, python3 or bash" >&2; return 1; fi',
  '}',
];

/**
 * Prefix of a step that needs build variables and files. It fetches them once per build into memory, so no
 * layer contains them. The script does not depend on their content.
 */
export const LOAD_CREDENTIALS: readonly string[] = [
  'set -eu',
  'portolan_fail() { echo "portolan: $1" >&2; exit 1; }',
  'portolan_memory=',
  'while read -r device place kind rest; do',
  '  if [ "$place" = /dev/shm ] && [ "$kind" = tmpfs ]; then portolan_memory=yes; fi',
  'done </proc/mounts',
  '[ -n "$portolan_memory" ] || portolan_fail "/dev/shm of the build is not in memory"',
  ...ASK,
  `portolan_given=$(portolan_ask http://${CREDENTIALS_HOST}/) || portolan_fail "the build does not get its variables and files"`,
  'portolan_whole=',
  'eval "$portolan_given"',
  '[ "$portolan_whole" = yes ] || portolan_fail "the build gets its variables and files in part"',
  'unset device place kind rest portolan_memory portolan_given portolan_whole',
  'unset -f portolan_ask portolan_fail',
];
