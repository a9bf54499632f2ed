import { statfs } from 'node:fs/promises';
import { setTimeout as pass } from 'node:timers/promises';
import { BUILD_LABEL, type BuildImageOptions } from '@portolan/plugin-api';
import { openEvents, untilBroken } from '../container/engine-events.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { engineFault, statusOf } from '../engine/engine-fault.ts';
import { diskFilled, imageTooLarge } from '../errors.ts';
import { removeImage, requireImage } from './image-calls.ts';
import { unlessVanishing } from './unless-vanishing.ts';

/** Interval in milliseconds at which the size of a growing image is measured. */
const MEASURE_MS = 2000;
/**
 * Maximum disk use as a multiple of the image's maximum size. The classic builder stores a step's output
 * twice while it commits the step.
 */
const MAX_DISK_FACTOR = 2;
/**
 * Statuses of the engine for a build step that has ended (409: not running, 500: its control group is gone)
 * or whose container is removed.
 */
const ENDED: ReadonlySet<number | undefined> = new Set([404, 409, 500]);

export interface BuildWatch {
  /** Aborts when the build exceeds a limit, with the error as the reason. */
  readonly exceeded: AbortSignal;
  /** Removes a finished image above its size limit, and throws ERR_IMAGE_BUILD. */
  checkImage(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Enforces the limits of a build, because the classic builder supports only a memory limit. The process limit
 * is set on the container of each step as it starts, and the image is measured while it grows. Without
 * `buildId`, only the finished image is measured. The engine does not count deleted files that a step keeps
 * open, so the free space on the disk of `storageFolder` is a second limit.
 */
export async function watchBuild(
  client: EngineClient,
  {
    buildId,
    reference,
    maxProcesses,
    maxImageBytes,
    storageFolder,
  }: BuildImageOptions & { readonly storageFolder?: string | undefined },
): Promise<BuildWatch> {
  const exceeded = new AbortController();
  const over = new AbortController();
  const filters = { label: [`${BUILD_LABEL}=${buildId}`] };
  const fail = (error: unknown): void => {
    if (!over.signal.aborted) exceeded.abort(error);
  };
  const work: Promise<void>[] = [];
  if (buildId !== undefined && maxProcesses !== undefined) {
    const started = { ...filters, type: ['container'], event: ['start'] };
    // Subscribes before the first step starts.
    const events = await openEvents(client, started, over.signal);
    work.push(limitSteps(client, events, maxProcesses, over.signal).catch(fail));
  }
  if (buildId !== undefined && maxImageBytes !== undefined) {
    work.push(measure(client, reference, filters, maxImageBytes, over.signal).catch(fail));
  }
  if (storageFolder !== undefined && maxImageBytes !== undefined) {
    work.push(watchDisk(storageFolder, reference, MAX_DISK_FACTOR * maxImageBytes, over.signal).catch(fail));
  }
  return {
    exceeded: exceeded.signal,
    async checkImage() {
      if (maxImageBytes === undefined) return;
      const { sizeBytes } = await requireImage(client, reference);
      if (sizeBytes <= maxImageBytes) return;
      await removeImage(client, reference);
      throw imageTooLarge(reference, sizeBytes, maxImageBytes);
    },
    async end() {
      over.abort();
      await Promise.all(work);
    },
  };
}

type Events = Awaited<ReturnType<typeof openEvents>>;
type Filters = Readonly<Record<string, readonly string[]>>;

async function limitSteps(
  client: EngineClient,
  events: Events,
  maxProcesses: number,
  signal: AbortSignal,
): Promise<void> {
  if (events === undefined) return;
  for await (const event of untilBroken(events, signal)) {
    const { id } = event;
    if (typeof id !== 'string') continue;
    try {
      await client.docker.getContainer(id).update({ PidsLimit: maxProcesses });
    } catch (error) {
      if (!ENDED.has(statusOf(error))) throw engineFault(client, 'limit a step of a build', error);
    }
  }
  // Without events, new build steps would have no process limit.
  if (!signal.aborted) throw engineFault(client, 'tell its events', new Error('The connection has ended'));
}

/**
 * Throws ERR_IMAGE_BUILD once the build's largest image and the output of its current step together exceed
 * the limit.
 */
async function measure(
  client: EngineClient,
  reference: string,
  filters: Filters,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pass(MEASURE_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const bytes = await grownBytes(client, JSON.stringify(filters));
    if (bytes > maxBytes) throw imageTooLarge(reference, bytes, maxBytes);
  }
}

/** Throws ERR_IMAGE_BUILD once the disk has lost more free space than `maxBytes` since the call. */
async function watchDisk(
  folder: string,
  reference: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const before = await freeBytes(folder);
  // Stops without a measurement: in a container, Portolan may see the engine's socket but not its storage
  // folder.
  if (before === undefined) return;
  while (!signal.aborted) {
    await pass(MEASURE_MS, undefined, { signal }).catch(() => undefined);
    const free = await freeBytes(folder);
    if (signal.aborted || free === undefined) return;
    if (before - free > maxBytes) throw diskFilled(reference, before - free, maxBytes);
  }
}

/** Returns the free bytes of the folder's disk; undefined when this process cannot see the folder. */
async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bfree, bsize } = await statfs(folder);
    return bfree * bsize;
  } catch {
    return undefined;
  }
}

async function grownBytes(client: EngineClient, filters: string): Promise<number> {
  const images = await client.call('list images', () =>
    unlessVanishing(() => client.docker.listImages({ all: true, filters })),
  );
  const containers = await client.call('list containers', () =>
    client.docker.listContainers({ all: true, size: true, filters }),
  );
  const written = containers.map((one) =>
    'SizeRw' in one && typeof one.SizeRw === 'number' ? one.SizeRw : 0,
  );
  return Math.max(0, ...images.map(({ Size }) => Size)) + written.reduce((sum, bytes) => sum + bytes, 0);
}
