import { type FieldReader, pathOf } from '../../document/field-reader.ts';
import { isJsonObject, type JsonMembers, ownMembers } from '../../document/json-members.ts';
import { findNameFault } from '../../members/exposed-name.ts';
import type { MemberOverride, NameSettings } from '../../members/member.ts';
import { refuseUnknown } from './refuse-unknown.ts';

export const NAME_KEYS = ['tools', 'override', 'prefix'] as const;

/** Reads the settings of a member that decide the names of its tools. */
export function readNames(fields: FieldReader, map: JsonMembers, at: string): NameSettings {
  const tools = hasValue(map, 'tools') ? fields.texts(map, 'tools', at) : undefined;
  const override = hasValue(map, 'override') ? readOverride(fields, map, at) : undefined;
  const prefix = readPrefix(fields, map, at);
  tools?.forEach((tool, index) => {
    if (tool.trim() === '') fields.problem(`${pathOf(at, 'tools')}[${index}]`, tool, 'the name of a tool');
  });
  for (const own of Object.keys(override ?? {})) {
    if (tools === undefined || tools.includes(own)) continue;
    const place = pathOf(pathOf(at, 'override'), own);
    fields.problems.push(`${place}: found a tool that is not in tools; expected a name of that list`);
  }
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(override === undefined ? {} : { override }),
    ...(prefix === undefined ? {} : { prefix }),
  };
}

export function hasValue(map: JsonMembers, key: string): boolean {
  return map[key] !== undefined && map[key] !== null;
}

function readOverride(
  fields: FieldReader,
  map: JsonMembers,
  at: string,
): Readonly<Record<string, MemberOverride>> {
  const place = pathOf(at, 'override');
  const overrides = Object.entries(fields.object(map, 'override', at) ?? {}).map(
    ([own, value]) => [own, readOne(fields, value, pathOf(place, own))] as const,
  );
  return Object.fromEntries(overrides);
}

function readOne(fields: FieldReader, value: unknown, place: string): MemberOverride {
  if (!isJsonObject(value)) {
    fields.problem(place, value, 'a map with name or description');
    return {};
  }
  const map = ownMembers(value);
  const before = fields.problems.length;
  refuseUnknown(fields, map, place, { known: ['name', 'description'] });
  const name = fields.text(map, 'name', place);
  const description = fields.text(map, 'description', place);
  if (name === '' && description === '' && fields.problems.length === before) {
    fields.problem(place, undefined, 'a name or a description');
  }
  const fault = name === '' ? undefined : findNameFault(name);
  if (fault !== undefined)
    fields.problem(pathOf(place, 'name'), name, `a name that clients accept: ${fault}`);
  return { ...(name === '' ? {} : { name }), ...(description === '' ? {} : { description }) };
}

function readPrefix(fields: FieldReader, map: JsonMembers, at: string): string | false | undefined {
  const { prefix } = map;
  if (prefix === undefined || prefix === null) return undefined;
  if (prefix === false) return false;
  if (typeof prefix === 'string' && prefix !== '' && findNameFault(prefix) === undefined) return prefix;
  fields.problem(
    pathOf(at, 'prefix'),
    prefix,
    'false for no prefix, or a text of A-Z, a-z, 0-9, "_", "." and "-"',
  );
  return undefined;
}
