/** Challenge of `WWW-Authenticate` (RFC 9110, section 11.6.1). */
export interface Challenge {
  readonly scheme: string;
  /** Parameters by lower-case name. Of duplicates, the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const SCHEME = /[ \t,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?=[ \t,]|$)[ \t]*/y;
const PARAMETER =
  /[ \t,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))[ \t]*(?=,|$)/y;
const TOKEN68 = /[A-Za-z0-9._~+/-]+=*[ \t]*(?=,|$)/y;

const MAX_CHARACTERS = 16 * 1024;

/** Parses challenges in order. A syntax error ends the list. */
export function parseChallenges(header: string | null | undefined): readonly Challenge[] {
  if (header === null || header === undefined || header.length > MAX_CHARACTERS) return [];
  const challenges: Challenge[] = [];
  for (let at = 0; at < header.length; ) {
    const scheme = matchAt(SCHEME, header, at);
    if (scheme === null) break;
    at = SCHEME.lastIndex;
    const parameters = new Map<string, string>();
    for (;;) {
      const match = matchAt(PARAMETER, header, at);
      if (match === null) break;
      at = PARAMETER.lastIndex;
      const [, name = '', quoted, bare = ''] = match;
      const key = name.toLowerCase();
      if (!parameters.has(key))
        parameters.set(key, quoted === undefined ? bare : quoted.replaceAll(/\\(.)/g, '$1'));
    }
    if (parameters.size === 0 && matchAt(TOKEN68, header, at) !== null) at = TOKEN68.lastIndex;
    challenges.push({ scheme: (scheme[1] ?? '').toLowerCase(), parameters });
  }
  return challenges;
}

export function findBearerChallenge(header: string | null | undefined): Challenge['parameters'] | undefined {
  return parseChallenges(header).find(({ scheme }) => scheme === 'bearer' || scheme === 'oauth')?.parameters;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
