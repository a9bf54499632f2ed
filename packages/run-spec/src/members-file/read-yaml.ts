import { type ErrorCode, LineCounter, parseDocument } from 'yaml';

/** Parsed value, or the fault without any quotation of the text, which may be secret. */
export type YamlReading = { readonly value: unknown } | { readonly fault: string };

/** Maximum length of a members file in characters. YAML takes many times the size of its text in memory. */
export const MAX_MEMBERS_FILE_LENGTH = 1024 * 1024;

const SENTENCES: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_INDENT: 'the indentation does not fit the lines around it',
  BAD_SCALAR_START: 'a text that begins with this character needs quotes',
  DUPLICATE_KEY: 'this key is in the same map twice',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing here',
  MULTIPLE_DOCS: 'there is more than one document in it (---)',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'a tab is used as indentation; use spaces',
};

/** Faults of valid JSON, which has tabs as indentation and no tags. */
const OF_JSON: readonly ErrorCode[] = ['DUPLICATE_KEY', 'RESOURCE_EXHAUSTION'];

/** Parses YAML 1.2 or JSON. A key that is in the same map twice is a fault in both. */
export function readYaml(text: string): YamlReading {
  if (text.length > MAX_MEMBERS_FILE_LENGTH) return { fault: 'it is larger than 1 MiB' };
  const clean = text.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  const document = parseDocument(clean, { lineCounter: lines, merge: true, prettyErrors: false });
  const json = asJson(clean);
  const faults = [...document.errors, ...document.warnings]
    .filter(({ code }) => json === undefined || OF_JSON.includes(code))
    .toSorted((a, b) => a.pos[0] - b.pos[0]);
  const [fault] = faults;
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0]);
    return {
      fault: `line ${line}, column ${col}: ${SENTENCES[fault.code] ?? 'this is no valid YAML or JSON'}`,
    };
  }
  if (json !== undefined) return json;
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) };
  } catch {
    return { fault: 'an alias (*) has no anchor (&), or there are too many aliases' };
  }
}

function asJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
