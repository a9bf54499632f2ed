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
  const clock = (): Date => new Date(now);
  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
  });

  it('is asked for once, and used once', async () => {
    const { engine, asked } = changingEngine();
    await describeAhead(engine, clock);
    now += 4_999;
    expect(await describeEngine(engine, clock, signal)).to.deep.equal({ version: '1' });
    expect(asked()).to.equal(1);
    expect(await describeEngine(engine, clock, signal)).to.deep.equal({ version: '2' });
  });

  it('is asked for by a supervisor that has no order yet, which opens the usual transport, too', async () => {
    const { engine, asked } = changingEngine();
    const opened: string[] = [];
    const kinds = {
      openRuntime: async () => ({ runs: 'containers', engine }) as const,
      openTransport: async (name: string) => opened.push(name),
    };
    await preloadSupervision({ kinds, clock });
    expect([opened, asked()]).to.deep.equal([['stdio'], 1]);
    expect(await describeEngine(engine, clock, signal)).to.deep.equal({ version: '1' });
  });

  it('is waited for while the engine has not answered yet', async () => {
    const { engine, asked } = changingEngine();
    void describeAhead(engine, clock);
    expect(await describeEngine(engine, clock, signal)).to.deep.equal({ version: '1' });
    expect(asked()).to.equal(1);
  });

  for (const [what, byMs] of [
    ['it is old', 5_000],
    ['the clock has been put back', -1],
  ] as const) {
    it(`is asked for again where ${what}`, async () => {
      const { engine } = changingEngine();
      await describeAhead(engine, clock);
      now += byMs;
      expect(await describeEngine(engine, clock, signal)).to.deep.equal({ version: '2' });
    });
  }

  it('is asked for again where nobody answered, and fails where nobody answers now', async () => {
    const { engine, refuse } = changingEngine();
    const away = new Error('no engine');
    refuse(away);
    await describeAhead(engine, clock);
    expect(await describeEngine(engine, clock, signal).catch((error: unknown) => error)).to.equal(away);
    await describeAhead(engine, clock);
    refuse();
    expect(await describeEngine(engine, clock, signal)).to.deep.equal({ version: '4' });
  });

  it('is of its own engine', async () => {
    const { engine } = changingEngine();
    const { engine: other } = changingEngine();
    await describeAhead(other, clock);
    await describeEngine(other, clock, signal);
    await describeAhead(other, clock);
    expect(await describeEngine(engine, clock, signal)).to.deep.equal({ version: '1' });
    expect(await describeEngine(other, clock, signal)).to.deep.equal({ version: '2' });
  });

  it('is not waited for by whoever gives up, however long the engine says nothing', async () => {
    const silent = { describe: () => new Promise<never>(() => undefined) };
    void describeAhead(silent, clock);
    const giving = new AbortController();
    const asking = describeEngine(silent, clock, giving.signal).catch((caught: unknown) => caught);
    giving.abort(new Error('given up'));
    expect(await asking).to.have.property('message', 'given up');
  });

  it('is nothing for whoever has given up', async () => {
    const { engine } = changingEngine();
    await describeAhead(engine, clock);
    const gone = AbortSignal.abort(new Error('given up'));
    const error = await describeEngine(engine, clock, gone).catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'given up');
  });
});
