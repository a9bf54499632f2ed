import { Readable } from 'node:stream';
import type { BuildImageOptions } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { buildFailed, buildNetworkImpossible } from '../errors.ts';
import { removeLeftovers } from './build-leftovers.ts';
import { readImageStream } from './image-stream.ts';
import { parseImageReference } from './image-reference.ts';
import { watchBuild } from './watch-build.ts';
import { stripVTControlCharacters } from 'node:util';

const LONGEST = 160;
/** Matches the classic builder's notes about its own images and containers. */
const OF_BUILDER = /^(?: ---> |Removing intermediate container |Successfully (?:built|tagged) )/;

/**
 * Returns the informative lines of a build's output: without colours and the builder's notes, and with
 * multi-line scripts truncated.
 */
export function readableLines(text: string): readonly string[] {
  return stripVTControlCharacters(text)
    .split(/\r\n|[\r\n]/)
    .filter((line) => line.trim() !== '' && !OF_BUILDER.test(line))
    .map((line) => (/^Step \d+\//.test(line) ? shortened(line) : line));
}

/** Returns the reason why a build failed, without the text of the failed script. */
export function readableReason(reason: string): string {
  const text = stripVTControlCharacters(reason).trim();
  const [, command, outcome] = /^The command '(.*)' (returned a non-zero code: \d+)\.?$/s.exec(text) ?? [];
  if (command === undefined || outcome === undefined) return text.replace(/\.$/, '');
  return `The command '${shortened(command)}' ${outcome}`;
}

function shortened(text: string): string {
  const [first = ''] = text.split('\n');
  return first.length > LONGEST || first !== text ? `${first.slice(0, LONGEST)}…` : text;
}

const SHOWN_LINES = 20;

/**
 * Builds an image with the engine's classic builder, which every engine has and which can use the network of
 * a container. Uses no cache. Removes the build's images and containers that are not part of the finished
 * image; all of them on failure or abort. Throws ERR_IMAGE_BUILD with the last output, and errors of the
 * context.
 */
export async function buildImage(
  client: EngineClient,
  context: AsyncIterable<Uint8Array>,
  options: BuildImageOptions & { readonly podman: boolean; readonly storageFolder?: string | undefined },
): Promise<void> {
  const { reference, signal } = options;
  parseImageReference(reference);
  if (options.podman && options.networkOf !== undefined) throw buildNetworkImpossible(reference);
  const watch = await watchBuild(client, options);
  let finished = false;
  try {
    await run(client, context, {
      ...options,
      signal: AbortSignal.any([watch.exceeded, ...(signal === undefined ? [] : [signal])]),
    });
    await watch.checkImage();
    finished = true;
  } finally {
    await watch.end();
    await removeLeftovers(client, options.buildId, finished ? reference : undefined);
  }
}

async function run(
  client: EngineClient,
  context: AsyncIterable<Uint8Array>,
  options: BuildImageOptions & { readonly podman: boolean },
): Promise<void> {
  const { reference, signal, onProgress } = options;
  const recorded = recordFailure(context);
  const last: string[] = [];
  const follow = async (): Promise<void> => {
    // dockerode declares only the stream's base type
    const stream = await client.docker.buildImage(Readable.from(recorded.chunks), buildQuery(options));
    for await (const line of readImageStream(stream as Readable)) {
      if (line.line === 'failure') throw buildFailed(reference, readableReason(line.reason), last);
      if (line.line !== 'progress' || line.progress.step !== 'output') continue;
      const lines = readableLines(line.progress.text);
      if (lines.length === 0) continue;
      // Forgets the output of earlier steps, which does not explain the failed one.
      if (lines.some((text) => text.startsWith('Step '))) last.length = 0;
      last.push(...lines);
      last.splice(0, last.length - SHOWN_LINES);
      onProgress?.({ step: 'output', text: lines.join('\n') });
    }
  };
  await client.call('build an image', follow, { signal, translate: recorded.failure });
}

function buildQuery(options: BuildImageOptions & { readonly podman: boolean }): object {
  const {
    reference,
    dockerfile,
    buildArguments = {},
    labels = {},
    networkOf,
    memoryBytes,
    signal,
    podman,
  } = options;
  return {
    t: reference,
    dockerfile,
    buildargs: JSON.stringify(buildArguments),
    labels: JSON.stringify(labels),
    nocache: true,
    rm: true,
    forcerm: true,
    ...(networkOf === undefined ? {} : { networkmode: `container:${networkOf}` }),
    ...(memoryBytes === undefined ? {} : { memory: memoryBytes, memswap: memoryBytes }),
    // With this option, Podman creates no intermediate image for each step.
    ...(podman ? { layers: false } : {}),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  };
}

/**
 * Wraps the build context to record its errors. The engine's response would only show a broken connection.
 */
function recordFailure(context: AsyncIterable<Uint8Array>): {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly failure: () => Error | undefined;
} {
  let failure: Error | undefined;
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* context;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }
  return { chunks: read(), failure: () => failure };
}
