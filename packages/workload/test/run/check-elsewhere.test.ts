import { expect } from 'chai';
import type { RunConfig } from '@portolan/run-spec';
import type { PolicyChecker } from '../../src/run/steps/check-elsewhere.ts';
import { type PreparedRequest, prepareRequest } from '../../src/run/steps/prepare-request.ts';
import type { WorkloadContext } from '../../src/workload-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const SOURCES = { findSecret: async () => undefined, ask: undefined, unanswered: 'refused' } as const;

describe('prepareRequest with policies that somebody else checks', () => {
  afterEach(() => folders.removeAll());

  /** Of a server whose tools are chosen; what is asked of the kinds here stands in `asked`. */
  async function prepare(
    check: PolicyChecker | undefined,
    {
      kinds = {},
      signal = new AbortController().signal,
    }: {
      readonly kinds?: Partial<WorkloadContext['kinds']>;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<PreparedRequest & { readonly asked: readonly string[] }> {
    const context = testWorkloadContext(await folders.make());
    const asked: string[] = [];
    const counting: WorkloadContext['kinds'] = {
      ...context.kinds,
      checkProxyMiddleware: async (name) => {
        asked.push(name);
        return [`${name} is checked here`];
      },
      checkAuthProvider: async (name) => void asked.push(name),
      ...kinds,
    };
    const request = { target: 'acme/weather:1', args: [], flags: { tools: ['echo'] } };
    const prepared = await prepareRequest(
      request,
      { ...context, kinds: counting },
      SOURCES,
      { decide: () => Promise.resolve(true), check },
      signal,
    );
    return { ...prepared, asked };
  }

  it('tells what they were told there, and asks no kind itself', async () => {
    const given: RunConfig[] = [];
    const { warnings, asked } = await prepare(async (policies) => {
      given.push(policies);
      return ['a policy that may not be what was meant'];
    });
    expect([warnings, asked]).to.deep.equal([['a policy that may not be what was meant'], []]);
    expect(given.map((one) => one.tools_filter)).to.deep.equal([['echo']]);
  });

  it('checks them itself where nobody else does, or does not find all of them good', async () => {
    for (const check of [undefined, async () => undefined]) {
      const { warnings, asked } = await prepare(check);
      expect(asked).to.deep.equal(['tool-filter']);
      expect(warnings).to.deep.equal(['tool-filter is checked here']);
    }
  });

  it('says what is wrong as it would have without', async () => {
    const kinds = { checkProxyMiddleware: () => Promise.reject(new Error('wrong settings')) };
    expect(await outcome(prepare(async () => undefined, { kinds }))).to.equal('Error: wrong settings');
  });

  it('does not wait for an answer that nobody wants any more', async () => {
    const leaving = new AbortController();
    const check: PolicyChecker = () => {
      leaving.abort(new Error('stopped'));
      return new Promise(() => undefined);
    };
    expect(await outcome(prepare(check, { signal: leaving.signal }))).to.equal('Error: stopped');
  });
});

async function outcome(preparing: Promise<unknown>): Promise<string> {
  return await preparing.then(
    () => 'prepared',
    (error: unknown) => String(error),
  );
}
