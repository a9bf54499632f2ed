import type { Entry } from '../responses/entry.ts';
import type { Input } from './inputs.ts';
import { isHeader, nameOf, neededInputs, placeholderOf, secretNameOf } from './run-command.ts';

/**
 * Returns the part of a members file that makes an entry a member of a virtual server, in YAML. Undefined if
 * Portolan cannot run the entry. Secrets are those that `runCommands` stores.
 */
export function memberBlock(entry: Entry): string | undefined {
  const inputs = neededInputs(entry);
  if (inputs === undefined) return undefined;
  const of = (isOurs: (input: Input) => boolean): readonly Input[] => inputs.filter(isOurs);
  const named = (some: readonly Input[], valueOf: (input: Input) => string): object =>
    Object.fromEntries(some.map((input) => [input.askedAs, valueOf(input)]));
  const references = of((input) => !isHeader(input) && input.isSecret).map(
    (input) => `${secretNameOf(entry, input)},target=${input.askedAs}`,
  );
  const fields = {
    run: entry.name,
    env: named(
      of((input) => !isHeader(input) && !input.isSecret),
      placeholderOf,
    ),
    secrets: [...new Set(references)],
    forward_headers: named(
      of((input) => isHeader(input) && !input.isSecret),
      placeholderOf,
    ),
    forward_headers_secret: named(
      of((input) => isHeader(input) && input.isSecret),
      (input) => secretNameOf(entry, input),
    ),
  };
  const parts = Object.entries(fields)
    .filter(([, value]) => Object.keys(value).length > 0)
    .map(([key, value]) => `${key}: ${flow(value)}`);
  return `members:\n  ${memberNameOf(entry)}: { ${parts.join(', ')} }`;
}

/** Returns the name of the member, which has a letter. */
function memberNameOf({ name }: Entry): string {
  const short = nameOf(name);
  return /[a-z]/.test(short) ? flow(short) : `server-${short}`;
}

/** Formats a value as YAML in one line. JSON is valid YAML; plain words need no quotes. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${flow(key)}: ${flow(one)}`)
      .join(', ')} }`;
  }
  const text = String(value);
  return /^[A-Za-z][\w./-]*$/.test(text) && !RESERVED.test(text) ? text : JSON.stringify(text);
}

/** Words that YAML reads as something other than text, in any version. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
