import path from 'node:path';

export interface OutputCause {
  readonly cause: string;
  readonly hint: string;
}

/** Messages about a missing program; the first group is its name. */
const PROGRAM_MISSING: readonly RegExp[] = [
  /\bspawn ([^\s"']+) ENOENT\b/,
  /No such file or directory: b?['"]([^'"\s]+)['"]/,
  /exec: "([^"]+)": (?:executable file not found|stat )/,
  /\b(Bad git executable)\b/,
  /^(?:[\w./-]*(?:sh|bash|env|zsh|busybox)|[\w./-]+: line \d+)?:?\s*(?:line )?\d*:?\s*([\w.+-]+): (?:command )?not found\b/m,
  /\benv: (?:can't execute )?['‘]?([\w.+-]+)['’]?: No such file or directory/,
  /\b([\w.+-]+): executable file not found in \$PATH/,
  /\[WinError 2\].*['"]([\w.+-]+)['"]/,
];

/** Messages about a library or loader that the image lacks; the first group is its name. */
const LIBRARY_MISSING: readonly RegExp[] = [
  /error while loading shared libraries: ([^\s:]+)/,
  /Error loading shared library ([^\s:]+)/,
  /(?:ImportError|OSError|cannot load library|dlopen)[^\n]*?([\w.+-]+\.so(?:\.[\d.]+)?): (?:cannot open shared object file|No such file)/,
  /\b(ld-(?:linux|musl)[\w.-]*\.so\.\d+)\b[^\n]*(?:No such file|not found)/i,
  /version [`'](GLIBC(?:XX)?_[\d.]+)'? not found/,
  /valid ICU package installed on the system\. Please install (libicu)\b/,
  /Error relocating [^\n]*: ([\w@.]+): symbol not found/,
];

const USER_MISSING =
  /uv_os_get_passwd returned ENOENT|getpwuid\(\): uid not found|cannot find name for user ID|no matching entries in passwd file|user: unknown userid \d+|unable to (?:look ?up|find) user|No such user|I have no name!/i;

/** System packages, in Debian and Alpine, with another name than the program. */
const PACKAGES: Readonly<Record<string, string>> = {
  rg: 'ripgrep',
  fd: 'fd-find',
  pip: 'python3-pip',
  python: 'python3',
  convert: 'imagemagick',
  magick: 'imagemagick',
  pdftotext: 'poppler-utils',
  psql: 'postgresql-client',
  ssh: 'openssh-client',
  dot: 'graphviz',
  java: 'default-jre-headless',
  exiftool: 'libimage-exiftool-perl',
  'google-chrome': 'chromium',
};

/**
 * Returns why a server ended, if its image lacks a program, library or user. `isBuilt` says whether Portolan
 * built the image. Pure.
 */
export function explainOutput(lines: readonly string[], isBuilt: boolean): OutputCause | undefined {
  const text = lines.join('\n');
  const library = firstOf(LIBRARY_MISSING, text);
  if (library !== undefined) return explainLibrary(`The server needs ${library}`, isBuilt);
  // The file exists: a missing loader causes the same message.
  const native = /\bspawn (\/(?!(?:usr\/)?(?:local\/)?s?bin\/)\S+) ENOENT\b/.exec(text)?.[1];
  if (native !== undefined) {
    return explainLibrary(
      `The program ${path.posix.basename(native)} of the server needs a loader or library`,
      isBuilt,
    );
  }
  if (USER_MISSING.test(text)) {
    return {
      cause: 'The server looks its user up in /etc/passwd, which has no entry for it.',
      hint: isBuilt
        ? 'Build the image again: `portolan doctor --fix` removes the old one.'
        : 'Use an image with an entry for its user in /etc/passwd, or run the package itself, such as npx://PACKAGE.',
    };
  }
  const program = programIn(text);
  return program === undefined ? undefined : explainProgram(program, isBuilt);
}

function programIn(text: string): string | undefined {
  const found = firstOf(PROGRAM_MISSING, text);
  if (found === undefined) return undefined;
  if (found === 'Bad git executable') return 'git';
  // A path outside the usual folders is a file that the server lost.
  const name = found.replace(/^(?:\/usr)?(?:\/local)?\/s?bin\//, '');
  return /^[\w.+-]+$/.test(name) &&
    !/\.(?:json|ya?ml|toml|txt|env|js|py|db|sock|log|pem|key|cfg|ini|md)$/i.test(name)
    ? name
    : undefined;
}

function firstOf(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

function explainProgram(program: string, isBuilt: boolean): OutputCause {
  const name = PACKAGES[program] ?? program;
  return {
    cause: `The server starts the program ${program}, which its image does not have.`,
    hint: isBuilt
      ? `Add its system package, \`--runtime-add-package ${name}\`, or another base image with it, \`--runtime-image IMAGE\`.`
      : `Use an image that has ${program}, or run the package itself with \`--runtime-add-package ${name}\`.`,
  };
}

function explainLibrary(need: string, isBuilt: boolean): OutputCause {
  return {
    cause: `${need}, which its image does not have.`,
    hint: isBuilt
      ? 'Choose a base image with it, such as `--runtime-image node:24-slim` (Debian) in place of Alpine, or add its system package, `--runtime-add-package NAME`.'
      : 'Use another image of the server, or run the package itself with `--runtime-image IMAGE` and `--runtime-add-package NAME`.',
  };
}
