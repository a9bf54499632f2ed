import type { EntryType, OfficialFacts } from '@portolan/plugin-api';
import { expect } from 'chai';
import { readOfficial } from '../src/preparation/carried-facts.ts';

const NOTHING = {
  status: undefined,
  statusMessage: undefined,
  statusChangedAt: undefined,
  publishedAt: undefined,
  updatedAt: undefined,
  isLatest: undefined,
};

interface Case {
  readonly of?: EntryType;
  readonly official: Readonly<Record<string, unknown>>;
  readonly kept: object;
  readonly odd?: readonly (keyof OfficialFacts)[];
}

const CASES: Readonly<Record<string, Case>> = {
  'nothing, where nothing is said': { official: {}, kept: {} },
  'null as nothing': { official: { status: null, updatedAt: null }, kept: {} },
  'everything, as it is': {
    official: {
      status: 'deprecated',
      statusMessage: 'Use dev.acme/notes2',
      statusChangedAt: '2026-01-10T12:00:00.000Z',
      publishedAt: '2025-12-01T00:00:00.001Z',
      updatedAt: '2026-01-12T08:30:00.999Z',
      isLatest: false,
    },
    kept: {
      status: 'deprecated',
      statusMessage: 'Use dev.acme/notes2',
      statusChangedAt: '2026-01-10T12:00:00.000Z',
      publishedAt: '2025-12-01T00:00:00.001Z',
      updatedAt: '2026-01-12T08:30:00.999Z',
      isLatest: false,
    },
  },
  'times of other places and of finer clocks, in UTC with milliseconds': {
    official: { publishedAt: '2026-01-12T08:30:00.907225+02:00', updatedAt: '2026-01-12t08:30:00z' },
    kept: { publishedAt: '2026-01-12T06:30:00.907Z', updatedAt: '2026-01-12T08:30:00.000Z' },
  },
  'no time that is none, or has no place in the order of texts': {
    official: {
      publishedAt: 'yesterday',
      updatedAt: '2026-02-30T25:00:00Z',
      statusChangedAt: '9999-12-31T23:59:59-01:00',
    },
    kept: {},
    odd: ['statusChangedAt', 'publishedAt', 'updatedAt'],
  },
  'a status in any case': { official: { status: 'DELETED' }, kept: { status: 'deleted' } },
  'no status that a server cannot have': { official: { status: 'archived' }, kept: {}, odd: ['status'] },
  'the status that a skill can have': {
    of: 'skill',
    official: { status: 'archived' },
    kept: { status: 'archived' },
  },
  'no more of a message than is shown, and only what can be stored': {
    official: { statusMessage: `a\0\ud800${'😀'.repeat(600)}` },
    kept: { statusMessage: `a\uFFFD\uFFFD${'😀'.repeat(497)}` },
  },
  'nothing of another type': {
    official: { statusMessage: 7, isLatest: 'yes', publishedAt: 1_700_000_000 },
    kept: {},
    odd: ['statusMessage', 'publishedAt', 'isLatest'],
  },
};

describe('readOfficial', () => {
  for (const [title, { of = 'server', official, kept, odd = [] }] of Object.entries(CASES)) {
    it(`returns ${title}`, () => {
      const read = readOfficial(of, official);
      expect(read.facts).to.deep.equal({ ...NOTHING, ...kept });
      expect(read.oddities).to.deep.equal(
        odd.map((key) => `Its official \`${key}\` cannot be read, and was left aside.`),
      );
    });
  }
});
