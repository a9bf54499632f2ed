import { type JsonMembers, FieldReader, isJsonObject, ownMembers, readJson } from '@portolan/run-spec';
import { groupDamaged } from './group-errors.ts';

export interface Group {
  readonly name: string;
  readonly registeredClients: readonly string[];
}

export interface GroupDocument {
  readonly group: Group;
  /** All members of the file, including unknown ones. */
  readonly members: JsonMembers;
}

/** Parses a group file. Throws ERR_STATE_DAMAGED. */
export function parseGroupFile(text: string, file: string, name: string): GroupDocument {
  const reading = readJson(text);
  if ('fault' in reading) throw groupDamaged(file, reading.fault);
  if (!isJsonObject(reading.value)) throw groupDamaged(file, 'it is not a map');
  const fields = new FieldReader('');
  const members = ownMembers(reading.value);
  const match = fields.text(members, 'name');
  const registeredClients = fields.texts(members, 'registered_clients');
  if (match !== '' && match !== name) fields.problems.push(`name: found another name; expected ${name}`);
  if (fields.problems.length > 0) throw groupDamaged(file, fields.problems.join('; '));
  return { group: { name, registeredClients }, members };
}

export function formatGroupFile({ name, registeredClients }: Group, members: JsonMembers): string {
  const document = { ...members, name, registered_clients: registeredClients };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
