import { homedir, tmpdir } from 'node:os';
import type { RuntimeKind } from '@portolan/plugin-api';
import { dockerConfig } from './docker-config.ts';

/**
 * Runtime kind `docker`. Finds the engine from the same environment variables and folders as Docker's client.
 */
export const dockerRuntime: RuntimeKind<typeof dockerConfig> = {
  kind: 'docker',
  config: dockerConfig,
  async create(config, { logger }) {
    // Loaded on demand, because many commands need no container.
    const { openDockerRuntime } = await import('./open-docker-runtime.ts');
    const { env: environment, platform } = process;
    const context = { environment, platform, home: homedir(), temporaryFolder: tmpdir() };
    const engine = await openDockerRuntime({ config, logger, context });
    // No connection stays open between calls, so there is nothing to close.
    return { runs: 'containers', engine, close: () => Promise.resolve() };
  },
};
