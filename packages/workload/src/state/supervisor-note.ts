import { isJsonObject, readJson } from '@portolan/run-spec';
import { readText } from './state-files.ts';
import type { ProcessIdentity } from './process-identity.ts';

/**
 * Formats the content of the supervisor note, a file next to the state that also names the supervisor's
 * process. Portolan reads the note only when the state is damaged or of a later version, in order to find the
 * process.
 */
export function formatSupervisorNote(supervisor: ProcessIdentity): string {
  return `${JSON.stringify(supervisor)}\n`;
}

export async function readSupervisorNote(file: string): Promise<ProcessIdentity | undefined> {
  const text = await readText(file);
  const reading = text === undefined ? undefined : readJson(text);
  const value = reading !== undefined && 'value' in reading ? reading.value : undefined;
  if (!isJsonObject(value)) return undefined;
  const { pid, started } = value;
  return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
}
