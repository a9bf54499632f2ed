import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { INVISIBLE } from '@portolan/entry-format';
import type { LockedItem, LockedWorkload, LockFile } from './lock-file.ts';

/**
 * Comments between the workloads. Git reports a conflict when two branches add lines at one place. The comments
 * make that rare: names with different first letters are at different places.
 */
const LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'.split('');

const HEADER = `# Definitions that a user approved. Commands of Portolan write this file.
# The letters keep git from a conflict when two branches add workloads.
`;

type Value = string | undefined | readonly string[] | readonly Entry[];
type Entry = readonly [string, Value];

/** Returns the text of a lock file. Equal lock files have equal texts. `contents` is the folder of the contents. */
export function formatLockFile({ version, formula, workloads }: LockFile, contents: string): string {
  const names = [...workloads.keys()].toSorted(compareTexts);
  const blocks = ['', ...LETTERS].map((letter) => {
    const own = names.filter((name) => letterOf(name) === letter);
    const texts = own.map((name) => formatWorkload(name, workloads.get(name)));
    return `${letter === '' ? '' : `  # ${letter}\n`}${texts.join('')}`;
  });
  const head = `version: ${version}\nformula: ${formula}\nworkloads:\n`;
  return `${HEADER}${head}${blocks.join('')}contents: ${contents}\n`;
}

function letterOf(name: string): string {
  const first = name.slice(0, 1).toLowerCase();
  return LETTERS.includes(first) ? first : '';
}

function formatWorkload(name: string, workload: LockedWorkload | undefined): string {
  if (workload === undefined) return '';
  const { source, resolved, entry, signer, server, profile, tools, prompts, templates } = workload;
  const members = blockMap([
    ['source', source],
    [
      'resolved',
      resolved === undefined
        ? undefined
        : entriesOf(resolved, ['package', 'version', 'integrity', 'image', 'digest']),
    ],
    ['entry', entry === undefined ? undefined : entriesOf(entry, ['registry', 'name', 'version', 'digest'])],
    ['signer', signer === undefined ? undefined : entriesOf(signer, ['issuer', 'identity'])],
    [
      'server',
      [
        ['name', server.name],
        ['version', server.version],
        ['revisions', server.revisions.toSorted(compareTexts)],
        ['capabilities', server.capabilities],
        ['instructions', server.instructions],
      ],
    ],
    ['profile', profile],
  ]);
  for (const [key, items] of Object.entries({ tools, prompts, templates }))
    members.items.push(new Pair(scalar(key), formatItems(items)));
  const root = new YAMLMap();
  root.items.push(new Pair(scalar(name), members));
  const text = new Document(root).toString({
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    lineWidth: 0,
  });
  return escapeInvisible(text).replaceAll(/^(?=.)/gm, '  ');
}

function formatItems(items: ReadonlyMap<string, LockedItem>): YAMLMap {
  const map = new YAMLMap();
  for (const name of [...items.keys()].toSorted(compareTexts)) {
    const item = items.get(name);
    if (item !== undefined)
      map.items.push(new Pair(scalar(name), flowMap(entriesOf(item, ['digest', 'approved', 'by']))));
  }
  map.flow = map.items.length === 0;
  return map;
}

function entriesOf(record: object, keys: readonly string[]): readonly Entry[] {
  // SAFETY: the members of locked parts are texts.
  return keys.map((key) => [key, (record as Readonly<Record<string, string | undefined>>)[key]]);
}

function blockMap(entries: readonly Entry[]): YAMLMap {
  const map = new YAMLMap();
  for (const [key, value] of entries)
    if (value !== undefined) map.items.push(new Pair(scalar(key), nodeOf(value)));
  return map;
}

function flowMap(entries: readonly Entry[]): YAMLMap {
  const map = blockMap(entries);
  map.flow = true;
  return map;
}

function nodeOf(value: Exclude<Value, undefined>): Scalar | YAMLMap | YAMLSeq {
  if (typeof value === 'string') return scalar(value);
  if (value.every((one) => typeof one === 'string')) {
    const list = new YAMLSeq();
    list.items.push(...value.map(scalar));
    list.flow = true;
    return list;
  }
  return flowMap(value);
}

function scalar(text: string): Scalar {
  const node = new Scalar(text);
  // Single quotes would keep a tab as it is.
  if (hasInvisible(text) || text.includes('\t') || !text.isWellFormed()) node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) >= 0;
}

/** Writes invisible characters as escapes. Only texts in double quotes have such characters. */
function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? String.raw`\U${code.padStart(8, '0')}` : String.raw`\u${code.padStart(4, '0')}`;
  });
}

/** Compares texts by code unit, which does not depend on the language of the machine. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
