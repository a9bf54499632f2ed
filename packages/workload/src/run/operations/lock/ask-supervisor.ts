import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { CurrentDefinitions } from '@portolan/lock';
import { ForwardedError } from '../../../forwarded-error.ts';
import {
  type DefinitionsResponse,
  exchangeFolderOf,
  readResponseFile,
  requestNameOf,
  responseNameOf,
} from '../../../state/definitions-exchange.ts';
import { isAlive } from '../../../state/process-identity.ts';
import { watchFolder } from '../../../state/watch-folder.ts';
import { writeAtomically } from '../../../state/write-atomically.ts';
import { definitionsUnreadable } from '../../../supervisor/definitions/definitions-errors.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

/** Maximum milliseconds until the response of a supervisor, which reads the definitions for at most 60 s. */
const MAX_RESPONSE_MS = 75_000;
const SETTLE_MS = 5;
/** Interval in milliseconds between two checks whether the supervisor is alive. */
const LOOK_MS = 500;

/**
 * Requests the definitions from the supervisor of a running workload, by files in the private folder of the workload.
 * Always removes the files. Returns undefined if the supervisor ends before it responds. Throws
 * ERR_DEFINITIONS_UNREADABLE if it does not respond in time, and the errors of `readDefinitions`.
 */
export async function askSupervisor(
  name: string,
  context: Pick<WorkloadContext, 'directories' | 'store'>,
  signal: AbortSignal,
  maxMs: number = MAX_RESPONSE_MS,
): Promise<CurrentDefinitions | undefined> {
  const folder = exchangeFolderOf(name, context.directories);
  const id = randomBytes(16).toString('hex');
  const request = path.join(folder, requestNameOf(id));
  const response = path.join(folder, responseNameOf(id));
  try {
    await writeAtomically(request, '{}\n');
    const received = await waitForResponse({ name, response, maxMs }, context, signal);
    if (received === undefined) return undefined;
    if ('definitions' in received) return received.definitions;
    const { message, hint, ...error } = received.error;
    throw new ForwardedError(error, message, hint === undefined ? {} : { hint });
  } finally {
    await rm(request, { force: true });
    await rm(response, { force: true });
  }
}

interface Waiting {
  readonly name: string;
  /** Path of the response file. */
  readonly response: string;
  readonly maxMs: number;
}

async function waitForResponse(
  { name, response, maxMs }: Waiting,
  { store }: Pick<WorkloadContext, 'store'>,
  signal: AbortSignal,
): Promise<DefinitionsResponse | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<DefinitionsResponse | undefined>();
  let isLooking = false;
  const look = async (): Promise<void> => {
    // A supervisor may write its response and end between the two checks, so look for the response last.
    const supervisor = (await store.find(name))?.supervisor;
    const isGone = supervisor === undefined || !(await isAlive(supervisor));
    const received = await readResponseFile(response);
    if (received !== undefined || isGone) resolve(received);
  };
  const lookOnce = (): void => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(reject)
      .finally(() => {
        isLooking = false;
      });
  };
  const watch = watchFolder({
    folder: path.dirname(response),
    isWatched: (file) => file === path.basename(response),
    changed: lookOnce,
    settleMs: SETTLE_MS,
  });
  const timer = setInterval(lookOnce, LOOK_MS);
  const why = `its supervisor did not respond within ${maxMs / 1000} s`;
  const late = setTimeout(() => reject(definitionsUnreadable(name, why)), maxMs);
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  lookOnce();
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', leave);
    clearTimeout(late);
    clearInterval(timer);
    watch.close();
  }
}
