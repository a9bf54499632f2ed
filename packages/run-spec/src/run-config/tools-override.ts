import { PortolanError } from '@portolan/plugin-api';
import { FieldReader, pathOf } from '../document/field-reader.ts';
import { isJsonObject, ownMembers } from '../document/json-members.ts';
import { readJson } from '../document/parse-json.ts';
import type { ToolOverride } from './parts.ts';

const TOP = 'toolsOverride';

/**
 * Parses a tools override, whose keys are the server's names of tools. Throws ERR_SETTING with every problem.
 */
export function parseToolsOverride(text: string, file: string): Readonly<Record<string, ToolOverride>> {
  const reading = readJson(text);
  if ('fault' in reading) throw badToolsOverride(file, [reading.fault]);
  const fields = new FieldReader('');
  const document = fields.map(reading.value, '');
  fields.refuseOthers(document, '', [TOP]);
  const input = document[TOP];
  const map = isJsonObject(input) ? ownMembers(input) : ownMembers({});
  if (Object.keys(map).length === 0)
    fields.problem(TOP, isJsonObject(input) ? undefined : input, 'a map of tools');
  const overrides = Object.entries(map).map(
    ([tool, value]) => [tool, readOverride(fields, tool, value)] as const,
  );
  if (fields.problems.length > 0) throw badToolsOverride(file, fields.problems);
  return Object.fromEntries(overrides);
}

function readOverride(fields: FieldReader, tool: string, value: unknown): ToolOverride {
  const at = pathOf(TOP, tool);
  const before = fields.problems.length;
  const override = fields.map(value, at);
  fields.refuseOthers(override, at, ['name', 'description']);
  const name = fields.text(override, 'name', at);
  const description = fields.text(override, 'description', at);
  const isFaulty = fields.problems.length > before;
  if (!isFaulty && name === '' && description === '')
    fields.problem(at, undefined, 'a name or a description');
  return { ...(name === '' ? {} : { name }), ...(description === '' ? {} : { description }) };
}

/** Creates the error for an invalid tools override, with every problem and its place. */
function badToolsOverride(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_SETTING', 'mistake', `${file} is invalid:${text}`, {
    hint: 'Write {"toolsOverride": {"NAME": {"name": "NEW", "description": "TEXT"}}}, with one or both of the two keys.',
  });
}
