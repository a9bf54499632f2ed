import { expect } from 'chai';
import { principalOf } from '../src/principal.ts';

const actors = (count: number): object =>
  Array.from({ length: count }, (_none, at) => at).reduceRight<object>(
    (act, at) => ({ sub: `a${at}`, act }),
    {
      sub: 'last',
    },
  );

/** Claims `act`, and what webhooks are told of them. */
const ROWS: readonly (readonly [act: unknown, delegation: object | undefined])[] = [
  [undefined, undefined],
  [
    { sub: 'bot', iss: 'i' },
    { chain: [{ iss: 'i', sub: 'bot' }], truncated: false, omitted: 0, malformed: false },
  ],
  [
    actors(12),
    {
      chain: Array.from({ length: 10 }, (_none, at) => ({ sub: `a${at}` })),
      truncated: true,
      omitted: 3,
      malformed: false,
    },
  ],
  [
    'bot',
    { chain: [], truncated: false, omitted: 0, malformed: true, malformedReason: 'an actor is no object' },
  ],
  [
    { sub: 'bot', act: { iss: 'i' } },
    {
      chain: [{ sub: 'bot' }],
      truncated: false,
      omitted: 0,
      malformed: true,
      malformedReason: 'an actor has no subject',
    },
  ],
];

describe('principal in a webhook request', () => {
  for (const [act, delegation] of ROWS) {
    it(`contains the caller and the actor ${JSON.stringify(act)?.slice(0, 60) ?? 'nobody'}`, () => {
      const claims = act === undefined ? { sub: 'ann' } : { sub: 'ann', act };
      const told: { readonly delegation?: unknown } = principalOf({ subject: 'ann', claims }) ?? {};
      expect(told.delegation).to.deep.equal(delegation);
    });
  }
});
