import { expect } from 'chai';
import { leastSafeHints } from '../../src/search/call-annotations.ts';

const reader = { annotations: { readOnlyHint: true, openWorldHint: false } };
const safeWriter = {
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};
const WORST = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

describe('leastSafeHints', () => {
  const cases: readonly (readonly [title: string, tools: readonly object[], hints: object])[] = [
    [
      'is read-only when all tools are',
      [reader, reader],
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
    [
      'has the hints of a writer when another tool only reads',
      [reader, safeWriter],
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
    [
      'takes each hint from the tool that is least safe in it',
      [{ annotations: { readOnlyHint: true } }, safeWriter],
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    ],
    ['is destructive when one tool has no annotations', [reader, {}], WORST],
    ['has the least safe hints without tools', [], WORST],
    [
      'treats hints of another type as missing',
      [{ annotations: { readOnlyHint: 'true', destructiveHint: 0, idempotentHint: 1, openWorldHint: null } }],
      WORST,
    ],
    ['ignores annotations of another type', [{ annotations: [true] }], WORST],
    [
      'ignores that a read-only tool claims to be destructive',
      [{ annotations: { readOnlyHint: true, destructiveHint: true, openWorldHint: false } }],
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ],
  ];
  for (const [title, tools, hints] of cases) {
    it(title, () => {
      // SAFETY: each case is a JSON object.
      expect(leastSafeHints(tools as readonly Record<string, unknown>[])).to.deep.equal(hints);
    });
  }
});
