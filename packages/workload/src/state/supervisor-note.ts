import { readJson } from '../document/parse-json.ts';
import { isJsonObject } from '../document/json-members.ts';
import { readText, removeFile } from './state-files.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { writeAtomically } from './write-atomically.ts';

/**
 * Who supervises a workload, once more in a file beside its state: a state that
 * is damaged, or of a later version, must not leave a process that nobody can
 * find. It counts only then.
 */
export async function writeSupervisorNote(
  file: string,
  supervisor: ProcessIdentity | undefined,
): Promise<void> {
  if (supervisor === undefined) await removeFile(file);
  else await writeAtomically(file, `${JSON.stringify(supervisor)}\n`);
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
