import type { ContainerEngine, EngineDescription } from '@portolan/plugin-api';
import { expect } from 'chai';
import { describeAhead, describeEngine } from '../../src/supervisor/describe-engine.ts';
import { preloadSupervision } from '../../src/supervisor/preload-supervision.ts';

/** An engine that is another one each time that it is asked, or is not there; nothing else of it is used. */
function changingEngine(): {
  engine: Pick<ContainerEngine, 'describe'>;
  asked: () => number;
  refuse: (error?: Error) => void;
} {
  let asked = 0;
  let refusal: Error | undefined;
  const describe = async (signal?: AbortSignal): Promise<EngineDescription> => {
    signal?.throwIfAborted();
    asked += 1;
    if (refusal !== undefined) throw refusal;
    return { version: `${asked}` } as EngineDescription;
  };
  return {
    engine: { describe },
    asked: () => asked,
    refuse: (error) => {
      refusal = error;
    },
  };
}

describe('what an engine is, asked for before it is known for which workload', () => {
  const { signal } = new AbortController();
  let now = 0;
  const nowMs = (): number => now;
  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
  });

  it('is asked for once, and used once', async () => {
    const { engine, asked } = changingEngine();
    await describeAhead(engine, nowMs);
    now += 4_999;
    expect(await describeEngine(engine, signal, nowMs)).to.deep.equal({ version: '1' });
    expect(asked()).to.equal(1);
    expect(await describeEngine(engine, signal, nowMs)).to.deep.equal({ version: '2' });
  });

  it('is asked for by a supervisor that has no order yet, which opens the usual transport, too', async () => {
    const { engine, asked } = changingEngine();
    const opened: string[] = [];
    const kinds = {
      openRuntime: async () => ({ runs: 'containers', engine }) as const,
      openTransport: async (name: string) => opened.push(name),
    };
    await preloadSupervision({ kinds });
    expect([opened, asked()]).to.deep.equal([['stdio'], 1]);
    expect(await describeEngine(engine, signal)).to.deep.equal({ version: '1' });
  });

  it('is waited for while the engine has not answered yet', async () => {
    const { engine, asked } = changingEngine();
    void describeAhead(engine, nowMs);
    expect(await describeEngine(engine, signal, nowMs)).to.deep.equal({ version: '1' });
    expect(asked()).to.equal(1);
  });

  it('describeEngine › asks again when the description is five seconds old', async () => {
    const { engine } = changingEngine();
    await describeAhead(engine, nowMs);
    now += 5_000;
    expect(await describeEngine(engine, signal, nowMs)).to.deep.equal({ version: '2' });
  });

  it('is asked for again where nobody answered, and fails where nobody answers now', async () => {
    const { engine, refuse } = changingEngine();
    const away = new Error('no engine');
    refuse(away);
    await describeAhead(engine, nowMs);
    expect(await describeEngine(engine, signal, nowMs).catch((error: unknown) => error)).to.equal(away);
    await describeAhead(engine, nowMs);
    refuse();
    expect(await describeEngine(engine, signal, nowMs)).to.deep.equal({ version: '4' });
  });

  it('is of its own engine', async () => {
    const { engine } = changingEngine();
    const { engine: other } = changingEngine();
    await describeAhead(other, nowMs);
    await describeEngine(other, signal, nowMs);
    await describeAhead(other, nowMs);
    expect(await describeEngine(engine, signal, nowMs)).to.deep.equal({ version: '1' });
    expect(await describeEngine(other, signal, nowMs)).to.deep.equal({ version: '2' });
  });

  it('is not waited for by whoever gives up, however long the engine says nothing', async () => {
    const silent = { describe: () => new Promise<never>(() => undefined) };
    void describeAhead(silent, nowMs);
    const giving = new AbortController();
    const asking = describeEngine(silent, giving.signal, nowMs).catch((caught: unknown) => caught);
    giving.abort(new Error('given up'));
    expect(await asking).to.have.property('message', 'given up');
  });

  it('is nothing for whoever has given up', async () => {
    const { engine } = changingEngine();
    await describeAhead(engine, nowMs);
    const gone = AbortSignal.abort(new Error('given up'));
    const error = await describeEngine(engine, gone, nowMs).catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'given up');
  });
});
