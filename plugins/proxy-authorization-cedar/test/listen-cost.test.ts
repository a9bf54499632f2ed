import type { ClientVerdict } from '@portolan/plugin-api';
import { expect } from 'chai';
import { MAX_LISTENED_ITEMS } from '../src/decisions/narrow-listen.ts';
import { countCedar } from './count-cedar.ts';
import { ANN, Authorizer, configOf, request } from './support.ts';

const uris = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `file:///${at}`);

describe('cost of subscriptions/listen', () => {
  let authorizer: Authorizer | undefined;
  afterEach(async () => {
    await authorizer?.close();
    authorizer = undefined;
  });

  async function listen(
    notifications: object,
  ): Promise<{ verdict: ClientVerdict | undefined; decisions: number }> {
    authorizer = await Authorizer.open(configOf(['permit(principal, action, resource is Resource);']));
    const read = countCedar();
    try {
      const verdict = await authorizer.ask(request('subscriptions/listen', { notifications }), ANN);
      return { verdict, decisions: read.questions };
    } finally {
      read.stop();
    }
  }

  it('is one decision per resource, up to the maximum', async () => {
    const { verdict, decisions } = await listen({ resourceSubscriptions: uris(MAX_LISTENED_ITEMS - 1) });
    expect(verdict).to.equal(undefined);
    expect(decisions).to.equal(MAX_LISTENED_ITEMS - 1);
  });

  const tooMany: Readonly<Record<string, object>> = {
    resources: { resourceSubscriptions: uris(MAX_LISTENED_ITEMS) },
    '200,000 resources': { resourceSubscriptions: uris(200_000) },
    'tasks and resources together': { resourceSubscriptions: uris(400), taskIds: uris(200) },
    kinds: Object.fromEntries(uris(MAX_LISTENED_ITEMS + 1).map((uri) => [uri, true])),
    'items of an unknown kind': { ofAnExtension: uris(MAX_LISTENED_ITEMS) },
  };
  for (const [what, notifications] of Object.entries(tooMany)) {
    it(`is no decision above the maximum of ${what}`, async () => {
      const { verdict, decisions } = await listen(notifications);
      expect(verdict).to.have.nested.property('refuse.code', -32_602);
      expect(verdict)
        .to.have.nested.property('refuse.message')
        .that.matches(/^The filter has \d+ kinds, resources and tasks; expected at most 500\./);
      expect(decisions).to.equal(0);
    });
  }

  it('is no decision when the names exceed 128 Ki characters', async () => {
    const long = Array.from({ length: 100 }, (_, at) => `file:///${at}/${'x'.repeat(2000)}`);
    const { verdict, decisions } = await listen({ resourceSubscriptions: long });
    expect(verdict).to.have.nested.property('refuse.message').that.includes('expected at most 131072.');
    expect(decisions).to.equal(0);
  });
});
