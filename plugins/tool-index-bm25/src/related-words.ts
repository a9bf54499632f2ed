import { stemWord } from './stem-word.ts';

/** Words of APIs that users and servers choose differently for the same thing, one group a line. */
const GROUPS = [
  'create add new make insert',
  'delete remove drop erase',
  'update change edit modify set',
  'get show read fetch retrieve view',
  'list show all',
  'search find look query',
  'send post publish',
  'start run launch execute trigger',
  'stop end cancel terminate kill',
  'revert rollback undo reset',
  'append push',
  'email mail',
  'picture image photo screenshot',
  'ticket issue bug',
  'repo repository',
  'org organization',
  'db database',
  'doc document documentation',
  'folder directory',
  'comment note reply',
  'meeting event appointment',
  'user person people member',
  'phone mobile device',
  'website site web page',
  'spreadsheet excel sheet workbook',
  'slide presentation powerpoint',
  'price cost pricing',
  'column field',
  'row record',
  'todo task',
  'history log',
  'diagram chart graph plot',
  'music song',
  'voice speech audio',
  'emoji reaction',
  'app application',
  'info information detail',
];

const MARKS: ReadonlyMap<string, readonly string[]> = markWords();

function markWords(): ReadonlyMap<string, readonly string[]> {
  const marks = new Map<string, readonly string[]>();
  for (const [at, group] of GROUPS.entries()) {
    for (const stem of new Set(group.split(' ').map(stemWord))) {
      marks.set(stem, [...(marks.get(stem) ?? []), `~${at}`]);
    }
  }
  return marks;
}

/** Returns a term for each group of related words that a stem belongs to. No word of a text is such a term. */
export function groupTermsOf(stem: string): readonly string[] {
  return MARKS.get(stem) ?? [];
}

/** Returns whether a term represents a group of related words. */
export function isGroupTerm(term: string): boolean {
  return term.startsWith('~');
}
