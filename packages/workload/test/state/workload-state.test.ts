import { expect } from 'chai';
import fc from 'fast-check';
import {
  formatWorkloadState,
  newWorkloadState,
  parseWorkloadState,
  WORKLOAD_STATUSES,
  type WorkloadState,
} from '../../src/state/workload-state.ts';
import { MEMBER_STATUSES, type MemberState } from '../../src/state/member-state.ts';
import { caught } from '../../../../test/support/caught.ts';

const now = new Date('2026-11-21T10:00:00.123Z');
const date = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
const anyMember: fc.Arbitrary<MemberState> = fc.record({
  status: fc.constantFrom(...MEMBER_STATUSES),
  revision: fc.string(),
  tools: fc.option(fc.nat(), { nil: undefined }),
  lastError: fc.string(),
  findings: fc.array(fc.string()),
  server: fc.option(
    fc.record({
      containerId: fc.string(),
      imageDigest: fc.string(),
      writableRoot: fc.boolean(),
      mountPaths: fc.dictionary(fc.stringMatching(/^\/[a-z]{1,9}$/), fc.string()),
      missingScopes: fc.array(fc.string()),
      hasStarted: fc.boolean(),
    }),
    { nil: undefined },
  ),
});
const anyState: fc.Arbitrary<WorkloadState> = fc.record({
  name: fc.stringMatching(/^[a-z]{1,9}$/),
  status: fc.constantFrom(...WORKLOAD_STATUSES),
  statusContext: fc.string(),
  createdAt: date,
  updatedAt: date,
  startedAt: fc.option(date, { nil: undefined }),
  supervisor: fc.option(fc.record({ pid: fc.integer({ min: 1 }), started: fc.string() }), { nil: undefined }),
  instance: fc.string(),
  url: fc.string(),
  containerId: fc.string(),
  imageDigest: fc.string(),
  writableRoot: fc.boolean(),
  mountPaths: fc.dictionary(fc.stringMatching(/^\/[a-z]{1,9}$/), fc.string()),
  wanted: fc.boolean(),
  notice: fc.string(),
  missingScopes: fc.array(fc.string()),
  members: fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), anyMember),
});

describe('parseWorkloadState', () => {
  it('reads the output of formatWorkloadState', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        expect(parseWorkloadState(formatWorkloadState(state), 'x')).to.deep.equal(state);
      }),
    );
  });

  it('treats a running workload without the field `wanted` as wanted', () => {
    for (const [status, wanted] of [
      ['running', true],
      ['unhealthy', true],
      ['stopped', false],
      ['error', false],
    ] as const) {
      const { wanted: _said, ...older } = JSON.parse(
        formatWorkloadState({ ...newWorkloadState('weather', now), status }),
      ) as { readonly wanted: boolean }; // formatWorkloadState wrote the text
      expect(parseWorkloadState(JSON.stringify(older), 'x').wanted, status).to.equal(wanted);
    }
  });

  it('rejects every truncated file', () => {
    const text = formatWorkloadState({ ...newWorkloadState('weather', now), url: 'http://127.0.0.1:1/mcp' });
    for (let length = 0; length < text.trimEnd().length; length += 1) {
      expect(() => parseWorkloadState(text.slice(0, length), 'w.json'), String(length)).to.throw(
        'is damaged',
      );
    }
  });

  // formatWorkloadState wrote the text
  const whole = JSON.parse(formatWorkloadState(newWorkloadState('weather', now))) as object;
  const bad = [
    { title: 'text that is not JSON', text: 'hello', code: 'ERR_STATE_DAMAGED' },
    { title: 'NUL bytes after a power cut', text: '\0\0\0', code: 'ERR_STATE_DAMAGED' },
    { title: 'a list', text: '[]', code: 'ERR_STATE_FOREIGN' },
    {
      title: 'a document of another tool',
      text: '{"status":"running","process_id":48122}',
      code: 'ERR_STATE_FOREIGN',
    },
    { title: 'a format that is a string', text: '{"format":"1"}', code: 'ERR_STATE_FOREIGN' },
    { title: 'a newer format', text: JSON.stringify({ ...whole, format: 2 }), code: 'ERR_STATE_NEWER' },
    {
      title: 'an unknown status',
      text: JSON.stringify({ ...whole, status: 'dancing' }),
      code: 'ERR_STATE_DAMAGED',
    },
    { title: 'no name', text: JSON.stringify({ ...whole, name: '' }), code: 'ERR_STATE_DAMAGED' },
    {
      title: 'an invalid time',
      text: JSON.stringify({ ...whole, created_at: 'noon' }),
      code: 'ERR_STATE_DAMAGED',
    },
    {
      title: 'an invalid process id',
      text: JSON.stringify({ ...whole, process_id: 'x' }),
      code: 'ERR_STATE_DAMAGED',
    },
  ];
  for (const { title, text, code } of bad) {
    it(`rejects ${title}`, async () => {
      const error = await caught(() => parseWorkloadState(text, 'w.json'));
      expect(error.code).to.equal(code);
      expect(error.message).to.include('w.json');
    });
  }
});
