import { type OpenProxy, openProxy, PROXY_LIMITS, type ProxyOptions } from '@portolan/proxy';
import { createRecordingLogger, type RecordingLogger } from '@portolan/plugin-testing';
import type { ToolIndex } from '@portolan/plugin-api';
import { type MemberSource, openVirtualServer, type VirtualServer } from '../../src/index.ts';
import type { SearchSettings } from '../../src/options.ts';

export interface VirtualServerUnderTest {
  readonly server: VirtualServer;
  readonly proxy: OpenProxy;
  readonly url: URL;
  readonly logger: RecordingLogger;
}

export interface VirtualServerTestOptions extends Partial<Omit<ProxyOptions, 'logger' | 'backend'>> {
  readonly search?: Partial<SearchSettings>;
  readonly toolIndex?: ToolIndex;
}

/** Restarts of fake members need no delay. */
const NO_PACE = {
  failed: () => undefined,
  succeeded: () => undefined,
  isFailing: false,
  delayMs: 0,
  pause: () => Promise.resolve(),
};

/** Opens virtual servers behind real proxies, and closes them after each test. */
export class VirtualServers {
  readonly #open: VirtualServerUnderTest[] = [];

  async open(
    members: readonly MemberSource[],
    { search, toolIndex, middleware = [], limits, ...options }: VirtualServerTestOptions = {},
  ): Promise<VirtualServerUnderTest> {
    const logger = createRecordingLogger();
    const all = { ...PROXY_LIMITS, graceMs: 20, ...limits };
    const clock = (): Date => new Date();
    const server = openVirtualServer({
      name: 'desk',
      members,
      search: { mode: 'off', aboveTokens: 8000, always: [], ...search },
      toolIndex,
      version: '0.0.0',
      limits: all,
      logger,
      clock,
    });
    server.usePolicies(middleware);
    const proxy = await openProxy({
      backend: server.backend,
      instance: 'test-instance',
      transport: 'virtual',
      version: '0.0.0',
      clock,
      restarts: NO_PACE,
      logger,
      middleware: [server.middleware, ...middleware],
      limits: all,
      ...options,
    });
    const opened = { server, proxy, url: new URL(proxy.url), logger };
    this.#open.push(opened);
    return opened;
  }

  async close(): Promise<void> {
    for (const { proxy, server } of this.#open.splice(0)) {
      await proxy.close();
      await server.close();
    }
  }
}
