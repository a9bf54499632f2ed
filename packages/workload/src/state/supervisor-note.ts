import { isJsonObject, readJson } from '@portolan/run-spec';
import { readText } from './state-files.ts';
import type { ProcessIdentity } from './process-identity.ts';

/**
 * The text of the file that says once more, beside its state, who supervises a
 * workload: a state that is damaged, or of a later version, must not leave a
 * process that nobody can find. It counts only then.
 */
export function formatSupervisorNote(supervisor: ProcessIdentity): string {
  return `${JSON.stringify(supervisor)}\n`;
}

/** Undefined when there is no such file, or nothing of use in it. */
export async function readSupervisorNote(file: string): Promise<ProcessIdentity | undefined> {
  const text = await readText(file);
  const reading = text === undefined ? undefined : readJson(text);
  const value = reading !== undefined && 'value' in reading ? reading.value : undefined;
  if (!isJsonObject(value)) return undefined;
  const { pid, started } = value;
  return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
}
