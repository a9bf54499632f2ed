import { createRequire } from 'node:module';
import type { ClientExchange, ClientRequest, Identity, ServerMessage } from '@portolan/plugin-api';
import { median } from '../../registry/statistics.ts';
import { type Goal, toGoal } from '../goals.ts';
import type { TargetSource } from '../targets.ts';
import { openPolicies } from './open-policies.ts';
import { openPolicyBench } from './settings.ts';

/** Maximum ratio of a new list to the same decisions by Cedar directly. */
const OVER_DECISIONS = 1.2;
const TOOLS = 500;
const WARM_ROUNDS = 5;

// SAFETY: the same module; it has no ES module for Node.js.
const cedar = createRequire(import.meta.url)(
  '@cedar-policy/cedar-wasm/nodejs',
) as typeof import('@cedar-policy/cedar-wasm/nodejs');

/**
 * Compares an uncached tool list for a new caller with one direct Cedar decision per tool. Both run in this
 * process, in alternation.
 */
export async function measureListDecisions(source: TargetSource, rounds: number): Promise<readonly Goal[]> {
  const bench = await openPolicyBench(source.folder, source.undo);
  const file = await bench.file('list-decisions', { middleware: bench.cedar });
  const { middleware = [] } = await openPolicies(file, 'stdio');
  source.undo.push('the policies', async () => {
    for (const { instance } of middleware) await instance.close?.();
  });
  const [judging] = middleware.filter(({ instance }) => instance.onResponse !== undefined);
  if (judging?.instance.onResponse === undefined) throw new Error('Cedar judges no answers');
  const { instance } = judging;
  const names = Array.from({ length: TOOLS }, (_none, at) => `tool-${at}`);
  const staticPolicies = Object.fromEntries(bench.policies.map((text, at) => [`policy${at}`, text]));
  cedar.preparsePolicySet('bench', { staticPolicies });
  const ratios: number[] = [];
  for (let round = 0; round < WARM_ROUNDS + rounds; round += 1) {
    const caller = callerOf(round);
    const { answer, exchange } = listFor(names, caller);
    const began = performance.now();
    await instance.onResponse?.(answer, exchange);
    const judged = performance.now();
    for (const name of names) decide(caller, name);
    const decided = performance.now();
    if (round >= WARM_ROUNDS) ratios.push((judged - began) / (decided - judged));
  }
  return [
    toGoal('500 tools, new to a caller: over decisions', 'at most', OVER_DECISIONS, median(ratios), '×'),
  ];
}

function callerOf(round: number): Identity {
  const subject = `caller-${round}`;
  const groups = ['everybody', `team-${round % 7}`];
  return {
    subject,
    claims: {
      sub: subject,
      name: `Caller ${round}`,
      email: `${subject}@acme.example`,
      groups,
      scope: 'mcp',
    },
  };
}

function listFor(
  names: readonly string[],
  caller: Identity,
): { readonly answer: ServerMessage; readonly exchange: ClientExchange } {
  const result = { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) };
  const request: ClientRequest = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: {},
    remoteAddress: '127.0.0.1',
    receivedAt: new Date(),
    caller,
    program: undefined,
  };
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
  return {
    answer: { kind: 'response', text, id: '1', result, error: undefined },
    exchange: {
      request,
      caller,
      era: 'legacy',
      sessionId: undefined,
      isBatch: false,
      message: { kind: 'request', text: '', id: '1', method: 'tools/list', params: {} },
    },
  };
}

/** Calls Cedar in the simplest way, without regard to cost. */
function decide({ subject, claims }: Identity, name: string): void {
  const { groups, ...others } = claims;
  const attrs = Object.fromEntries(
    Object.entries(others).map(([claim, value]) => [`claim_${claim}`, String(value)]),
  );
  const parents = (Array.isArray(groups) ? groups : []).map((id) => ({ type: 'THVGroup', id: String(id) }));
  const principal = { type: 'Client', id: subject };
  const resource = { type: 'Tool', id: name };
  const answer = cedar.statefulIsAuthorized({
    principal,
    action: { type: 'Action', id: 'call_tool' },
    resource,
    context: attrs,
    preparsedPolicySetId: 'bench',
    entities: [
      { uid: principal, attrs, parents },
      {
        uid: resource,
        attrs: { name, operation: 'call', feature: 'tool' },
        parents: [{ type: 'MCP', id: 'bench' }],
      },
    ],
  });
  if (answer.type !== 'success') throw new Error('Cedar does not decide');
}
