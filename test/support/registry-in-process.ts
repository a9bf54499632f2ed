import { createRecordingLogger } from '@portolan/plugin-testing';
import { type RunningRegistry, serveRegistry } from '@portolan/registry-server';
import { describeEntryDemands } from '@portolan/run-spec/entries';
import { SHIPPED_FROM, SHIPPED_KINDS } from '../../packages/cli/src/context/shipped-plugins.ts';
import { CountingRegistry, type Json } from './counting-registry.ts';

/**
 * Registry server like that of `portolan serve`, in this process, on a free port of loopback, with a database
 * in memory.
 */
export class RegistryInProcess extends CountingRegistry {
  readonly #running: RunningRegistry;

  private constructor(running: RunningRegistry, token: string | undefined) {
    super(running.server.publicUrl, token);
    this.#running = running;
  }

  /** Requests of this object send `token`. */
  static async start(config: Json, token?: string): Promise<RegistryInProcess> {
    const value = {
      auth: { mode: 'anonymous' },
      database: { url: 'sqlite::memory:' },
      ...config,
      // The port belongs to the settings of `server`: the default port may be in use.
      server: { address: '127.0.0.1:0', internalAddress: 'off', ...Object(config['server']) },
    };
    const running = await serveRegistry({
      boot: {
        config: { value, directory: import.meta.dirname },
        environment: {},
        shipped: SHIPPED_KINDS,
        shippedFrom: SHIPPED_FROM,
        logger: createRecordingLogger(),
      },
      version: { version: '0.0.0-test' },
      describeDemands: async (document) => describeEntryDemands(document),
    });
    return new RegistryInProcess(running, token);
  }

  async stop(): Promise<void> {
    await this.#running.stop();
  }
}
