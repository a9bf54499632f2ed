/** Cause of a failed build that was recognized in its output, and what to do. */
interface BuildCause {
  readonly pattern: RegExp;
  readonly hint: (found: readonly string[]) => string;
}

/** Newest release of Python with an official image, as minor version of Python 3. */
const NEWEST_PYTHON = 14;

const CAUSES: readonly BuildCause[] = [
  {
    // pip names the versions that it ignores in order, so that the last one is the newest.
    pattern: /Requires-Python ([^;\n]+)(?=\n|$)|requires a different Python: \S+ not in '([^']+)'/,
    hint: (found) => hintForPython(found.find((text) => text !== '') ?? ''),
  },
  {
    pattern: /requires go >= (\d+\.\d+)/,
    hint: ([version]) =>
      `The module needs Go ${version} or newer: choose a base image with it, such as \`--runtime-image golang:${version}-alpine\`.`,
  },
  {
    pattern:
      /command '[^'\n]*?(gcc|g\+\+|cc|clang)' failed|(gcc|g\+\+|cc|make|cmake): (?:command )?not found|not found: (make)\b|linker `(cc)` not found|exec: "(gcc)": executable file not found/,
    hint: () =>
      'The package is compiled while it is installed. Add a compiler: `--runtime-add-package build-essential` on Debian, `build-base` on Alpine.',
  },
  {
    pattern: /find Python.*\bYou need to install the latest version of Python|gyp ERR! (find Python)/,
    hint: () =>
      'The package is compiled while it is installed. Add `--runtime-add-package python3` and a compiler: `build-essential` on Debian, `build-base` on Alpine.',
  },
  {
    pattern:
      /\b(git): (?:command )?not found|Cannot find command '(git)'|spawn (git) ENOENT|exec: "(git)": executable file not found|Git executable not found/,
    hint: () => 'The build starts git, which the base image does not have: add `--runtime-add-package git`.',
  },
  {
    pattern: /\b(cargo|rustc)\b[^\n]*(?:not found|No such file)|can't find Rust compiler/,
    hint: () =>
      'The package is compiled with Rust while it is installed: add `--runtime-add-package cargo`, or choose an older base image with `--runtime-image`.',
  },
];

/** Returns the hint for a failed build whose cause its output shows; undefined for other output. Pure. */
export function explainBuild(output: string): string | undefined {
  for (const { pattern, hint } of CAUSES) {
    const found = pattern.exec(output);
    if (found !== null) return hint(found.slice(1).map((text) => text ?? ''));
  }
  return undefined;
}

function hintForPython(constraint: string): string {
  const minor = newestMinor(constraint);
  const image = minor === undefined ? 'IMAGE' : `python:3.${minor}-slim`;
  return `A package needs Python ${constraint}: choose a base image with it, \`--runtime-image ${image}\`.`;
}

/** Returns the newest minor version of Python 3 that meets a constraint (PyPA, "Version specifiers"). */
function newestMinor(constraint: string): number | undefined {
  const clauses = constraint.split(',').map((text) => text.trim());
  const isMet = (minor: number): boolean =>
    clauses.every((clause) => {
      const [, operator, limit, rest = ''] = /^([<>=!~]=?|===)\s*3(?:\.(\d+))?(.*)$/.exec(clause) ?? [];
      if (operator === undefined || limit === undefined) return true;
      const number = Number(limit);
      if (operator === '<') return minor < number || (minor === number && /\.[1-9]/.test(rest));
      if (operator === '<=') return minor <= number;
      if (operator === '!=') return minor !== number || !rest.startsWith('.*');
      if (operator === '~=') return rest === '' ? minor >= number : minor === number;
      if (operator.startsWith('==')) return minor === number;
      return minor >= number;
    });
  for (let minor = NEWEST_PYTHON; minor > 0; minor -= 1) if (isMet(minor)) return minor;
  return undefined;
}
