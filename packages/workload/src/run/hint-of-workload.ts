import type { PortolanError } from '@portolan/plugin-api';
import { flagRow, RUN_FLAG_NAMES } from '@portolan/run-spec';
import { ForwardedError } from '../forwarded-error.ts';

/** Matches the parts of a hint that may need replacement: a quoted command, or a flag with its value. */
const PARTS =
  /`[^`]*`|(?:Run (?:it|the server) without )?--([a-z][a-z-]*)(=\S*[^\s.,;:)])?( [A-Z][\w-]*(?:[=,:][\w-]+)*|(?<=proxy-mode) streamable-http)?/g;

/** Flags of `portolan run` that `portolan change` does not support. */
const NOT_CHANGED: readonly string[] = ['name', 'group'];

/**
 * Replaces flags of `portolan run` in an error's hint by the equivalent `portolan change` commands for this
 * workload.
 */
export function hintForWorkload(name: string, error: PortolanError): PortolanError {
  const { message, hint, cause } = error;
  if (hint === undefined) return error;
  const text = hint.replaceAll(PARTS, (part, flag: string | undefined, joined = '', value = '') => {
    const row = RUN_FLAG_NAMES.map((one) => flagRow(one)).find((one) => one.flag === flag);
    if (row === undefined || NOT_CHANGED.includes(row.flag)) return part;
    if (part.startsWith('Run ')) return `Run \`portolan change ${name} --unset ${row.flag}\``;
    const shown = row.is === 'truth' ? joined : joined || value || ` ${row.helpValue ?? 'VALUE'}`;
    return `\`portolan change ${name} --${row.flag}${shown}\``;
  });
  if (text === hint) return error;
  const exitStatus = error instanceof ForwardedError ? error.exitStatus : undefined;
  return new ForwardedError(error, message, { hint: text, cause, exitStatus });
}
