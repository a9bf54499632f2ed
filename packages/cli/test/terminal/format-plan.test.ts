import type { RunPlan } from '@portolan/workload';
import { expect } from 'chai';
import { formatPlan } from '../../src/terminal/format/format-plan.ts';

const PLAN: RunPlan = {
  name: 'notes',
  target: { form: 'scheme', named: 'npx://@acme/notes', because: 'npx:// is a scheme.', registry: undefined },
  settings: [{ setting: 'name', value: 'notes', from: 'rule', by: 'the package', author: 'portolan' }],
  image: {
    reference: 'portolanlocal/npx-notes:1d',
    digest: undefined,
    is: 'to be built',
    build: {
      package: 'npx://@acme/notes@1.0.0',
      base_images: ['node:24-alpine'],
      hosts: ['index.acme.example:443'],
      cached: false,
      dockerfile: 'FROM node:24-alpine\nRUN npm install\n',
    },
  },
  remote_url: undefined,
  mounts: [{ source: '/srv/notes', target: '/data', read_only: true, author: 'user' }],
  hidden: [{ path: '/data/.env', kind: 'file' }],
  networks: undefined,
  sessions: undefined,
  protections: [],
  environment: [],
  secrets: [],
  headers: [],
  grants: [],
  missing: [],
  changes: undefined,
  lost: [],
  warnings: [],
  entry_tools: undefined,
  virtual_server: undefined,
};

describe('formatPlan', () => {
  it('removes control characters', () => {
    const mounts = [
      { source: '/srv/\u001b[2Jnotes\n', target: '/data', read_only: false, author: 'entry' },
    ] as const;
    const text = formatPlan({ ...PLAN, mounts, warnings: ['\u001b]0;x\u0007odd'] });
    expect(text)
      .to.match(/^ {2}\/srv\/notes {2}-> \/data \(entry\)$/m)
      .and.match(/^ {2}odd$/m);
  });

  it('keeps one line per row when every text of the plan contains a forged section', () => {
    const forged = '\nnetwork\n  may connect to nowhere';
    const count = (text: string): number => text.split('\n').length;
    const withForged = (value: unknown): unknown => {
      if (typeof value === 'string') return value + forged;
      if (Array.isArray(value)) return value.map(withForged);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withForged(member)]));
    };
    const full: RunPlan = {
      ...PLAN,
      environment: [{ name: 'A', from: 'rule', by: 'the entry', author: 'entry' }],
      secrets: [{ variable: 'A', secret: 'a', author: 'entry' }],
      headers: [{ name: 'X-A', author: 'entry' }],
      missing: ['B'],
      protections: ['read-only root'],
      changes: [{ setting: 'port', before: '1', after: '2' }],
      warnings: ['odd'],
    };
    // SAFETY: the same shape with other texts.
    const text = formatPlan(withForged(full) as RunPlan);
    expect(text).to.not.match(/^ *may connect/m);
    expect(count(text)).to.equal(count(formatPlan(full)));
  });

  const sessions = [
    {
      planned: { most: 16, processes: 'own', memory_bytes: 16 * 512 * 1024 * 1024 },
      says: 'at most 16, each with a process of its own; together up to 8192 MiB of memory',
    },
    {
      planned: { most: 1000, processes: 'shared', memory_bytes: null },
      says: 'at most 1000, all with one process',
    },
  ] as const;
  for (const { planned, says } of sessions) {
    it(`shows the memory limit of sessions: ${says}`, () => {
      expect(formatPlan({ ...PLAN, sessions: planned }).split('\n\n')).to.include(`sessions\n  ${says}`);
    });
  }

  it('shows the author of each setting, variable, secret and header', () => {
    const text = formatPlan({
      ...PLAN,
      settings: [{ setting: 'port', value: 80, from: 'file', by: 'x.json', author: 'own file' }],
      environment: [{ name: 'REGION', from: 'flag', by: '--env', author: 'user' }],
      secrets: [{ variable: 'KEY', secret: 'k', author: 'entry' }],
      headers: [{ name: 'X-Key', author: 'file' }],
    });
    expect(text).to.match(/^ {2}port +80 +own file +file: x\.json$/m);
    expect(text).to.match(/^ {2}REGION +user +flag: --env$/m);
    expect(text).to.include('KEY gets the secret k (entry)').and.include('X-Key (file)');
  });

  it('shows the image to build without its Dockerfile, and the hidden paths', () => {
    expect(formatPlan(PLAN).split('\n\n').slice(2)).to.deep.equal([
      [
        'image',
        '  portolanlocal/npx-notes:1d (to be built)',
        '  package  npx://@acme/notes@1.0.0',
        '  base     node:24-alpine',
        '  hosts    index.acme.example:443',
        '  cached   no',
      ].join('\n'),
      'mounts\n  /srv/notes -> /data (read only, user)',
      'hidden\n  /data/.env (file)',
    ]);
  });
});
