import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Finished } from '../../../support/command-line.ts';
import type { DecodedSpan } from '../../../support/otlp/decode-otlp.ts';
import type { GuardedWorkload } from './guarded-workload.ts';

/**
 * Number of calls at the same time. With the default sampling of a tenth, it is practically certain that one
 * is traced.
 */
const TRACED_CALLS = 6;

const TRACED = new WeakMap<GuardedWorkload, Promise<DecodedSpan>>();

/** Returns the span of a call, where each of these calls has one. The calls run once. */
export async function spanOfCall(workload: GuardedWorkload): Promise<DecodedSpan> {
  const known = TRACED.get(workload) ?? traceCalls(workload);
  TRACED.set(workload, known);
  return await known;
}

async function traceCalls(workload: GuardedWorkload): Promise<DecodedSpan> {
  for (let call = 0; call < TRACED_CALLS; call += 1) await workload.call('repeat', { message: 'ahoy' });
  return await eventually(() => {
    const [found, ...more] = spansOf(workload);
    if (found === undefined || more.length + 1 < TRACED_CALLS) throw new Error('not all spans have come yet');
    return found;
  });
}

function spansOf({ around, name: server }: GuardedWorkload): readonly DecodedSpan[] {
  return around.collector.spans.filter(
    ({ name, attributes }) => name === 'tools/call echo' && attributes['mcp.server.name'] === server,
  );
}

/** Returns true if the collector received something from a workload. Each one has its own header. */
export function hasSent({ around, name }: GuardedWorkload, path: '/v1/traces' | '/v1/metrics'): boolean {
  return around.collector.requests.some(
    (request) => request.path === path && request.headers['x-from'] === name,
  );
}

const NEEDED = new Map<string, Promise<Finished>>();

/** Without the flag, the others refuse the start for every server. The command line runs once. */
export async function expectNeeded(
  { user }: GuardedWorkload,
  flags: readonly string[],
  says: RegExp,
): Promise<void> {
  const key = flags.join(' ');
  const asked =
    NEEDED.get(key) ?? user.portolan(['plan', '--transport=stdio', ...flags, 'portolan-test/node']);
  NEEDED.set(key, asked);
  const { status, stderr } = await asked;
  expect(status, stderr).to.equal(2);
  expect(stderr).to.match(says);
}

export async function askedOf(
  workload: GuardedWorkload,
): Promise<{ form: URLSearchParams; authorization: string | undefined }> {
  await workload.call('repeat');
  const { endpoint } = workload.around;
  const mine = endpoint.asked.findLast(({ form }) => form.get('audience') === workload.name);
  if (mine === undefined) throw new Error(`nothing was exchanged for ${workload.name}`);
  return { form: mine.form, authorization: mine.headers.authorization };
}

export async function expectOpaque(workload: GuardedWorkload): Promise<void> {
  const { introspecting, issuer } = workload.around;
  const claims = { iss: issuer.issuerUrl, aud: 'weather', sub: 'ann', client_id: 'planner' };
  const good = introspecting.issueOpaque(claims);
  expect((await workload.begin(good)).status).to.equal(200);
  const revoked = introspecting.issueOpaque(claims);
  introspecting.revoke(revoked);
  expect((await workload.begin(revoked)).status).to.equal(401);
}
