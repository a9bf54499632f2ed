import { codePointOf, INVISIBLE } from '@portolan/entry-format';
import type { Difference, DifferenceKind } from './difference.ts';

/** Maximum length of a name in a message, in characters. */
const MAX_NAME = 80;
/** Maximum number of fields in a message. */
const MAX_FIELDS = 3;

const NOUNS: Readonly<Record<DifferenceKind, string>> = {
  tool: 'the tool',
  prompt: 'the prompt',
  template: 'the resource template',
  server: 'the name, version or revisions of the server',
  instructions: 'the instructions of the server',
  capabilities: 'the capabilities of the server',
  package: 'the package',
  image: 'the image',
  signer: 'the signer of the image',
};

const CHANGES: Readonly<Record<Difference['change'], string>> = {
  added: 'new',
  removed: 'gone',
  changed: 'changed',
  unreadable: 'unreadable',
};

/** Returns a difference as a clause, such as `the tool "search" is changed (/description)`. */
export function describeDifference(difference: Difference): string {
  const { kind, name, change, fields, looksLike, fault } = difference;
  const verb = kind === 'instructions' || kind === 'capabilities' ? 'are' : 'is';
  const subject = name === '' ? NOUNS[kind] : `${NOUNS[kind]} ${showName(name)}`;
  const shown = fields
    .slice(0, MAX_FIELDS)
    .map(({ pointer }) => JSON.stringify(showInvisible(pointer)).slice(1, -1));
  const more = fields.length > MAX_FIELDS ? ', …' : '';
  const details = [
    ...(shown.length > 0 && shown[0] !== '' ? [`${shown.join(', ')}${more}`] : []),
    ...(looksLike === undefined ? [] : [`it looks like ${showName(looksLike)}`]),
    ...(fault === undefined ? [] : [fault]),
  ];
  return `${subject} ${verb} ${CHANGES[change]}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
}

/** Returns a name of a server in quotes, short, and with invisible characters as code points. */
function showName(name: string): string {
  const start = name.slice(0, MAX_NAME).toWellFormed();
  return JSON.stringify(showInvisible(start.length < name.length ? `${start}…` : start));
}

function showInvisible(text: string): string {
  return text.toWellFormed().replaceAll(INVISIBLE, (character) => `<${codePointOf(character)}>`);
}
