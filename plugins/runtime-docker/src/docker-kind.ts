import { homedir, tmpdir } from 'node:os';
import type { RuntimeKind } from '@portolan/plugin-api';
import { dockerConfig } from './docker-config.ts';

/**
 * The kind `docker`. It finds the engine when the runtime is created, from this process's variables and
 * folders, like the engine's own client.
 */
export const dockerRuntime: RuntimeKind<typeof dockerConfig> = {
  kind: 'docker',
  config: dockerConfig,
  async create(config, { logger }) {
    // Loaded on demand, because many commands need no container.
    const { openDockerRuntime } = await import('./open-docker-runtime.ts');
    const { env: environment, platform } = process;
    const surroundings = { environment, platform, home: homedir(), temporaryFolder: tmpdir() };
    const engine = await openDockerRuntime({ config, logger, surroundings });
    // Nothing stays open between two calls.
    return { runs: 'containers', engine, close: () => Promise.resolve() };
  },
};
