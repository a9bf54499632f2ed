import { pointerTo } from '../json-value.ts';
import { codePointOf, INVISIBLE } from './characters.ts';

/** Length of a run of white space from which a run counts as hidden text: it moves the rest out of view. */
const MIN_RUN_LENGTH = 64;
/** Number of line breaks in a run of white space from which the run counts as hidden text. */
const MIN_RUN_LINES = 10;
/** Maximum number of matches to return. A text can have a million of them. */
const MAX_MATCHES = 100;
/** Maximum length of the quotation in a description. */
const MAX_QUOTED = 60;

/** Kinds of hidden text. `invisible` are characters of no other kind. */
export const HIDDEN_TEXT_KINDS = [
  'zero-width',
  'bidirectional',
  'tag',
  'invisible',
  'html-comment',
  'ansi',
  'white-space',
] as const;
export type HiddenTextKind = (typeof HIDDEN_TEXT_KINDS)[number];

/** Hidden text in one string of a definition. */
export interface HiddenText {
  /** JSON pointer (RFC 6901) to the string, or to the member whose name has the hidden text. */
  readonly pointer: string;
  readonly kind: HiddenTextKind;
  /** Description in printable ASCII characters, such as `3 zero-width characters, first U+200B`. */
  readonly description: string;
}

const BIDIRECTIONAL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const ZERO_WIDTH = /[\u200b-\u200d\u2060\ufeff]/u;
const TAG = /[\u{e0000}-\u{e007f}]/u;
/**
 * Matches invisible characters that a visible one needs: joiners and selectors in emoji, the flags of England,
 * Scotland and Wales, the selector of an ideograph's form, and joiners between letters of scripts that use them.
 */
const NEEDED =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)+|\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[\p{Emoji}\p{Extended_Pictographic}][\ufe0e\ufe0f]|\p{Script=Han}[\u{e0100}-\u{e01ef}]|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}])[\u200c\u200d](?=[\p{L}\p{M}\p{P}\s])/gu;
const HTML_COMMENT = /<!--[^]*?(?:-->|$)/g;
const ANSI =
  // oxlint-disable-next-line no-control-regex -- these sequences begin with a control character
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[@-Z\\-_]/g;
const WHITE_SPACE = /[\s\u2800]{10,}/gu;

/**
 * Returns the hidden text in the strings and member names of a definition: what a client sends to the model, and a
 * user does not see. At most 100 matches.
 */
export function findHiddenText(definition: unknown): readonly HiddenText[] {
  const matches: HiddenText[] = [];
  const stack: { readonly pointer: string; readonly value: unknown }[] = [{ pointer: '', value: definition }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { pointer, value } = next;
    if (matches.length >= MAX_MATCHES) break;
    if (typeof value === 'string') matches.push(...findInText(pointer, value));
    if (typeof value !== 'object' || value === null) continue;
    const members = Object.entries(value).map(([name, member]) => {
      const at = pointerTo(pointer, name);
      if (!Array.isArray(value)) matches.push(...findInText(at, name));
      return { pointer: at, value: member };
    });
    for (const member of members.toReversed()) stack.push(member);
  }
  return matches.slice(0, MAX_MATCHES);
}

function findInText(pointer: string, text: string): readonly HiddenText[] {
  if (!/[^ -~]|<!--| {10}/.test(text)) return [];
  const sequences = text.match(ANSI) ?? [];
  const found: [HiddenTextKind, string][] = [
    ...describeCharacters(text.replaceAll(ANSI, '').replaceAll(NEEDED, '')),
    ...(text.match(HTML_COMMENT) ?? []).map((one): [HiddenTextKind, string] => [
      'html-comment',
      `HTML comment ${quote(one)}`,
    ]),
    ...describeGroup('ansi', sequences, 'ANSI sequence', ([first = '']) => quote(first)),
    ...(text.match(WHITE_SPACE) ?? [])
      .filter((run) => run.length >= MIN_RUN_LENGTH || run.split('\n').length > MIN_RUN_LINES)
      .map((run): [HiddenTextKind, string] => [
        'white-space',
        `run of ${run.length} blanks with ${run.split('\n').length - 1} line breaks`,
      ]),
  ];
  return found.map(([kind, description]) => ({ pointer, kind, description }));
}

function describeCharacters(text: string): readonly [HiddenTextKind, string][] {
  const groups = Map.groupBy(text.match(INVISIBLE) ?? [], kindOf);
  return [...groups].flatMap(([kind, characters]) =>
    describeGroup(kind, characters, `${kind} character`, (all) => {
      const hidden = kind === 'tag' ? readTags(all) : '';
      const read = hidden === '' ? '' : `, which read ${quote(hidden)}`;
      return `${codePointOf(all[0] ?? '')}${read}`;
    }),
  );
}

function describeGroup(
  kind: HiddenTextKind,
  parts: readonly string[],
  noun: string,
  describeFirst: (parts: readonly string[]) => string,
): readonly [HiddenTextKind, string][] {
  if (parts.length === 0) return [];
  const count = parts.length === 1 ? `1 ${noun}` : `${parts.length} ${noun}s, first`;
  return [[kind, `${count} ${describeFirst(parts)}`]];
}

function kindOf(character: string): HiddenTextKind {
  if (ZERO_WIDTH.test(character)) return 'zero-width';
  if (BIDIRECTIONAL.test(character)) return 'bidirectional';
  return TAG.test(character) ? 'tag' : 'invisible';
}

/** Returns the ASCII text that tag characters spell. */
function readTags(characters: readonly string[]): string {
  return characters
    .map((character) => String.fromCodePoint((character.codePointAt(0) ?? 0) & 0x7f))
    .filter((character) => character >= ' ' && character <= '~')
    .join('');
}

/** Quotes a text in printable ASCII. */
function quote(text: string): string {
  const start = text.slice(0, MAX_QUOTED);
  const escaped = JSON.stringify(start.length < text.length ? `${start}...` : start);
  return escaped.replaceAll(
    /[^ -~]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
