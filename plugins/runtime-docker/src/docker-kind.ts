import { homedir, tmpdir } from 'node:os';
import type { RuntimeKind } from '@portolan/plugin-api';
import { dockerConfig } from './docker-config.ts';

/**
 * The kind `docker`. The engine is looked for when the runtime is made, with
 * the variables and folders of this process, as the engine's own client does.
 */
export const dockerRuntime: RuntimeKind<typeof dockerConfig> = {
  kind: 'docker',
  config: dockerConfig,
  async create(config, { logger }) {
    // Nothing of the engine's side is loaded by commands that need no container.
    const { openDockerRuntime } = await import('./open-docker-runtime.ts');
    const { env: environment, platform } = process;
    const surroundings = { environment, platform, home: homedir(), temporaryFolder: tmpdir() };
    const engine = await openDockerRuntime({ config, logger, surroundings });
    // Nothing is held open between two calls.
    return { runs: 'containers', engine, close: () => Promise.resolve() };
  },
};
