import type { ForwardedHeader, OutgoingCredentialsKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { outgoingCredentialsCases, outgoingCredentialsContract } from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';

type Faults = Partial<{
  gives: readonly ForwardedHeader[];
  onlyPosts: boolean;
  takesTurns: boolean;
  logs: boolean;
  doubts: boolean;
  closesOnce: boolean;
}>;

const KEY = { name: 'X-Key', value: 'a key that is long enough' };

function kindWith(faults: Faults): OutgoingCredentialsKind {
  return {
    kind: 'key',
    config: { type: 'object', description: 'A key.', properties: {} },
    create: (_config, { logger }) => {
      let [isClosed, isAsked] = [false, false];
      return {
        credentials: async ({ method }) => {
          if (faults.onlyPosts === true && method !== 'POST') throw new Error('only POST');
          if (isAsked && faults.takesTurns === true) throw new Error('one at a time');
          isAsked = true;
          await Promise.resolve();
          isAsked = false;
          if (faults.logs === true) logger.info({ sent: [KEY.value] }, 'sent');
          return faults.gives ?? [KEY];
        },
        refused: async () => {
          if (faults.doubts === true) throw new Error('refused');
          return await Promise.resolve(false);
        },
        close: async () => {
          if (isClosed && faults.closesOnce === true) throw new Error('closed');
          isClosed = true;
          await Promise.resolve();
        },
      };
    },
  };
}

const tried = (faults: Faults) => {
  const kind = kindWith(faults);
  return { name: 'key', kind, blocks: [{}], create: kind.create.bind(kind, {}) };
};

outgoingCredentialsContract(tried({}));

describe('outgoingCredentialsCases', () => {
  const sendable = 'returns valid headers for requests of every method';
  const broken: readonly { readonly faults: Faults; readonly fails: string }[] = [
    { faults: { gives: [] }, fails: sendable },
    { faults: { gives: [{ name: 'Host', value: 'other' }] }, fails: sendable },
    { faults: { gives: [{ name: 'X-Key', value: 'a\r\nb' }] }, fails: sendable },
    { faults: { gives: [KEY, { name: 'x-key', value: 'other' }] }, fails: sendable },
    { faults: { onlyPosts: true }, fails: sendable },
    { faults: { takesTurns: true }, fails: 'serves concurrent calls' },
    { faults: { logs: true }, fails: 'writes no credentials to its log' },
    {
      faults: { doubts: true },
      fails: 'returns after each refusal, if it handles them, whether it has new credentials',
    },
    { faults: { closesOnce: true }, fails: 'can be closed twice, and leaves nothing open' },
  ];
  for (const { faults, fails } of broken) {
    it(`fails for credentials that ${JSON.stringify(faults)}`, async () => {
      expect(await failingCases(outgoingCredentialsCases(tried(faults)))).to.include(fails);
    });
  }
});
