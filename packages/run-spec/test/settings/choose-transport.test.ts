import { expect } from 'chai';
import {
  chooseProxyMode,
  chooseTargetPort,
  chooseTransport,
  type TransportFacts,
} from '../../src/settings/choose-transport.ts';
import { caught } from '../../../../test/support/caught.ts';

const transports = new Map([
  ['stdio', 'messages'],
  ['sse', 'http'],
  ['streamable-http', 'http'],
  ['echoes', 'messages'],
] as const);
const facts = (more: Partial<TransportFacts>): TransportFacts => ({
  target: 'image',
  transports,
  flag: undefined,
  registry: undefined,
  targetPortFlag: undefined,
  targetPathFlag: undefined,
  exposedPorts: [],
  url: undefined,
  ...more,
});
const url = (text: string): Partial<TransportFacts> => ({ target: 'url', url: new URL(text) });

describe('chooseTransport', () => {
  const cases = [
    { title: 'the flag', facts: { flag: 'sse', registry: 'stdio' }, value: 'sse', from: 'flag' },
    { title: 'the flag in capital letters', facts: { flag: 'STDIO' }, value: 'stdio', from: 'flag' },
    { title: 'a transport of a plugin', facts: { flag: 'echoes' }, value: 'echoes', from: 'flag' },
    {
      title: 'a transport of a plugin from the entry',
      facts: { registry: 'echoes' },
      value: 'echoes',
      from: 'registry',
    },
    {
      title: 'the registry entry',
      facts: { registry: 'sse', exposedPorts: [80] },
      value: 'sse',
      from: 'registry',
    },
    {
      title: 'stdio for a package',
      facts: { target: 'scheme', targetPortFlag: 80 },
      value: 'stdio',
      from: 'rule',
    },
    {
      title: 'HTTP with --target-port',
      facts: { targetPortFlag: 80, exposedPorts: undefined },
      value: 'streamable-http',
      from: 'rule',
    },
    {
      title: 'HTTP with --target-path',
      facts: { targetPathFlag: '/tools/mcp', exposedPorts: undefined },
      value: 'streamable-http',
      from: 'rule',
    },
    {
      title: 'sse with --target-path that ends in /sse',
      facts: { targetPathFlag: '/tools/sse', targetPortFlag: 80 },
      value: 'sse',
      from: 'rule',
    },
    {
      title: 'HTTP for one exposed port',
      facts: { exposedPorts: [80] },
      value: 'streamable-http',
      from: 'rule',
    },
    { title: 'stdio for two exposed ports', facts: { exposedPorts: [80, 81] }, value: 'stdio', from: 'rule' },
    { title: 'stdio for no exposed port', facts: {}, value: 'stdio', from: 'rule' },
    { title: 'sse for /sse', facts: url('https://a.example/x/sse'), value: 'sse', from: 'rule' },
    { title: 'sse for /sse/', facts: url('https://a.example/sse/?x=/mcp'), value: 'sse', from: 'rule' },
    {
      title: 'HTTP for /mcp',
      facts: url('https://a.example/mcp?x=/sse'),
      value: 'streamable-http',
      from: 'rule',
    },
    {
      title: 'HTTP for /notsse',
      facts: url('https://a.example/notsse'),
      value: 'streamable-http',
      from: 'rule',
    },
  ] as const;
  for (const { title, facts: some, value, from } of cases) {
    it(`chooses ${title}`, () => {
      expect(chooseTransport(facts(some))).to.include({ value, from });
    });
  }
  it('returns undefined until the image is known', () => {
    expect(chooseTransport(facts({ exposedPorts: undefined }))).to.equal(undefined);
  });
  it('rejects an unknown transport of the entry', async () => {
    const error = await caught(() => chooseTransport(facts({ registry: 'smoke' })));
    expect(error).to.have.property('code', 'ERR_SETTING');
    expect(error).to.have.property('message').that.includes('echoes');
  });
  it('rejects other names and mixed case', async () => {
    for (const flag of ['Stdio', 'http', '']) {
      expect(await caught(() => chooseTransport(facts({ flag })))).to.have.property('code', 'ERR_SETTING');
    }
  });
});

describe('chooseTargetPort', () => {
  const port = {
    carries: 'http',
    flag: undefined,
    registry: undefined,
    exposedPorts: [],
    freePort: 5,
  } as const;
  const cases = [
    {
      title: 'no path for messages',
      facts: { ...port, carries: 'messages', flag: 1 },
      value: undefined,
      from: undefined,
    },
    { title: 'the flag', facts: { ...port, flag: 1, registry: 2 }, value: 1, from: 'flag' },
    {
      title: 'the registry entry',
      facts: { ...port, registry: 2, exposedPorts: [3] },
      value: 2,
      from: 'registry',
    },
    { title: 'the only exposed port', facts: { ...port, exposedPorts: [3] }, value: 3, from: 'image' },
    { title: 'a free port', facts: { ...port, exposedPorts: [3, 4] }, value: 5, from: 'rule' },
  ] as const;
  for (const { title, facts: some, value, from } of cases) {
    it(`chooses ${title}`, () => {
      const chosen = chooseTargetPort(some);
      expect([chosen?.value, chosen?.from]).to.deep.equal([value, from]);
    });
  }
});

describe('chooseProxyMode', () => {
  it('uses the flag only for transports that carry single messages', async () => {
    expect(chooseProxyMode('echoes', 'messages', 'sse')).to.include({ value: 'sse', from: 'flag' });
    expect(chooseProxyMode('frames', 'http', undefined)).to.include({ value: 'streamable-http' });
    expect(chooseProxyMode('stdio', 'messages', undefined)).to.include({
      value: 'streamable-http',
      from: 'default',
    });
    expect(chooseProxyMode('stdio', 'messages', 'sse')).to.include({ value: 'sse', from: 'flag' });
    expect(chooseProxyMode('sse', 'http', 'streamable-http')).to.include({ value: 'sse', from: 'rule' });
    expect(await caught(() => chooseProxyMode('sse', 'http', 'stdio'))).to.have.property(
      'code',
      'ERR_SETTING',
    );
  });
});
