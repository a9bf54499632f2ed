import type { RunPlan } from '@portolan/workload';
import { expect } from 'chai';
import { formatPlan } from '../../src/terminal/format-plan.ts';

const PLAN: RunPlan = {
  name: 'notes',
  target: { form: 'scheme', named: 'npx://@acme/notes', because: 'npx:// is a scheme.', registry: undefined },
  settings: [{ setting: 'name', value: 'notes', from: 'rule', by: 'the package' }],
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
  mounts: [{ source: '/srv/notes', target: '/data', read_only: true }],
  hidden: [{ path: '/data/.env', kind: 'file' }],
  networks: undefined,
  environment: [],
  secrets: [],
  headers: [],
  missing: [],
  changes: undefined,
  warnings: [],
};

describe('formatPlan', () => {
  it('shows nothing that moves the cursor', () => {
    const mounts = [{ source: '/srv/\u001b[2Jnotes\n', target: '/data', read_only: false }];
    const text = formatPlan({ ...PLAN, mounts, warnings: ['\u001b]0;x\u0007odd'] });
    expect(text)
      .to.match(/^ {2}\/srv\/notes {2}-> \/data$/m)
      .and.match(/^ {2}odd$/m);
  });

  it('says in lines what is built, without the Dockerfile, and what is hidden', () => {
    expect(formatPlan(PLAN).split('\n\n').slice(2)).to.deep.equal([
      [
        'image',
        '  portolanlocal/npx-notes:1d (to be built)',
        '  package  npx://@acme/notes@1.0.0',
        '  base     node:24-alpine',
        '  hosts    index.acme.example:443',
        '  cached   no',
      ].join('\n'),
      'mounts\n  /srv/notes -> /data (read only)',
      'hidden\n  /data/.env (file)',
    ]);
  });
});
