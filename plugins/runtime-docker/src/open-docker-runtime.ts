import { release } from 'node:os';
import type { Logger, ContainerEngine } from '@portolan/plugin-api';
import { parseDuration } from '@portolan/plugin-api';
import type { DockerConfig } from './docker-config.ts';
import { DockerRuntime } from './docker-runtime.ts';
import type { EngineContext } from './engine/engine-candidates.ts';
import { createEngineClient } from './engine/engine-client.ts';
import { findEngine } from './engine/find-engine.ts';

export interface DockerRuntimeOptions {
  readonly config: DockerConfig;
  readonly logger: Logger;
  readonly context: EngineContext;
}

const MEBIBYTE = 1024 * 1024;

/** Throws ERR_RUNTIME_UNREACHABLE with the locations that were tried, and ERR_RUNTIME_ADDRESS. */
export async function openDockerRuntime(
  options: DockerRuntimeOptions,
  signal?: AbortSignal,
): Promise<ContainerEngine> {
  const { config, logger, context } = options;
  const engine = await findEngine(context, config.host, signal);
  return new DockerRuntime({
    client: await createEngineClient(engine),
    logger,
    context,
    limits: {
      memoryBytes: config.memoryMegabytes * MEBIBYTE,
      cpus: config.cpus,
      processes: config.processes,
      openFiles: config.openFiles,
    },
    stopGraceMs: parseDuration(config.stopGrace),
    kernelRelease: release(),
  });
}
