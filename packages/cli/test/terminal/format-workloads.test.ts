import { stripVTControlCharacters } from 'node:util';
import type { WorkloadListing } from '@portolan/workload';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatWorkloads, type ListLayout } from '../../src/terminal/format/format-workloads.ts';

const now = new Date('2026-11-22T12:00:00Z');
const WEATHER: WorkloadListing = {
  name: 'weather',
  package: 'npx://@modelcontextprotocol/server-everything@2026.8.31',
  status: 'running',
  status_context: '',
  url: 'http://127.0.0.1:28453/mcp',
  port: 28453,
  transport: 'stdio',
  transport_type: 'stdio',
  proxy_mode: 'streamable-http',
  group: 'default',
  labels: {},
  created_at: '2026-11-22T11:55:00.000Z',
  started_at: '',
  remote: false,
  member_count: undefined,
};
const PLAIN: ListLayout = { now, width: undefined, isWide: false, hasColour: false };

describe('formatWorkloads', () => {
  it('shows a workload in 80 columns', () => {
    expect(formatWorkloads([WEATHER], { ...PLAIN, width: 80 })).to.equal(
      [
        'NAME     STATUS   URL                         CREATED    PACKAGE',
        'weather  running  http://127.0.0.1:28453/mcp  5 min ago  …r-everything@2026.8.31',
      ].join('\n'),
    );
  });

  it('shortens nothing without a terminal', () => {
    expect(formatWorkloads([WEATHER], PLAIN)).to.include(WEATHER.package);
  });

  it('shortens nothing with -o wide at any width', () => {
    const wide = formatWorkloads([WEATHER], { ...PLAIN, width: 40, isWide: true });
    expect(wide.split('\n')[0]).to.match(/^NAME +PACKAGE +STATUS +URL +PORT +GROUP +CREATED$/);
    for (const text of [WEATHER.package, '28453', 'default', WEATHER.created_at])
      expect(wide).to.include(text);
  });

  it('shows only the first digits of an image digest', () => {
    const image = { ...WEATHER, package: `acme/notes@sha256:${'abcdef01'.repeat(8)}` };
    expect(formatWorkloads([image], { ...PLAIN, width: 90 })).to.match(/ acme\/notes@abcdef01$/);
  });

  const counts: readonly (readonly [number: number, shown: string])[] = [
    [0, 'virtual server, 0 members'],
    [1, 'virtual server, 1 member'],
    [12, 'virtual server, 12 members'],
  ];
  for (const [number, shown] of counts) {
    it(`shows a virtual server with ${number} members as such`, () => {
      const desk = { ...WEATHER, name: 'desk', package: '', member_count: number };
      for (const isWide of [false, true])
        expect(formatWorkloads([desk], { ...PLAIN, isWide })).to.match(new RegExp(`  ${shown}(?: |$)`, 'm'));
    });
  }

  it('colours only the states', () => {
    const all = [WEATHER, { ...WEATHER, name: 'running', status: 'stopped' } as const];
    for (const isWide of [false, true]) {
      const plain = formatWorkloads(all, { ...PLAIN, isWide, width: 80 });
      const table = formatWorkloads(all, { ...PLAIN, isWide, width: 80, hasColour: true });
      expect(stripVTControlCharacters(table)).to.equal(plain);
      expect(table).to.include('\u001b[32mrunning\u001b[39m').and.to.include('\u001b[90mstopped\u001b[39m');
      expect(table.split('\u001b')).to.have.length(5);
    }
  });

  it('fits 80 columns with names of any length', () => {
    const word = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,99}$/);
    const listing = fc.record({
      name: word,
      package: fc.oneof(word, fc.string({ maxLength: 200 })),
      status: fc.constantFrom('running', 'unauthenticated', 'policy_stopped', 'stopped'),
      port: fc.integer({ min: 1, max: 65535 }),
      ago: fc.integer({ min: 0, max: 3e8 }),
    });
    fc.assert(
      fc.property(fc.array(listing, { minLength: 1, maxLength: 10 }), (some) => {
        const workloads = some.map(({ port, ago, ...more }) => ({
          ...WEATHER,
          ...more,
          url: `http://127.0.0.1:${port}/sse`,
          created_at: new Date(now.getTime() - ago * 1000).toISOString(),
        }));
        for (const line of formatWorkloads(workloads, { ...PLAIN, width: 80 }).split('\n')) {
          expect(line.length).to.be.at.most(80);
        }
      }),
    );
  });
});
