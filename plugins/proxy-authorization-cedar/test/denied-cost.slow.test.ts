import type { RequestView } from '@portolan/plugin-api';
import { expect } from 'chai';
import { MAX_ARGUMENTS } from '../src/engine/arguments.ts';
import { type CedarUse, countCedar } from './count-cedar.ts';
import { ANN, Authorizer, call, configOf, request } from './support.ts';

/** Maximum number of characters that Cedar reads for one denial, in policies and questions together. */
const MAX_READ_CHARACTERS = 1024 * 1024;

const POLICIES = {
  'one claim':
    'permit(principal, action, resource == Tool::"a") when { context has claim_role && context.claim_role == "admin" };',
  'one argument':
    'permit(principal, action, resource == Tool::"a") when { context has arg_k && context.arg_k == "secret" };',
  'the whole context':
    'permit(principal, action, resource == Tool::"a") when { principal has claim_role && context == {"x": 1} };',
  'the whole context first':
    'permit(principal, action, resource == Tool::"a") when { context == {"x": 1} && principal has claim_role };',
  'twenty arguments': `permit(principal, action, resource == Tool::"a") when { ${Array.from({ length: 20 }, (_, at) => `context has arg_k${at}`).join(' && ')} && false };`,
} as const;

const args = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));

const MESSAGES: Readonly<Record<string, () => RequestView>> = {
  'the maximum of arguments': () => call('a', args(MAX_ARGUMENTS, 1)),
  '200,000 arguments': () => call('a', args(200_000, 1)),
  'an argument of 8 MB': () => call('a', { k: 'x'.repeat(8_000_000) }),
  'an argument of 8 MB in emoji': () => call('a', { k: '😀'.repeat(2_000_000) }),
  'twenty arguments of 3,000 characters': () => call('a', args(20, 'x'.repeat(3000))),
  'twenty arguments of 400 characters': () => call('a', args(20, 'x'.repeat(400))),
  'a thousand arguments of 8,000 characters': () => call('a', args(1000, 'x'.repeat(8000))),
  'a tool whose name has 8 MB': () => call('x'.repeat(8_000_000)),
  'a resource whose address has 8 MB': () => request('resources/read', { uri: 'x'.repeat(8_000_000) }),
  'a method of 8 MB': () => request('x'.repeat(8_000_000)),
};

describe('cost of a denial', () => {
  let authorizer: Authorizer | undefined;
  let read: CedarUse;
  beforeEach(() => {
    read = countCedar();
  });
  afterEach(async () => {
    read.stop();
    await authorizer?.close();
    authorizer = undefined;
  });

  async function open(policy: string): Promise<Authorizer> {
    authorizer = await Authorizer.open(configOf([policy]));
    return authorizer;
  }

  for (const [what, policy] of Object.entries(POLICIES)) {
    for (const [sent, make] of Object.entries(MESSAGES)) {
      it(`is bounded for a policy that reads ${what} and ${sent}`, async () => {
        const opened = await open(policy);
        expect(await opened.allows(make(), ANN)).to.equal(false);
        expect(read.characters, 'characters that Cedar reads').to.be.at.most(MAX_READ_CHARACTERS);
        expect(read.questions, 'questions to Cedar').to.be.at.most(14);
        const [denial] = await opened.denials();
        expect(JSON.stringify(denial).length, 'characters of the explanation').to.be.below(8192);
      });
    }
  }

  it('needs no decision for a call above the maximum of arguments', async () => {
    const opened = await open('permit(principal, action, resource);');
    expect(await opened.allows(call('a', args(MAX_ARGUMENTS, 1)))).to.equal(true);
    const before = read.questions;
    const { because } = await opened.because(call('a', args(MAX_ARGUMENTS + 1, 1)));
    expect(because).to.deep.equal(['It has 1001 arguments, more than 1000.']);
    expect(read.questions).to.equal(before);
  });

  it('includes at most 1,024 characters of the policy', async () => {
    const long = Array.from({ length: 1000 }, (_, at) => `"word${at}"`).join(', ');
    const opened = await open(`permit(principal, action, resource) when { [${long}].contains("x") };`);
    const { policy } = await opened.because(call('a'));
    expect(policy?.text).to.have.lengthOf(1024);
  });

  it('includes the number of characters that a policy would read', async () => {
    const opened = await open('permit(principal, action, resource) when { context.arg_k like "*" };');
    expect(await opened.allows(call('a', { k: 'x'.repeat(60_000) }))).to.equal(true);
    const before = read.questions;
    const { because } = await opened.because(call('a', { k: 'x'.repeat(70_000) }));
    expect(because).to.have.length(1);
    expect(because[0]).to.match(
      /^An error denies, whatever other policies say: policies read 14\d{4} characters of this call, more than 131072\.$/,
    );
    expect(read.questions).to.equal(before);
  });
});
