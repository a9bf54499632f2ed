import { PortolanError } from '@portolan/plugin-api';
import type { JsonPosition } from './catalogue/json-position.ts';
import { printPlace } from './catalogue/json-position.ts';

const KNOWN_FORMATS =
  'A catalogue is a JSON object with `data.servers`, `data.skills` or `data.plugins` (lists), ' +
  'or with `servers` or `remote_servers` (maps by name).';

export function catalogueEmpty(): PortolanError {
  return new PortolanError(
    'ERR_CATALOGUE_FORMAT',
    'fault',
    'The catalogue is empty; expected a JSON object.',
    { hint: KNOWN_FORMATS },
  );
}

export function catalogueNotJson(place: JsonPosition, actual: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_CATALOGUE_NOT_JSON',
    'fault',
    `The catalogue is not JSON: found ${actual} at ${printPlace(place)}; expected ${expected}.`,
    { hint: 'Check that the whole file arrived, and that it is JSON in UTF-8.' },
  );
}

export function catalogueNestedTooDeep(place: JsonPosition, most: number): PortolanError {
  return new PortolanError(
    'ERR_CATALOGUE_NOT_JSON',
    'fault',
    `The catalogue is nested deeper than ${most} levels at ${printPlace(place)}.`,
    { hint: KNOWN_FORMATS },
  );
}

export function catalogueNotAnObject(actual: string): PortolanError {
  return new PortolanError(
    'ERR_CATALOGUE_FORMAT',
    'fault',
    `The catalogue is ${actual}; expected an object.`,
    { hint: KNOWN_FORMATS },
  );
}

export function catalogueMemberOfWrongType(
  member: string,
  actual: string,
  expected: string,
  place?: JsonPosition,
): PortolanError {
  const where = place === undefined ? '' : ` at ${printPlace(place)}`;
  return new PortolanError(
    'ERR_CATALOGUE_FORMAT',
    'fault',
    `In the catalogue, \`${member}\` is ${actual}${where}; expected ${expected}.`,
    { hint: KNOWN_FORMATS },
  );
}

export function catalogueMemberTwice(member: string, place: JsonPosition): PortolanError {
  return new PortolanError(
    'ERR_CATALOGUE_FORMAT',
    'fault',
    `In the catalogue, \`${member}\` occurs a second time at ${printPlace(place)}; expected it once.`,
    { hint: 'Merge both into one: some readers use only the last.' },
  );
}

export function catalogueOfBothFormats(place: JsonPosition): PortolanError {
  return new PortolanError(
    'ERR_CATALOGUE_FORMAT',
    'fault',
    `The catalogue has maps of the legacy format and, at ${printPlace(place)}, a \`data\` object; expected one format.`,
    { hint: 'Remove the maps `servers` and `remote_servers`, or write `data` before them.' },
  );
}

export function catalogueWithoutLists(): PortolanError {
  return new PortolanError(
    'ERR_CATALOGUE_FORMAT',
    'fault',
    'The document has no list of entries; it is no catalogue.',
    { hint: KNOWN_FORMATS },
  );
}

export function catalogueVersionUnreadable(actual: string): PortolanError {
  return new PortolanError(
    'ERR_CATALOGUE_FORMAT',
    'fault',
    `The catalogue's \`version\` is ${actual}; expected three numbers with dots, such as "1.0.0".`,
    { hint: 'Correct or remove it: `version` is the version of the file format, not of an entry.' },
  );
}
