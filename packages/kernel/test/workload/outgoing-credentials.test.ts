import type { OutgoingCredentialsKind, Plugin } from '@portolan/plugin-api';
import { createTestCredentialsContext, openTestWorkloadKernel } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { errorOf } from '../support/test-context.ts';

const config = {
  type: 'object',
  required: ['keyId'],
  properties: { keyId: { type: 'string' }, key: { type: 'string', secret: true } },
} as const;

function pluginWith(create: () => unknown): Plugin {
  const kind = { kind: 'signed', config, create };
  // Plugins need not be written in TypeScript.
  const outgoingCredentials = [kind as unknown as OutgoingCredentialsKind];
  return { name: 'signed', apiVersion: 2, contributes: { outgoingCredentials } };
}

const given = (value: unknown) => ({
  value,
  place: 'remote_credentials.parameters',
  origin: 'the run config of w',
});

describe('createOutgoingCredentials of the workload kernel', () => {
  const context = createTestCredentialsContext();

  it('creates credentials from the parameters of a run config, and closes them with the kernel', async () => {
    let isOpen = true;
    const instance = { credentials: () => [], close: async () => void (isOpen = false) };
    const kernel = await openTestWorkloadKernel({ plugins: [pluginWith(() => instance)] });
    expect(await kernel.checkOutgoingCredentials('signed', given({ keyId: 'a' }))).to.deep.equal([]);
    const made = await kernel.createOutgoingCredentials('signed', context, given({ keyId: 'a' }));
    expect(made).to.equal(instance);
    expect(kernel.kinds.outgoingCredentials).to.deep.equal(['signed']);
    await kernel.close();
    expect(isOpen).to.equal(false);
  });

  const refused: readonly (readonly [name: string, value: unknown, code: string, says: RegExp])[] = [
    ['sgned', {}, 'ERR_KIND_UNKNOWN', /Unknown outgoing credentials "sgned"; expected signed/],
    ['signed', {}, 'ERR_CONFIG_INVALID', /remote_credentials\.parameters/],
    [
      'signed',
      { keyId: 'a', key: 'in the clear' },
      'ERR_CONFIG_INVALID',
      /parameters\.key[^]*outgoingCredentials\.signed/,
    ],
  ];
  for (const [name, value, code, says] of refused) {
    it(`rejects ${name} with ${JSON.stringify(value)}, and shows no secret`, async () => {
      const kernel = await openTestWorkloadKernel({ plugins: [pluginWith(() => ({}))] });
      try {
        const error = await errorOf(() => kernel.checkOutgoingCredentials(name, given(value)));
        expect(error.code).to.equal(code);
        expect(error.message).to.match(says).and.not.to.include('in the clear');
      } finally {
        await kernel.close();
      }
    });
  }

  const broken: readonly (readonly [what: string, create: () => unknown])[] = [
    ['nothing', () => undefined],
    ['something without credentials', () => ({ close: async () => undefined })],
    ['something whose refused is no function', () => ({ credentials: () => [], refused: true })],
    [
      'an error',
      () => {
        throw new Error('no key');
      },
    ],
  ];
  for (const [what, create] of broken) {
    it(`throws for a kind that creates ${what}`, async () => {
      const kernel = await openTestWorkloadKernel({ plugins: [pluginWith(create)] });
      try {
        const error = await errorOf(() =>
          kernel.createOutgoingCredentials('signed', context, given({ keyId: 'a' })),
        );
        expect(error.code).to.match(/^ERR_PLUGIN/);
        expect(error.message).to.include('signed');
      } finally {
        await kernel.close();
      }
    });
  }
});
