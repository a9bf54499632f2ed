import type { ServerBackend } from '@portolan/plugin-api';
import { createRecordingLogger, type RecordingLogger } from '@portolan/plugin-testing';
import { type OpenProxy, openProxy, type ProxyOptions } from '../../src/index.ts';
import { TestRestarts } from './test-restarts.ts';

/** Options of a proxy; all have defaults. */
export type TestProxyOptions = Partial<Omit<ProxyOptions, 'logger' | 'backend'>>;

export interface ProxyUnderTest {
  readonly proxy: OpenProxy;
  readonly url: URL;
  readonly origin: string;
  readonly logger: RecordingLogger;
}

/** Opens proxies and closes them after each test. */
export class Proxies {
  readonly #open: OpenProxy[] = [];

  async open(backend: ServerBackend, options: TestProxyOptions = {}): Promise<ProxyUnderTest> {
    const logger = createRecordingLogger();
    const proxy = await openProxy({
      backend,
      instance: 'test-instance',
      transport: 'stdio',
      version: '0.0.0',
      clock: () => new Date(),
      restarts: new TestRestarts(),
      logger,
      ...options,
      // Closing does not wait for calls that the test leaves pending.
      limits: { graceMs: 20, ...options.limits },
    });
    this.#open.push(proxy);
    const url = new URL(proxy.url);
    return { proxy, url, origin: url.origin, logger };
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((proxy) => proxy.close()));
  }
}
