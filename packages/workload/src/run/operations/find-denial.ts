import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Denial, isJsonObject, PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';

const MAX_DENIALS = 1000;

/**
 * Finds the recorded denial of a request by its id, in all workloads of this user. Throws ERR_NAME_UNKNOWN.
 */
export async function findDenial(
  id: string,
  { directories }: Pick<WorkloadContext, 'directories'>,
): Promise<Denial> {
  for (const workload of await namesIn(directories.policies)) {
    const denials = await readDenials(path.join(directories.policies, workload));
    const match = denials.find((denial) => denial.id === id);
    if (match !== undefined) return match;
  }
  throw denialUnknown(id);
}

/** Creates the error for the id of a denial that no workload has recorded, or that was already discarded. */
function denialUnknown(id: string): PortolanError {
  return new PortolanError('ERR_NAME_UNKNOWN', 'absent', `There is no denial with the id ${quote(id)}.`, {
    hint: `Copy the denialId from the response or the audit log. The last ${MAX_DENIALS} denials of each workload are kept until it is removed.`,
  });
}

/** Returns the most recent denials of a workload, oldest first. */
export async function readDenials(folder: string): Promise<readonly Denial[]> {
  const text = await readFile(path.join(folder, 'denials.jsonl'), 'utf8').catch(withoutMissing(''));
  return text.split('\n').flatMap(denialIn).slice(-MAX_DENIALS);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(withoutMissing([]));
}

function withoutMissing<Nothing>(nothing: Nothing): (error: unknown) => Nothing {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return nothing;
    throw error;
  };
}

/** Parses a denial from a line. Ignores a truncated line or other content. */
function denialIn(line: string): readonly Denial[] {
  try {
    const value: unknown = JSON.parse(line);
    // `isDenial` checks only the members that readers use.
    return isDenial(value) ? [value] : [];
  } catch {
    return [];
  }
}

function isDenial(value: unknown): value is Denial {
  if (!isJsonObject(value)) return false;
  const { because, saw, policy } = value;
  const isText = (name: string): boolean => typeof value[name] === 'string';
  return (
    ['id', 'at', 'workload', 'kind', 'asked'].every(isText) &&
    (value['caller'] === undefined || isText('caller')) &&
    Array.isArray(because) &&
    because.every((sentence) => typeof sentence === 'string') &&
    (policy === undefined ||
      (isJsonObject(policy) && typeof policy['place'] === 'string' && typeof policy['text'] === 'string')) &&
    isJsonObject(saw)
  );
}
