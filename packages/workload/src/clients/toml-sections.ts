/** Section of a TOML text: a `[table]` or `[[table]]` with its statements. The first section has no header. */
export interface TomlSection {
  readonly path: readonly string[];
  readonly isItem: boolean;
  readonly at: number;
  readonly end: number;
  readonly body: number;
  readonly statements: readonly TomlStatement[];
}

export interface TomlStatement {
  /** Key of a statement as written, with quotes. */
  readonly key: string;
  readonly at: number;
  readonly valueAt: number;
  readonly valueEnd: number;
  readonly end: number;
}

const HEAD =
  /[^\S\n]*(?<open>\[\[?)(?<path>(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\]"'\n])*)\]\]?[^\n]*(?:\n|$)/y;

/** Splits a valid TOML text into sections (TOML 1.0, sections 2 to 15). */
export function readTomlSections(text: string): readonly TomlSection[] {
  const sections: (Omit<TomlSection, 'statements' | 'end'> & { end: number; statements: TomlStatement[] })[] =
    [{ path: [], isItem: false, at: 0, body: 0, end: 0, statements: [] }];
  for (let at = 0; at < text.length; ) {
    const blank = match(/[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y, text, at);
    if (blank !== undefined) {
      at += Math.max(1, blank[0].length);
      continue;
    }
    const head = match(HEAD, text, at);
    if (head !== undefined) {
      const end = at + head[0].length;
      const { open = '', path = '' } = head.groups ?? {};
      sections.push({ path: parseTomlPath(path), isItem: open === '[[', at, body: end, end, statements: [] });
      at = end;
      continue;
    }
    const statement = readStatement(text, at);
    const section = sections.at(-1);
    section?.statements.push(statement);
    if (section !== undefined) section.end = statement.end;
    at = statement.end;
  }
  return sections;
}

/** Splits a key such as `a."b c".'d'` into its parts. */
export function parseTomlPath(text: string): readonly string[] {
  return [...text.matchAll(/"(?<basic>(?:[^"\\]|\\.)*)"|'(?<literal>[^']*)'|(?<bare>[A-Za-z0-9_-]+)/g)].map(
    ({ groups: { basic, literal, bare } = {} }) =>
      basic === undefined ? (literal ?? bare ?? '') : unescape(basic),
  );
}

function unescape(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    // The text contains a TOML escape that JSON lacks. It cannot be a workload's name, which needs no escape.
    return text;
  }
}

function readStatement(text: string, at: number): TomlStatement {
  const key = match(/(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^="'\n])*/y, text, at)?.[0] ?? '';
  const equals = at + key.length;
  const valueAt = equals + 1 + (match(/[^\S\n]*/y, text, equals + 1)?.[0].length ?? 0);
  const valueEnd = endOfValue(text, valueAt);
  const rest = match(/[^\n]*(?:\n|$)/y, text, valueEnd)?.[0] ?? '';
  return { key: key.trim(), at, valueAt, valueEnd, end: Math.max(at + 1, valueEnd + rest.length) };
}

const PIECES = [
  /"""(?:[^\\]|\\[\s\S])*?"""(?!")"{0,2}/y,
  /'''[\s\S]*?'''(?!')'{0,2}/y,
  /"(?:[^"\\\n]|\\.)*"/y,
  /'[^'\n]*'/y,
] as const;

function endOfValue(text: string, start: number): number {
  let [at, depth, end] = [start, 0, start];
  while (at < text.length) {
    const piece = PIECES.map((pattern) => match(pattern, text, at)).find((one) => one !== undefined);
    if (piece !== undefined) {
      at += piece[0].length;
      end = at;
      continue;
    }
    const sign = text[at] ?? '';
    if (sign === '#') {
      at += match(/[^\n]*/y, text, at)?.[0].length ?? 0;
      if (depth === 0) return end;
      continue;
    }
    if (sign === '\n' && depth === 0) return end;
    if ('[{'.includes(sign)) depth += 1;
    if (']}'.includes(sign)) depth -= 1;
    at += 1;
    if (!/\s/.test(sign)) end = at;
  }
  return end;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
