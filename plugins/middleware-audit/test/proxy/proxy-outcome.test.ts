import type { MadeRefusal } from '@portolan/plugin-api';
import { expect } from 'chai';
import { outcomeOf, type ProxyOutcome } from '../../src/proxy/proxy-line.ts';

const refusal = (status: number, code = 'ERR_POLICY_REFUSED'): MadeRefusal => ({
  id: '1',
  code,
  status,
  error: { code: status, message: 'no' },
});

describe('outcomes of calls', () => {
  const table: readonly (readonly [
    outcome: ProxyOutcome,
    status: number,
    refused?: MadeRefusal | undefined,
    hasError?: boolean,
  ])[] = [
    ['success', 200],
    ['success', 202],
    ['application_error', 200, undefined, true],
    ['denied', 401],
    ['denied', 403],
    ['denied', 415],
    ['denied', 403, refusal(403)],
    ['denied', 400, refusal(400)],
    ['denied', 422, refusal(422)],
    ['failure', 429, refusal(429)],
    ['failure', 400, refusal(400, 'ERR_MESSAGE_INVALID')],
    ['failure', 404],
    ['failure', 405],
    ['failure', 413],
    ['failure', 0],
    ['failure', 302],
    ['error', 500],
    ['error', 502, refusal(502, 'ERR_ANSWER_UNREADABLE')],
    ['error', 503],
    // The response to a refused request has status 200, that to a refused notification 202.
    ['denied', 200, refusal(403)],
    ['denied', 200, refusal(404)],
    ['denied', 200, refusal(200)],
    ['denied', 202, refusal(403)],
    ['denied', 200, refusal(403, 'ERR_TOKEN_EXCHANGE')],
    ['failure', 200, refusal(429)],
    ['failure', 200, refusal(200, 'ERR_REQUEST_CANCELLED')],
    ['failure', 202, refusal(400, 'ERR_SERVER_IS_LEGACY')],
    ['error', 200, refusal(500)],
    ['error', 202, refusal(502, 'ERR_BACKEND_UNREACHABLE')],
    ['error', 200, refusal(503, 'ERR_SERVER_EXITED')],
  ];
  for (const [outcome, status, refused, hasError = false] of table) {
    it(`${status}${refused === undefined ? '' : `, refused with ${refused.code} ${refused.status}`}${hasError ? ', an error' : ''}: ${outcome}`, () => {
      expect(outcomeOf({ status, refusal: refused, hasError })).to.equal(outcome);
    });
  }
});
