import type { Attachment, ContainerDescription, ContainerEngine, ContainerState } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { ContainerStarter } from '../../src/supervisor/server/container-starter.ts';
import { HttpServer, type HttpServerOptions } from '../../src/supervisor/server/http-server.ts';
import { Lifecycle } from '../../src/supervisor/process/lifecycle.ts';
import type { Supervision } from '../../src/supervisor/supervision.ts';

/** An engine whose containers run until they are removed. Inspections can be slow. */
class EngineOfOne implements Partial<ContainerEngine> {
  readonly #states = new Map<string, PromiseWithResolvers<ContainerState | undefined>>();
  /** Promise that an inspection waits for. */
  shows: Promise<unknown> = Promise.resolve();
  asked = Promise.withResolvers<void>();
  started = 0;

  startNext(): string {
    this.started += 1;
    const id = `c${this.started}`;
    this.#states.set(id, Promise.withResolvers());
    return id;
  }

  exit(id: string): void {
    this.#states.get(id)?.resolve({ status: 'exited', running: false, exitCode: 137 } as ContainerState);
  }

  async waitForExit(id: string, signal?: AbortSignal): Promise<ContainerState | undefined> {
    const stopped = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => stopped.reject(new Error('aborted')));
    return await Promise.race([this.#states.get(id)?.promise, stopped.promise]);
  }

  async inspectContainer(id: string): Promise<ContainerDescription | undefined> {
    this.asked.resolve();
    await this.shows;
    // The code under test reads only the state.
    return this.#states.has(id) ? ({ state: { status: 'exited', running: false } } as never) : undefined;
  }

  async removeContainer(id: string): Promise<void> {
    this.#states.get(id)?.resolve(undefined);
    this.#states.delete(id);
  }

  async stopContainer(): Promise<void> {}
}

describe('HttpServer with a fake engine', () => {
  function open(): {
    readonly server: HttpServer;
    readonly engine: EngineOfOne;
    readonly lifecycle: Lifecycle;
    readonly loseNetwork: () => void;
  } {
    const engine = new EngineOfOne();
    const lifecycle = new Lifecycle();
    let loseNetwork = (): void => undefined;
    const attachment = (): Attachment =>
      // the attachment needs no other part
      ({ stdout: [], stderr: [], close: () => undefined }) as unknown as Attachment;
    // The server uses only these parts.
    const work = {
      config: { name: 'notes' },
      order: { foreground: false },
      lifecycle,
      record: { note: () => undefined },
      output: { line: () => undefined },
      context: {
        clock: () => new Date(),
        logger: createRecordingLogger(),
        hooks: { containerExit: async () => undefined },
      },
    } as unknown as Supervision;
    const starter = {
      parts: {
        engine: {},
        runtime: engine,
        network: { onLost: (listener: () => void) => void (loseNetwork = listener) },
      },
      start: async () => ({ id: engine.startNext(), name: 'notes', attachment: attachment() }),
    } as unknown as ContainerStarter;
    const options = { started: async () => undefined, again: async () => true };
    const server = new HttpServer(work, starter, options as unknown as HttpServerOptions);
    return { server, engine, lifecycle, loseNetwork: () => loseNetwork() };
  }

  it('restarts when the network is lost while it inspects the exited container', async () => {
    const { server, engine, lifecycle, loseNetwork } = open();
    await server.start();
    lifecycle.ready();
    engine.asked = Promise.withResolvers();
    const shown = Promise.withResolvers<void>();
    engine.shows = shown.promise;
    engine.exit('c1');
    await engine.asked.promise;
    loseNetwork();
    shown.resolve();
    await eventually(() => expect(engine.started).to.equal(2), { withinMs: 5000 });
    expect(lifecycle.end).to.equal(undefined);
    await server.close();
  });

  it('ends the workload when the container was removed before the loss of its network', async () => {
    const { server, engine, lifecycle, loseNetwork } = open();
    await server.start();
    lifecycle.ready();
    const removed = engine.removeContainer('c1');
    loseNetwork();
    await removed;
    expect(await lifecycle.ended).to.deep.equal({ how: 'removed', what: 'container' });
    expect(engine.started).to.equal(1);
    await server.close();
  });

  it('ends the workload when another program removes its container', async () => {
    const { server, engine, lifecycle } = open();
    await server.start();
    lifecycle.ready();
    await engine.removeContainer('c1');
    expect(await lifecycle.ended).to.deep.equal({ how: 'removed', what: 'container' });
    await server.close();
  });
});
