import { type FieldReader, pathOf } from '../../document/field-reader.ts';
import type { JsonMembers } from '../../document/json-members.ts';
import {
  MEMBER_FIELDS,
  type MemberField,
  REMOTE_AUTH_FIELDS,
  TOKEN_EXCHANGE_FIELDS,
} from '../../members/member-fields.ts';
import { type Member, MEMBER_CREDENTIALS } from '../../members/member.ts';
import { findPassedHeaderFault } from '../../members/pass-headers.ts';
import { isDuration } from '../../parse/duration.ts';
import { findSecretReference } from '../../parse/secret-reference.ts';
import { textOf } from '../../parse/text-of.ts';
import { unreachable } from '../../parse/unreachable.ts';
import type { PathContext } from '../../parse/volume.ts';
import { checkField } from '../checks/check-fields.ts';
import type { FieldName } from '../checks/field-checks.ts';
import { isCredentialHeader } from '../lift-secrets.ts';
import { hasValue } from './read-names.ts';
import { refuseUnknown } from './refuse-unknown.ts';

/** Settings of a member's server that are maps of their own. */
export const SERVER_PARTS: readonly string[] = ['remote_auth', 'token_exchange'];

interface ServerReading {
  readonly fields: FieldReader;
  readonly context: PathContext | undefined;
}

type Row = Omit<MemberField, 'of'>;

/** Reads the settings of a member's server, its credentials, and the headers that it gets. */
export function readServer(reading: ServerReading, map: JsonMembers, at: string): Member {
  const { fields } = reading;
  const remoteAuth = readPart(reading, map, at, { key: 'remote_auth', table: REMOTE_AUTH_FIELDS });
  const exchange = readPart(reading, map, at, { key: 'token_exchange', table: TOKEN_EXCHANGE_FIELDS });
  const credentials = fields.text(map, 'credentials', at);
  const known = MEMBER_CREDENTIALS.find((one) => one === credentials);
  if (credentials !== '' && known === undefined) {
    fields.problem(pathOf(at, 'credentials'), credentials, `one of ${MEMBER_CREDENTIALS.join(', ')}`);
  }
  refuseClearHeaders(fields, map, at);
  const timeout = readTimeout(fields, map, at);
  const passed = hasValue(map, 'pass_headers') ? fields.texts(map, 'pass_headers', at) : undefined;
  passed?.forEach((header, index) => {
    const fault = findPassedHeaderFault(header);
    if (fault === undefined) return;
    const place = `${pathOf(at, 'pass_headers')}[${index}]`;
    fields.problems.push(`${place}: ${JSON.stringify(header.slice(0, 60))} is not passed: ${fault}`);
  });
  return {
    ...readRows(reading, map, at, MEMBER_FIELDS),
    ...(remoteAuth === undefined ? {} : { remote_auth: remoteAuth }),
    ...(exchange === undefined ? {} : { token_exchange: exchange }),
    ...(known === undefined ? {} : { credentials: known }),
    ...(passed === undefined ? {} : { pass_headers: passed }),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

function readTimeout(fields: FieldReader, map: JsonMembers, at: string): string | undefined {
  if (!hasValue(map, 'timeout')) return undefined;
  const text = fields.text(map, 'timeout', at);
  if (text !== '' && !isDuration(text)) fields.problem(pathOf(at, 'timeout'), text, 'a duration such as 30s');
  return text;
}

function readPart(
  reading: ServerReading,
  map: JsonMembers,
  at: string,
  { key, table }: { readonly key: string; readonly table: Readonly<Record<string, Row>> },
): object | undefined {
  const part = reading.fields.object(map, key, at);
  if (part === undefined) return undefined;
  const place = pathOf(at, key);
  refuseUnknown(reading.fields, part, place, { known: Object.keys(table) });
  return readRows(reading, part, place, table);
}

function readRows(
  reading: ServerReading,
  map: JsonMembers,
  at: string,
  table: Readonly<Record<string, Row>>,
): object {
  const values = Object.entries(table).flatMap(([key, row]) => {
    if (!hasValue(map, key)) return [];
    const before = reading.fields.problems.length;
    const value = readValue(reading.fields, map, key, at, row.is);
    const isRead = reading.fields.problems.length === before;
    return [[key, isRead ? checkValue(reading, row, value, pathOf(at, key)) : value] as const];
  });
  return Object.fromEntries(values);
}

function readValue(fields: FieldReader, map: JsonMembers, key: string, at: string, is: Row['is']): unknown {
  switch (is) {
    case 'text':
    case 'duration':
    case 'reference':
      return fields.text(map, key, at);
    case 'integer':
      return fields.integer(map, key, at);
    case 'truth':
      return fields.truth(map, key, at);
    case 'texts':
      return fields.texts(map, key, at);
    case 'text-map':
      // Null prototypes of `textMap` would differ from the members that other parsers make.
      return { ...fields.textMap(map, key, at) };
    default:
      return unreachable(is);
  }
}

/** Checks a value as `run` and a run config do, and returns its stored form. */
function checkValue({ fields, context }: ServerReading, row: Row, value: unknown, place: string): unknown {
  if (row.is === 'reference') {
    if (findSecretReference(String(value)) !== undefined) return value;
    fields.problems.push(`${place}: found no reference to a secret; expected NAME,target=TARGET`);
    return value;
  }
  if (row.is === 'duration') {
    if (!isDuration(String(value))) fields.problem(place, value, 'a duration such as 30s');
    return value;
  }
  try {
    return checkField(row.field as FieldName, value, place, context);
  } catch (error) {
    fields.problems.push(textOf(error));
    return value;
  }
}

/** Refuses headers with credentials in plain text: no run config or members file holds a secret. */
function refuseClearHeaders(fields: FieldReader, map: JsonMembers, at: string): void {
  const headers = map['forward_headers'];
  if (typeof headers !== 'object' || headers === null) return;
  for (const header of Object.keys(headers).filter(isCredentialHeader)) {
    const place = pathOf(pathOf(at, 'forward_headers'), header);
    fields.problems.push(
      `${place}: found a credential in plain text; expected the name of its secret in forward_headers_secret`,
    );
  }
}
