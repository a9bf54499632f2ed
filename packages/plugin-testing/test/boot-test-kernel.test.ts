import type { Entry, Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import { bootTestKernel, FakeClock, readContext } from '../src/index.ts';

describe('bootTestKernel', () => {
  it('boots without any plugin or file', async () => {
    const kernel = await bootTestKernel();
    try {
      expect(kernel.configFile).to.equal(undefined);
      expect(kernel.config.registries).to.deep.equal([
        { name: 'main', sources: ['empty'], claims: {}, public: false, publicClaims: undefined },
      ]);
      expect(kernel.config.database.url).to.equal('sqlite::memory:');
      const entries: unknown[] = [];
      const source = kernel.sources.get('empty')?.instance;
      for await (const entry of source?.readEntries(AbortSignal.timeout(1000), readContext()) ?? [])
        entries.push(entry);
      expect(source).not.to.equal(undefined);
      expect(entries).to.deep.equal([]);
    } finally {
      await kernel.close();
    }
  });

  it('applies the given plugins with their options', async () => {
    const hide: Plugin = {
      name: 'hide',
      apiVersion: 2,
      options: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      apply: ({ hooks }, options) => {
        const { name } = options as { readonly name?: string };
        hooks.filterEntries.tap('hide', (entries) => entries.filter((entry) => entry.name !== name));
      },
    };
    const plain: Plugin = { name: 'plain', apiVersion: 2 };
    const kernel = await bootTestKernel({ plugins: [plain, { plugin: hide, options: { name: 'x/a' } }] });
    try {
      // A filter looks at the name only.
      const entries = ['x/a', 'x/b'].map((name) => ({ name }) as Entry);
      const shown = await kernel.hooks.filterEntries(entries, undefined, 'main');
      expect(shown.map(({ name }) => name)).to.deep.equal(['x/b']);
    } finally {
      await kernel.close();
    }
  });

  it('uses configuration keys and a clock from the test', async () => {
    const { clock, advance } = boundClock();
    const kernel = await bootTestKernel({
      clock,
      config: { server: { address: ':1', internalAddress: 'off' } },
    });
    try {
      expect(kernel.config.server.address).to.equal(':1');
      advance(60_000);
      expect(kernel.clock().toISOString()).to.equal('2026-01-01T00:01:00.000Z');
    } finally {
      await kernel.close();
    }
  });

  it('ignores the environment of the process', async () => {
    process.env['PORTOLAN_SERVER_ADDRESS'] = 'nonsense';
    try {
      const kernel = await bootTestKernel();
      await kernel.close();
      expect(kernel.config.server.address).to.equal('127.0.0.1:0');
    } finally {
      delete process.env['PORTOLAN_SERVER_ADDRESS'];
    }
  });
});

function boundClock() {
  const fake = new FakeClock();
  return { clock: fake.clock, advance: (ms: number) => fake.advance(ms) };
}

describe('FakeClock', () => {
  it('keeps the same time until a test moves the clock', () => {
    const fake = new FakeClock('2026-05-01T00:00:00Z');
    const first = fake.clock();
    expect(fake.clock()).to.deep.equal(first);
    fake.advance(1500);
    expect(fake.clock().getTime() - first.getTime()).to.equal(1500);
    fake.set('2027-01-01T00:00:00Z');
    expect(fake.clock().toISOString()).to.equal('2027-01-01T00:00:00.000Z');
    first.setFullYear(1970);
    expect(fake.clock().getUTCFullYear()).to.equal(2027);
  });
});
