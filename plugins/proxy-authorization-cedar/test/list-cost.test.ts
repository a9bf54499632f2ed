import type { Identity, ProxyMiddleware, ServerVerdict } from '@portolan/plugin-api';
import {
  createRecordingLogger,
  createTestProxyContext,
  type RecordingLogger,
} from '@portolan/plugin-testing';
import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CedarAuthorizer } from '../src/cedar-authorizer.ts';
import { decisionPointAuthorization } from '../src/decision-point/decision-point-authorization.ts';
import { Denials } from '../src/denials/denials.ts';
import { MAX_LISTED_ITEMS } from '../src/decisions/filter-list.ts';
import { readPolicies, type ReadPolicies } from '../src/policies/policy-set.ts';
import { MAX_TOOLS } from '../src/request/tool-annotations.ts';
import { countCedar } from './count-cedar.ts';
import { ANN, respond, configOf, exchangeWith, request } from './support.ts';

/** With a clock that moves 1 ms each time it is read, a turn of 5 ms has room for 5 decisions. */
const MAX_DECISIONS_PER_TURN = 5;

const READ_ONLY = 'permit(principal, action, resource) when { resource.readOnlyHint };';
const ALL = 'permit(principal, action, resource);';
const NONE = 'forbid(principal, action, resource);';

const uris = (count: number, prefix = 'a'): readonly { readonly uri: string }[] =>
  Array.from({ length: count }, (_, at) => ({ uri: `file:///${prefix}/${at}` }));

const tools = (count: number, prefix = 'a'): readonly { readonly name: string }[] =>
  Array.from({ length: count }, (_, at) => ({ name: `${prefix}${at}` }));

function readyPolicies(text: string): ReadPolicies {
  const read = readPolicies(configOf([text]).cedar);
  if (!('policies' in read)) throw new Error(`invalid policy: ${text}`);
  return read;
}

/** Returns the indices of the items that a verdict removes. */
function removedBy(verdict: ServerVerdict | undefined): readonly unknown[] {
  if (verdict !== undefined && 'refuse' in verdict) throw new Error(verdict.refuse.message);
  return verdict?.change.map(({ path }) => path[2]) ?? [];
}

describe('cost of filtering a list', () => {
  const opened: ProxyMiddleware[] = [];
  afterEach(async () => {
    for (const instance of opened.splice(0)) await instance.close?.();
  });

  function open(policy: string): { readonly authorizer: CedarAuthorizer; readonly logger: RecordingLogger } {
    const logger = createRecordingLogger();
    let now = 0;
    const authorizer = new CedarAuthorizer(
      { ...configOf([policy]).cedar, list_tasks: true },
      readyPolicies(policy),
      {
        server: 'io.example/test-server',
        hasMembers: false,
        denials: new Denials('cedar', createTestProxyContext({ logger })),
        logger,
        nowMs: () => (now += 1),
      },
    );
    opened.push(authorizer);
    return { authorizer, logger };
  }

  async function list(
    instance: ProxyMiddleware,
    method: string,
    result: object,
    { caller = ANN, params }: { readonly caller?: Identity; readonly params?: Record<string, unknown> } = {},
  ): Promise<ServerVerdict | undefined> {
    const exchange = exchangeWith(caller, request(method, params));
    return (await instance.onResponse?.(respond(result), exchange)) ?? undefined;
  }

  /** Returns the number of decisions in each turn of the event loop until `work` is done. */
  async function countByTurn(work: () => Promise<unknown>): Promise<readonly number[]> {
    const counts: number[] = [];
    const cedar = countCedar();
    let before = 0;
    const sample = (): void => {
      counts.push(cedar.questions - before);
      before = cedar.questions;
    };
    const state = { isDone: false };
    try {
      const done = work().finally(() => {
        state.isDone = true;
      });
      sample();
      while (!state.isDone) {
        await nextTurn();
        sample();
      }
      await done;
      return counts;
    } finally {
      cedar.stop();
    }
  }

  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

  it('yields to the event loop after 5 ms', async () => {
    const { authorizer } = open(ALL);
    const counts = await countByTurn(() => list(authorizer, 'resources/list', { resources: uris(100) }));
    expect(sum(counts)).to.equal(100);
    expect(Math.max(...counts)).to.be.at.most(MAX_DECISIONS_PER_TURN);
  });

  it('shares the 5 ms between concurrent lists, in rotation', async () => {
    const { authorizer } = open(ALL);
    const finished: string[] = [];
    const counts = await countByTurn(async () => {
      const lists = ['a', 'b', 'c', 'd'].map(async (prefix) => {
        await list(authorizer, 'resources/list', { resources: uris(prefix === 'd' ? 10 : 60, prefix) });
        finished.push(prefix);
      });
      await Promise.all(lists);
    });
    expect(sum(counts)).to.equal(190);
    expect(Math.max(...counts)).to.be.at.most(MAX_DECISIONS_PER_TURN);
    expect(finished[0]).to.equal('d');
  });

  it('removes the same items in many turns as in one', async () => {
    const { authorizer } = open('permit(principal, action, resource == Resource::"file:///a/7");');
    const verdict = await list(authorizer, 'resources/list', { resources: uris(30) });
    expect(removedBy(verdict)).to.deep.equal(
      Array.from({ length: 30 }, (_, at) => at).filter((at) => at !== 7),
    );
  });

  it('decides about all items by the new policies when they change in between', async () => {
    const { authorizer } = open(ALL);
    const result = Object.freeze({ resources: uris(50) });
    const pending = list(authorizer, 'resources/list', result);
    await nextTurn();
    authorizer.adopt(configOf([NONE]).cedar, readyPolicies(NONE));
    expect(removedBy(await pending)).to.have.length(50);
    expect(removedBy(await list(authorizer, 'resources/list', result)), 'the same list again').to.have.length(
      50,
    );
  });

  it('decides by the annotations of its own list when another list comes in between', async () => {
    const { authorizer } = open(READ_ONLY);
    const safe = tools(50).map((tool) => ({ ...tool, annotations: { readOnlyHint: true } }));
    const result = Object.freeze({ tools: safe });
    const pending = list(authorizer, 'tools/list', result);
    await nextTurn();
    const unsafe = await list(authorizer, 'tools/list', { tools: tools(50) });
    expect(removedBy(await pending)).to.have.length(0);
    expect(removedBy(unsafe)).to.have.length(50);
    expect(removedBy(await list(authorizer, 'tools/list', result)), 'the same list again').to.have.length(0);
  });

  it('accepts lists of the maximum size', async () => {
    const { authorizer, logger } = open(ALL);
    const resources = Array.from({ length: MAX_LISTED_ITEMS }, () => ({ uri: 'file:///a' }));
    expect(await list(authorizer, 'resources/list', { resources })).to.equal(undefined);
    expect(logger.lines).to.deep.equal([]);
  });

  const tooLong: Readonly<Record<string, readonly [member: string, items: readonly object[]]>> = {
    'tools/list': ['tools', tools(MAX_LISTED_ITEMS + 1)],
    'prompts/list': ['prompts', tools(MAX_LISTED_ITEMS + 1)],
    'resources/list': ['resources', uris(MAX_LISTED_ITEMS + 1)],
    'resources/templates/list': [
      'resourceTemplates',
      Array.from({ length: MAX_LISTED_ITEMS + 1 }, (_, at) => ({ uriTemplate: `file:///${at}/{x}` })),
    ],
    'tasks/list': ['tasks', Array.from({ length: MAX_LISTED_ITEMS + 1 }, (_, at) => ({ taskId: `t${at}` }))],
  };

  function expectTooLong(verdict: ServerVerdict | undefined, logger: RecordingLogger, member: string): void {
    const message = `The server lists more than 5000 ${member}, the maximum that Portolan filters.`;
    expect(verdict).to.deep.equal({ refuse: { message, status: 502, code: -32_603 } });
    const fields = { list: member, items: MAX_LISTED_ITEMS + 1, maximum: MAX_LISTED_ITEMS };
    expect(logger.lines.map((line) => [line.level, line.fields])).to.deep.equal([['warn', fields]]);
  }

  for (const [method, [member, items]] of Object.entries(tooLong)) {
    it(`rejects a longer ${method} without a decision, and logs it`, async () => {
      const { authorizer, logger } = open(ALL);
      const cedar = countCedar();
      try {
        const verdict = await list(authorizer, method, { [member]: items });
        expectTooLong(verdict, logger, member);
        expect(cedar.questions).to.equal(0);
      } finally {
        cedar.stop();
      }
    });

    it(`rejects a longer ${method} without a request to the decision point, and logs it`, async () => {
      const logger = createRecordingLogger();
      const requests: unknown[] = [];
      const fetch: typeof globalThis.fetch = async (input) => {
        requests.push(input);
        return Response.json({ allow: true });
      };
      const http = { url: 'http://127.0.0.1:9', timeout: 30, insecure_skip_verify: false };
      const context = { include_args: false, include_operation: false };
      const pdp = { http, claim_mapping: 'standard', context, list_tasks: true } as const;
      const instance = await decisionPointAuthorization.create(
        { version: '1.0', type: 'httpv1', pdp },
        createTestProxyContext({ logger, openFetch: async () => ({ fetch, close: async () => undefined }) }),
      );
      opened.push(instance);
      expectTooLong(await list(instance, method, { [member]: items }), logger, member);
      expect(requests).to.deep.equal([]);
    });
  }

  it('rejects tools beyond 10,000 on all pages, and logs it', async () => {
    const { authorizer, logger } = open(ALL);
    const page = (prefix: string): Promise<unknown> => {
      const exchange = exchangeWith(undefined, request('tools/list', { cursor: prefix }));
      return Promise.resolve(authorizer.onResponse(respond({ tools: tools(4000, prefix) }), exchange));
    };
    for (const prefix of ['a', 'b']) expect(await page(prefix)).to.have.property('change');
    expect(await page('c'))
      .to.have.nested.property('refuse.message')
      .that.includes(`more than ${MAX_TOOLS} tools`);
    expect(logger.lines.map(({ level }) => level)).to.deep.equal(['warn']);
  });

  it('logs why a list cannot be filtered', async () => {
    const { authorizer, logger } = open(ALL);
    for (const result of [{}, { tools: [{ name: 'a' }, {}] }]) await list(authorizer, 'tools/list', result);
    expect(logger.lines.map(({ fields }) => fields)).to.deep.equal([
      { list: 'tools', fault: 'the response has no list "tools"' },
      { list: 'tools', fault: 'item 1 has no "name"' },
    ]);
  });
});
