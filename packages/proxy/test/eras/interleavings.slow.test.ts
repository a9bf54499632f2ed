import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { EraClient, modernParams } from '../support/era-client.ts';
import { EraServers, legacyScript } from '../support/era-servers.ts';
import { modernScript } from '../support/modern-script.ts';

const CALLERS = ['ada', 'bob', 'eve'] as const;

interface Step {
  readonly caller: number;
  readonly asks: boolean;
  readonly reports: boolean;
}

const STEPS = fc.array(fc.record({ caller: fc.nat({ max: 2 }), asks: fc.boolean(), reports: fc.boolean() }), {
  minLength: 1,
  maxLength: 12,
});

/** Returns parameters of a call to which the server responds with the name of its caller. */
function callOf({ caller, asks, reports }: Step, at: number): object {
  const name = CALLERS[caller];
  return {
    name: 'whose',
    arguments: { name, asks },
    ...(reports ? { _meta: { progressToken: `token-of-${name}-${at}` } } : {}),
  };
}

describe('interleaved calls of several callers', function () {
  this.timeout(120_000);
  const servers = new EraServers();
  afterEach(async () => expect(await servers.close()).to.equal(0));

  it('never mix with a Legacy server: responses, input, progress', async () => {
    const script = legacyScript((message, server) => {
      const { id, method, params, result } = message;
      if (method === 'tools/call') {
        const progressToken = params['_meta']?.progressToken;
        if (progressToken !== undefined)
          server.say({
            method: 'notifications/progress',
            params: { progressToken, message: params.arguments.name },
          });
        if (params.arguments.asks === true) {
          server.say({
            id: `ask-${String(id)}`,
            method: 'elicitation/create',
            params: { message: params.arguments.name },
          });
        } else server.say({ id, result: { content: [], name: params.arguments.name } });
      } else if (String(id).startsWith('ask-')) {
        const asked = server.sent.find((sent) => `ask-${String(sent.id)}` === id);
        const { name } = asked?.params.arguments ?? {};
        server.say({ id: asked?.id, result: { content: [], name, told: result?.content } });
      }
    });
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const { server } = servers.open(script);
        const connection = await server.openModern(new AbortController().signal);
        const reader = new EraClient(connection);
        const sendAs = (caller: number, id: string, params: object): Promise<void> => {
          const message = { jsonrpc: '2.0', id, method: 'tools/call', params };
          return connection.send(JSON.stringify(message), { owner: CALLERS[caller], exchange: undefined });
        };
        await Promise.all(
          steps.map(async (step, at) => {
            const name = CALLERS[step.caller];
            const params = callOf(step, at);
            await sendAs(step.caller, `call-${at}`, modernParams(params, { elicitation: {} }));
            let { result } = await reader.response(`call-${at}`);
            if (step.asks) {
              expect(result.inputRequests['input-1'].params.message).to.equal(name);
              const inputResponses = { 'input-1': { action: 'accept', content: { by: name } } };
              const retry = { ...params, inputResponses, requestState: result.requestState };
              await sendAs(step.caller, `retry-${at}`, modernParams(retry, { elicitation: {} }));
              ({ result } = await reader.response(`retry-${at}`));
              expect(result.told).to.deep.equal({ by: name });
            }
            expect(result.name).to.equal(name);
          }),
        );
        for (const { method, params } of reader.received)
          if (method === 'notifications/progress')
            expect(params.progressToken).to.include(`token-of-${params.message}-`);
        await server.close();
      }),
      { numRuns: 25 },
    );
  });

  it('never mix with a Modern server: responses, input, progress', async () => {
    const script = modernScript({
      received: ({ id, method, params }, server) => {
        if (method !== 'tools/call') return;
        const { name, asks } = params.arguments;
        const progressToken = params['_meta'].progressToken;
        if (progressToken !== undefined)
          server.say({ method: 'notifications/progress', params: { progressToken, message: name } });
        const result = { resultType: 'complete', content: [], name, told: params.inputResponses?.ask };
        const inputRequests = { ask: { method: 'elicitation/create', params: { message: name } } };
        const isAsking = asks === true && params.inputResponses === undefined;
        server.say({ id, result: isAsking ? { resultType: 'input_required', inputRequests } : result });
      },
    });
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const { server } = servers.open(script);
        await Promise.all(
          CALLERS.map(async (name, caller) => {
            const client = await EraClient.open(server.openLegacy);
            await client.greet({ elicitation: {} });
            const own = steps.filter((step) => step.caller === caller);
            const ids = own.map((_step, at) => at + 1);
            for (const [at, step] of own.entries())
              await client.send({ id: at + 1, method: 'tools/call', params: callOf(step, at) });
            const asks = own.filter((step) => step.asks);
            const requests = await eventually(() => {
              const asked = client.received.filter(({ method }) => method === 'elicitation/create');
              expect(asked).to.have.lengthOf(asks.length);
              return asked;
            });
            for (const { id, params } of requests) {
              expect(params.message).to.equal(name);
              await client.send({ id, result: { by: name } });
            }
            for (const id of ids) await client.response(id);
            for (const { id, method, params, result } of client.received) {
              if (ids.includes(id) && result !== undefined) expect(result.name).to.equal(name);
              if (result?.told !== undefined) expect(result.told).to.deep.equal({ by: name });
              if (method === 'notifications/progress')
                expect(params.progressToken).to.include(`token-of-${name}-`);
            }
          }),
        );
        await server.close();
      }),
      { numRuns: 25 },
    );
  });
});
