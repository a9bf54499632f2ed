import { randomBytes } from 'node:crypto';
import type { ContainerEngine } from '@portolan/plugin-api';
import { containerNameOf, type RunConfig } from '@portolan/run-spec';
import { workloadLabels } from '../../state/workload-labels.ts';
import type { MissingPart } from '../../supervisor/process/missing-part.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { explainMissing, type OutputCause } from '../explain-output.ts';
import { type ImageSystem, parseImageSystem } from '../system-packages.ts';

/** Timeout for reading the system of an image, in ms. */
const READ_TIMEOUT_MS = 20_000;
const MAX_RELEASE_LENGTH = 16 * 1024;
const MEBIBYTE = 1024 * 1024;

/**
 * Returns the cause when a failed server's output names a missing part of its image. Returns undefined for
 * other output and for remote servers.
 */
export async function explainFailure(
  missing: MissingPart,
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<OutputCause | undefined> {
  if (config.remote_url !== '') return undefined;
  const scheme = /^(?:localhost\/)?portolanlocal\/([^-/]+)-/.exec(config.image)?.[1];
  const isRead = scheme !== undefined && missing.kind !== 'user' && missing.kind !== 'sdk';
  return explainMissing(missing, {
    scheme,
    system: isRead ? await readImageSystem(config, context, signal) : undefined,
  });
}

/**
 * Returns the operating system of the workload's image. Returns undefined when it cannot be read; the hint is
 * then less specific.
 */
async function readImageSystem(
  config: RunConfig,
  { kinds, directories, logger }: WorkloadContext,
  signal: AbortSignal,
): Promise<ImageSystem | undefined> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
  try {
    const runtime = await kinds.openRuntime();
    if (runtime.runs !== 'containers') return undefined;
    const { engine } = runtime;
    const id = await engine.createContainer(
      {
        name: `${containerNameOf(config.name)}-system-${randomBytes(4).toString('hex')}`,
        image: config.image,
        entrypoint: ['cat'],
        command: ['/etc/os-release'],
        environment: {},
        labels: workloadLabels(config, 'session', directories),
        network: { mode: 'none' },
        limits: { memoryBytes: 64 * MEBIBYTE, processes: 16 },
        init: false,
      },
      limited,
    );
    try {
      return parseImageSystem(await readOutput(engine, id, limited));
    } finally {
      await engine.removeContainer(id);
    }
  } catch (error) {
    logger.debug({ err: error }, 'system of the image cannot be read');
    return undefined;
  }
}

async function readOutput(engine: ContainerEngine, id: string, signal: AbortSignal): Promise<string> {
  const attachment = await engine.attachContainer(id, signal);
  try {
    await engine.startContainer(id, signal);
    const [text] = await Promise.all([readText(attachment.stdout), readText(attachment.stderr)]);
    return text;
  } finally {
    attachment.close();
  }
}

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    if (text.length < MAX_RELEASE_LENGTH) text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
