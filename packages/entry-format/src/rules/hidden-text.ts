import { isJsonObject, pathOfMember } from '../json-value.ts';
import type { IssueList } from './issue-list.ts';

/** Text that a model reads and a person does not see. */
export interface HiddenText {
  /** Path such as `packages[0].description`; empty for the value itself. */
  readonly path: string;
  /** Kind and position of the text, without the character itself: `U+200B (invisible), at character 12`. */
  readonly found: string;
}

interface Pattern {
  readonly kind: string;
  readonly expression: RegExp;
}

/**
 * Joiners belong to the spelling of words in these scripts (Unicode Standard 16.0, 23.2), so they are hidden text
 * only next to other letters.
 */
const JOINING =
  '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Mongolian}\\p{Script=Devanagari}' +
  '\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}' +
  '\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{M}';

const PATTERNS: readonly Pattern[] = [
  // oxlint-disable-next-line no-control-regex -- these very characters are looked for
  { kind: 'ANSI sequence', expression: /\x1b[\[\]\(\)#%]|[\x90\x9b\x9d]/v },
  // oxlint-disable-next-line no-control-regex -- as above
  { kind: 'control character', expression: /[\u{0}-\u{8}\u{b}\u{c}\u{e}-\u{1f}\u{7f}-\u{9f}]/v },
  {
    kind: 'invisible',
    expression: new RegExp(
      `[\\u{ad}\\u{34f}\\u{115f}\\u{1160}\\u{17b4}\\u{17b5}\\u{180b}-\\u{180f}\\u{200b}\\u{2060}-\\u{2064}` +
        `\\u{206a}-\\u{206f}\\u{3164}\\u{feff}\\u{ffa0}\\u{fff0}-\\u{fffb}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}]` +
        `|(?<![${JOINING}])[\\u{200c}\\u{200d}]|[\\u{200c}\\u{200d}](?![${JOINING}])`,
      'v',
    ),
  },
  { kind: 'bidirectional', expression: /[\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/v },
  // One after an emoji or an ideograph chooses its form.
  {
    kind: 'variation selector',
    expression:
      /[\u{fe00}-\u{fe0d}]|(?<!\p{Emoji})[\u{fe0e}\u{fe0f}]|(?<!\p{Script=Han})[\u{e0100}-\u{e01ef}]/v,
  },
  { kind: 'tag character', expression: /[\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]/v },
  { kind: 'HTML comment', expression: /<!--/v },
];

const WHITE_SPACE = /[\s\p{Z}]{20,}/gv;
const MAX_SPACES = 80;
const MAX_EMPTY_LINES = 20;

/** Matches texts that need no closer look. */
const PLAIN = /^[ -~\n\r\t]*$/v;

/** Emoji may contain joiners, tags and variation selectors. */
const EMOJI = /\p{RGI_Emoji}/gv;

/** Maximum number of places in one value. */
const MAX_FOUND = 20;

/**
 * Finds text in a JSON value, and in the names of its members, that a person does not see: invisible,
 * bidirectional, tag and control characters, HTML comments, ANSI sequences, and very long runs of white space.
 * Returns at most one finding of each kind for a text, and stops after 20.
 */
export function findHiddenText(value: unknown): readonly HiddenText[] {
  const all: HiddenText[] = [];
  search(value, '', all);
  return all;
}

export function reportHiddenText(document: unknown, issues: IssueList): void {
  for (const { path, found } of findHiddenText(document))
    issues.report('hidden-text', path, `found ${found}; expected only text that a reader sees`);
}

function search(value: unknown, path: string, all: HiddenText[]): void {
  if (all.length >= MAX_FOUND) return;
  if (typeof value === 'string') searchText(value, path, all);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) search(item, pathOfMember(path, index), all);
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      searchText(name, path, all);
      search(member, pathOfMember(path, showCodes(name)), all);
    }
  }
}

function searchText(text: string, path: string, all: HiddenText[]): void {
  const isPlain = PLAIN.test(text);
  if (isPlain && text.length < 20) return;
  // Emoji are replaced by as many visible characters, so that positions stay.
  const looked = isPlain ? text : text.replaceAll(EMOJI, (emoji) => 'x'.repeat(emoji.length));
  for (const { kind, expression } of PATTERNS) {
    const match = expression.exec(looked);
    if (match !== null) all.push({ path, found: `${describe(kind, match[0])}, ${placeOf(match)}` });
  }
  const run = [...looked.matchAll(WHITE_SPACE)].find(({ 0: spaces }) => isLong(spaces));
  if (run !== undefined)
    all.push({ path, found: `${run[0].length} characters of white space, ${placeOf(run)}` });
}

function isLong(spaces: string): boolean {
  const lines = spaces.split(/[\n\r]/v);
  return lines.length > MAX_EMPTY_LINES || lines.some((line) => line.length >= MAX_SPACES);
}

function describe(kind: string, text: string): string {
  return kind === 'HTML comment' ? 'an HTML comment' : `${codeOf(text)} (${kind})`;
}

function placeOf({ index }: RegExpExecArray): string {
  return `at character ${index + 1}`;
}

function showCodes(name: string): string {
  return name.replaceAll(/[^ -~]/gv, (character) => `<${codeOf(character)}>`);
}

function codeOf(text: string): string {
  return `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
