/** Folder of the tools. Each has its own environment, at the same path in every stage. */
export const TOOLS = '/opt/tools';
/** Script that replaces itself with the package's program. */
export const START_FILE = `${TOOLS}/start`;

/** Python program that fails for a pip without `--python`, which exists since pip 22.3. */
const PIP_REACHES_OUT =
  'import pip, sys; sys.exit(tuple(int(one) for one in pip.__version__.split(".")[:2]) < (22, 3))';

/**
 * Script that installs a project. Its arguments are the project, its requirement, and more requirements.
 * Where the base image's own pip can install into another environment, that environment gets no pip, which
 * would take seconds to install.
 */
export const INSTALL_SCRIPT: readonly string[] = [
  'set -eu',
  'name=$1 requirement=$2',
  'shift 2',
  'if ! command -v uv >/dev/null 2>&1; then',
  `  tool="${TOOLS}/$name"`,
  `  if python3 -c '${PIP_REACHES_OUT}' 2>/dev/null; then`,
  '    python3 -m venv --without-pip "$tool"',
  '    exec python3 -m pip --python "$tool/bin/python" install --no-cache-dir "$requirement" "$@"',
  '  fi',
  '  python3 -m venv "$tool"',
  '  exec "$tool/bin/python" -m pip install --no-cache-dir "$requirement" "$@"',
  'fi',
  'left=$#',
  'while [ "$left" -gt 0 ]; do set -- "$@" --with "$1"; shift; left=$((left - 1)); done',
  'exec uv tool install --no-cache "$@" "$requirement"',
];

/**
 * Script that gives uv and pip the same indexes, after the build variables are set. pip does not support
 * names of indexes, and accepts plain HTTP only with a flag.
 */
export const ADOPT_INDEXES: readonly string[] = [
  'set -f',
  'usual=${UV_DEFAULT_INDEX:-${UV_INDEX_URL:-${PIP_INDEX_URL:-}}}',
  'more=${UV_INDEX:-${UV_EXTRA_INDEX_URL:-${PIP_EXTRA_INDEX_URL:-}}}',
  'plain() { case $1 in http*) echo "$1" ;; *) echo "${1#*=}" ;; esac; }',
  'others=',
  'for one in $more; do others="$others $(plain "$one")"; done',
  'unset UV_DEFAULT_INDEX UV_INDEX_URL PIP_INDEX_URL UV_INDEX UV_EXTRA_INDEX_URL PIP_EXTRA_INDEX_URL',
  'if [ -n "$usual" ]; then export UV_DEFAULT_INDEX="$usual" PIP_INDEX_URL="$(plain "$usual")"; fi',
  'if [ -n "$more" ]; then export UV_INDEX="$more" PIP_EXTRA_INDEX_URL="${others# }"; fi',
  'for one in $usual $more; do',
  '  one=$(plain "$one")',
  '  case $one in http://*) ;; *) continue ;; esac',
  '  one=${one#http://}; one=${one%%/*}; one=${one##*@}',
  '  export PIP_TRUSTED_HOST="${PIP_TRUSTED_HOST:-} $one" UV_INSECURE_HOST="${UV_INSECURE_HOST:-} $one"',
  'done',
  'set +f',
  'unset usual more others one',
];

/** Script that removes uv's record of an installation, which contains the addresses of indexes. */
export const FORGET_INDEXES: readonly string[] = [`rm -f ${TOOLS}/*/uv-receipt.toml`];

/**
 * Runs in the environment of the package, with the project and optionally a program as arguments, and writes
 * the start script. Without a program it uses the only one that the project installs, or else the one with
 * the project's name; several names of one entry point count as one. A named program may also be a
 * dependency's, as `uvx --from` allows. Usage texts show the program's own name.
 */
export const ENTRY_SCRIPT = `
import importlib.metadata, os, re, shlex, sys
name, wanted = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
folder = os.path.dirname(sys.executable)
plain = lambda text: re.sub(r"[-_.]+", "-", text).lower()
package = importlib.metadata.distribution(name)
paths = [os.path.normpath(str(package.locate_file(file))) for file in package.files or []]
programs = sorted({os.path.basename(path) for path in paths if os.path.dirname(path) == folder})
points = {one.name: one.value for one in package.entry_points if one.group in ("console_scripts", "gui_scripts")}
all = ", ".join(programs)
if wanted is not None:
    chosen = wanted if os.access(os.path.join(folder, wanted), os.X_OK) else None
    if chosen is None:
        sys.exit("portolan: " + name + " has no program " + wanted + "; its programs are: " + (all or "none"))
elif not programs:
    sys.exit("portolan: " + name + " has no program that could be run")
else:
    found = [one for one in programs if plain(one) == name]
    if not found and len({points.get(one, one) for one in programs}) == 1:
        found = programs
    if not found:
        sys.exit("portolan: " + name + " has several programs, and none is called like it: " + all
            + ". Name one: uvx://" + name + "#" + programs[0])
    chosen = found[0]
with open("${START_FILE}", "w") as start:
    start.write("#!/bin/sh\\nexec " + shlex.quote(os.path.join(folder, chosen)) + ' "$@"\\n')
os.chmod("${START_FILE}", 0o755)
`.trim();
