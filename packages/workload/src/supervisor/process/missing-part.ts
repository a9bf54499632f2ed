/** Part that an image lacks, as named by the output of the server that failed because of it. */
export interface MissingPart {
  /**
   * Kind of the missing part:
   * - `sdk`: version 1 of the Python library mcp, where the image has version 2
   * - `version`: a symbol of a newer or another C library
   * - `library`: a shared library or program loader
   * - `loader`: what an existing native program needs, without its name
   * - `user`: an entry in `/etc/passwd`
   * - `program`: an executable file
   */
  readonly kind: 'sdk' | 'version' | 'library' | 'loader' | 'user' | 'program';
  /**
   * Names of the missing parts, without duplicates. For `loader`, the name of the native program; for `sdk` and
   * `user`, empty.
   */
  readonly names: readonly string[];
}

/** Maximum number of names that are collected from one output. */
const MAX_PART_NAMES = 10;

/**
 * Matches every line that can name a missing part. A quick first check, because most lines match none of the
 * patterns below.
 */
const HINT_OF_PATTERN =
  /not found|no such |no library called|ENOENT|WinError|cannot open shared|shared librar|ICU package|libssl|libmagic|\.so\.?|bad git|relocating|passwd|getpwuid|'Server' object has no|'mcp['.]|userid|user ID|no name!|user exists|(?:find|up) (?:current )?user/i;

/** Patterns in the order of their precedence; the first group is the name of the part. */
const PATTERNS: readonly (readonly [MissingPart['kind'], readonly RegExp[]])[] = [
  [
    'sdk',
    [
      /()AttributeError: 'Server' object has no attribute '(?:list_(?:tools|prompts|resources|resource_templates)|call_tool|get_prompt|read_resource|completion|set_logging_level|request_context)'/,
      /()No module named 'mcp\.server\.fastmcp(?:\.\w{1,100})*'/,
      /()cannot import name '(?:FastMCP|McpError)' from 'mcp['.]/,
    ],
  ],
  [
    'version',
    [
      /version [`'‘]?((?:GLIBC|GLIBCXX|CXXABI)_[\d.]{1,20})['’]? not found/,
      /Error relocating [^\s:]{1,300}: ([\w@.]{1,100}): symbol not found/,
    ],
  ],
  [
    'library',
    [
      /error while loading shared libraries: ([^\s:]{1,100})/,
      /Error loading shared library ([^\s:]{1,100})/,
      /(?<![\w.+-])([\w.+-]{1,100}\.so(?:\.\d+)*): (?:cannot open shared object file|No such file)/,
      /\b(ld-(?:linux|musl)[\w.-]{0,40}\.so\.\d+)\b.{0,200}(?:no such file|not found)/i,
      /(?:no such file|not found|failed to open|could not open).{0,200}\b(ld-(?:linux|musl)[\w.-]{0,40}\.so\.\d+)/i,
      /cannot load library ['"]?([\w.+-]{1,100}?)['"]?: .{0,200}cannot open shared object file/i,
      /no library called ["']([\w.+-]{1,100})["'] was found/,
      /valid (ICU) package installed on the system/,
      /No usable version of (?:the )?(libssl) was found/,
      /failed to find (libmagic)\b/,
      // Tools that install browsers list the libraries, one on each line.
      /^[\s║]*(lib[\w.+-]{1,100}\.so(?:\.\d+)*)[\s║]*$/,
    ],
  ],
  [
    'loader',
    [
      // The file exists: a missing loader causes the same message as a missing file.
      /\bspawn (\/(?!(?:usr\/)?(?:local\/)?s?bin\/)\S{1,300}) ENOENT\b/,
      /(?<![^\s:'"])([^\s:'"]{1,300}): cannot execute: required file not found/,
    ],
  ],
  [
    'user',
    [
      /()(?:uv_os_get_passwd returned ENOENT|getpwuid\(\): uid not found|cannot find name for user ID|no matching entries in passwd file)/i,
      /()(?:user: unknown userid \d+|unable to (?:look ?up|find) (?:current )?user|No user exists for uid|I have no name!)/i,
    ],
  ],
  [
    'program',
    [
      /\bspawn ([^\s"']{1,300}) ENOENT\b/,
      /No such file or directory: b?['"]([^'"\s]{1,300})['"]/,
      /exec: "([^"]{1,300})": (?:executable file not found|stat )/,
      /\bBad (git) executable\b/,
      /^(?:[\w./-]{0,100}sh|busybox|env|[\w./-]{1,100}: (?:line )?\d+): (?:(?:line )?\d+: )?([\w.+-]{1,100}): not found\b/,
      /\bcommand not found: ([\w.+-]{1,100})/,
      /(?:^|\s)([\w.+-]{1,100}): command not found\b/,
      /\benv: (?:can't execute )?['‘]?([\w.+-]{1,100})['’]?: No such file or directory/,
      /(?<![\w.+-])([\w.+-]{1,100}): executable file not found in \$PATH/,
      /\[WinError 2\].{0,300}['"]([\w.+-]{1,100})['"]/,
    ],
  ],
];

/** Returns the missing part that a line of output names; undefined for other lines. Pure. */
export function findMissingPart(line: string): MissingPart | undefined {
  if (!HINT_OF_PATTERN.test(line)) return undefined;
  for (const [kind, patterns] of PATTERNS) {
    for (const pattern of patterns) {
      const match = pattern.exec(line)?.[1];
      const name = match === undefined ? undefined : nameOf(kind, match);
      if (name !== undefined) return { kind, names: name === '' ? [] : [name] };
    }
  }
  return undefined;
}

/**
 * Merges the missing parts that two lines of one output name. If their kinds differ, the kind that comes
 * first in `PATTERNS` counts, because a server that reports a missing program often continues.
 */
export function mergeMissingParts(one: MissingPart | undefined, other: MissingPart): MissingPart {
  if (one === undefined || rankOf(other) < rankOf(one)) return other;
  if (one.kind !== other.kind || one.names.length >= MAX_PART_NAMES) return one;
  return { kind: one.kind, names: [...new Set([...one.names, ...other.names])] };
}

function rankOf({ kind }: MissingPart): number {
  return PATTERNS.findIndex(([named]) => named === kind);
}

/** Returns the name to show for a missing part; undefined for a missing file that is not a program. */
function nameOf(kind: MissingPart['kind'], match: string): string | undefined {
  if (kind === 'loader') return match.replace(/^.*\//s, '');
  if (kind === 'library') return match === 'ICU' ? 'libicu' : match;
  if (kind !== 'program') return match;
  // Accept only a path in a standard folder of programs. Any other path is a file of the server, not of the
  // image.
  const name = match.replace(/^(?:\/usr)?(?:\/local)?\/s?bin\//, '');
  return /^[\w.+-]+$/.test(name) &&
    !/\.(?:json|ya?ml|toml|txt|env|js|py|db|sock|log|pem|key|cfg|ini|md)$/i.test(name)
    ? name
    : undefined;
}
