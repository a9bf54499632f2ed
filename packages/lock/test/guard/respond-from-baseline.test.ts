import { expect } from 'chai';
import { lockDefinitions, respondFromBaseline, baselineOf } from '../../src/index.ts';
import type { Baseline } from '../../src/index.ts';

const TOOLS = [
  { name: 'forecast', description: 'Weather of a place', inputSchema: { type: 'object' }, _meta: { own: 1 } },
  { name: 'alerts', inputSchema: { type: 'object' } },
];
const CAPABILITIES = { tools: { listChanged: true }, tasks: {} };
const CLAIM = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

/** The baseline of a lock of a server with two tools. `server` changes its response to `initialize`. */
function lockedBaseline(server: object = {}): Baseline {
  const { locked } = lockDefinitions({
    facts: { source: 'ghcr.io/acme/weather:1' },
    current: {
      server: {
        name: 'weather',
        version: '1.0.0',
        revisions: ['2025-06-18'],
        capabilities: CAPABILITIES,
        instructions: 'Ask for a place.',
        ...server,
      },
      tools: JSON.stringify(TOOLS),
      prompts: '[]',
      templates: '[]',
    },
    approval: { date: '2026-11-30' },
  });
  if (locked === undefined) throw new Error('the definitions have a fault');
  return baselineOf(locked.workload, locked.contents);
}

function respond(method: string, params: object = {}, baseline = lockedBaseline()): unknown {
  const text = respondFromBaseline(baseline, { id: { text: '7' }, method, params: { ...params } });
  return text === undefined ? undefined : JSON.parse(text);
}

describe('respondFromBaseline', () => {
  it('respondFromBaseline › returns the approved server and the requested revision for initialize', () => {
    expect(respond('initialize', { protocolVersion: '2025-06-18' })).to.deep.equal({
      jsonrpc: '2.0',
      id: 7,
      result: {
        protocolVersion: '2025-06-18',
        serverInfo: { name: 'weather', version: '1.0.0' },
        capabilities: CAPABILITIES,
        instructions: 'Ask for a place.',
      },
    });
  });

  it('respondFromBaseline › returns the newest approved revision to a client that requests a newer one', () => {
    expect(respond('initialize', { protocolVersion: '2025-11-25' })).to.have.nested.property(
      'result.protocolVersion',
      '2025-06-18',
    );
  });

  it('respondFromBaseline › returns whole definitions for lists, and cache hints only without a handshake', () => {
    // A lock keeps no `_meta` but that of apps.
    const approved = TOOLS.map(({ _meta, ...tool }) => tool);
    expect(respond('tools/list'))
      .to.have.property('result')
      .with.property('tools')
      .with.deep.members(approved);
    expect((respond('tools/list') as { result: object }).result).to.have.all.keys('tools');
    expect((respond('tools/list', CLAIM) as { result: object }).result).to.deep.include({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  it('respondFromBaseline › returns the approved server without tasks for server/discover', () => {
    expect(respond('server/discover', CLAIM))
      .to.have.property('result')
      .that.deep.includes({
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true } },
        instructions: 'Ask for a place.',
      });
  });

  const unknown: readonly { title: string; method: string; params?: object; server?: object }[] = [
    { title: 'a call', method: 'tools/call' },
    { title: 'resources, which no lock has', method: 'resources/list' },
    { title: 'a list of a capability that the server has not', method: 'prompts/list' },
    { title: 'a second page', method: 'tools/list', params: { cursor: 'two' } },
    { title: 'a method of the prototype', method: 'constructor' },
    { title: 'an older revision', method: 'initialize', params: { protocolVersion: '2025-03-26' } },
    { title: 'no revision', method: 'initialize' },
    {
      title: 'a server whose revisions are not known',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25' },
      server: { revisions: undefined },
    },
    {
      title: 'a server without a version',
      method: 'initialize',
      params: { protocolVersion: '2025-06-18' },
      server: { version: undefined },
    },
  ];
  for (const { title, method, params, server } of unknown) {
    it(`respondFromBaseline › returns undefined for ${title}`, () => {
      expect(respond(method, params, lockedBaseline(server))).to.equal(undefined);
    });
  }

  it('respondFromBaseline › returns undefined when the definition behind a digest is missing', () => {
    const baseline = { ...lockedBaseline(), tools: new Map([['forecast', { digest: 'sha256:0' }]]) };
    expect(respond('tools/list', {}, baseline)).to.equal(undefined);
  });
});
