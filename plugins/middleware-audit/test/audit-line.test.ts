import { expect } from 'chai';
import fc from 'fast-check';
import { ROLES } from '@portolan/plugin-api';
import { formatAuditLine, formatLostLine, type LineOptions } from '../src/audit-line.ts';
import { accessRecord } from './access-record.ts';
import { trials } from '../../../test/support/soak.ts';

const options: LineOptions = { includeRequestData: false, includeClaimValues: false, maxDataSize: 1024 };

function lineOf(overrides: Parameters<typeof accessRecord>[0] = {}, changed: Partial<LineOptions> = {}) {
  const record = accessRecord(overrides);
  return formatAuditLine(
    { record, type: record.event ?? 'request.unknown', id: 'id-1' },
    { ...options, ...changed },
  );
}

function valueOf(...given: Parameters<typeof lineOf>) {
  return JSON.parse(lineOf(...given));
}

describe('formatAuditLine', () => {
  it('writes every field in a fixed order', () => {
    expect(lineOf()).to.equal(
      JSON.stringify({
        time: '2026-02-03T10:20:01.500Z',
        level: 'AUDIT',
        msg: 'audit_event',
        audit_id: 'id-1',
        type: 'entry.publish',
        logged_at: '2026-02-03T10:20:01.500Z',
        outcome: 'success',
        component: 'portolan-registry',
        source: { type: 'network', value: '10.1.4.9:52110', extra: { user_agent: 'curl/8.5' } },
        subjects: { sub: 'u-1842', user: 'Ada', roles: ['manageEntries'] },
        target: { method: 'POST', path: '/v1/entries', resource_type: 'entry' },
        metadata: {
          extra: {
            request_id: 'r-1',
            status: 201,
            duration_ms: 18,
            response_bytes: 412,
            because: 'claims',
            provider: 'acme',
            route: '/v1/entries',
          },
        },
      }),
    );
  });

  const outcomes = [
    { outcome: 'success', statuses: [200, 201, 202, 204, 302, 303, 304] },
    { outcome: 'denied', statuses: [401, 403] },
    { outcome: 'failure', statuses: [400, 404, 405, 409, 412, 413, 499] },
    { outcome: 'error', statuses: [500, 503, 504, 101] },
  ];
  for (const { outcome, statuses } of outcomes) {
    it(`maps ${statuses.join(', ')} to ${outcome}`, () => {
      expect(statuses.map((status) => valueOf({ status }).outcome)).to.deep.equal(
        statuses.map(() => outcome),
      );
    });
  }

  const nobody = { subject: undefined, user: undefined, roles: [] };
  const subjects = [
    { title: 'nobody', record: nobody, expected: { identity: 'anonymous' } },
    {
      title: 'a failed authentication',
      record: { ...nobody, status: 401 },
      expected: { identity: 'unknown' },
    },
    {
      title: 'a caller without a name',
      record: { user: undefined, roles: [] },
      expected: { sub: 'u-1842', roles: [] },
    },
    {
      title: 'a superAdmin',
      record: { roles: ROLES },
      expected: { sub: 'u-1842', user: 'Ada', roles: ROLES, role: 'super_admin' },
    },
  ];
  for (const { title, record, expected } of subjects) {
    it(`names ${title}`, () => {
      expect(valueOf(record).subjects).to.deep.equal(expected);
    });
  }

  it('keeps the escapes of the target', () => {
    const target = {
      resourceType: 'skill',
      resourceName: 'com.acme%2Fnotes',
      registryName: 'main',
      namespace: 'com.acme',
      entryType: 'skill',
      version: '1.0.0',
    } as const;
    expect(valueOf({ target, method: 'DELETE', path: '/v1/x%2Fy' }).target).to.deep.equal({
      method: 'DELETE',
      path: '/v1/x%2Fy',
      resource_type: 'skill',
      resource_name: 'com.acme%2Fnotes',
      registry_name: 'main',
      namespace: 'com.acme',
      entry_type: 'skill',
      version: '1.0.0',
    });
  });

  it('names the registry that was found when the target does not', () => {
    expect(valueOf({ target: {}, registry: 'main' }).target.registry_name).to.equal('main');
  });

  it('marks an unknown peer address', () => {
    expect(valueOf({ remoteAddress: '' }).source.value).to.equal('unknown');
  });

  it('never contains a query, in path or route', () => {
    const line = lineOf({ path: '/v1/me?access_token=hush', route: '/v1/me?access_token=hush#hush' });
    expect(line).not.to.include('hush');
    expect(JSON.parse(line).target.path).to.equal('/v1/me');
  });

  it('masks web tokens in texts that the client chooses', () => {
    const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1In0.c2lnbmF0dXJl';
    const line = lineOf({
      path: `/registry/${token}`,
      route: `/registry/${token}`,
      requestId: token,
      userAgent: `agent Bearer ${token}`,
      forwardedFor: token,
      target: { resourceName: `x%20${token}` },
    });
    expect(line).not.to.include('eyJ').and.not.to.include('c2lnbmF0dXJl');
    expect(JSON.parse(line).target.path).to.equal('/registry/[secret]');
  });

  it('contains no part of a token, a query, a secret or a claim, in any context', () => {
    const parts = ['eyJhbGciOiJSUzI1NiJ9', 'eyJzdWIiOiJ1LTE4NDIifQ', 'Qm9uIHZveWFnZSBuYXZpZ2F0ZXVy'];
    const hidden = 'Hu5h-7f3a9c';
    const around = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('.', '-', 'e', 'J', '%', ' ', '"', '\\') }),
    );
    const text = fc.tuple(around, around).map(([before, after]) => `${before}${parts.join('.')}${after}`);
    fc.assert(
      fc.property(text, text, text, text, fc.boolean(), (first, second, third, fourth, isJson) => {
        const body = JSON.stringify({ [first]: second, claims: { x: hidden }, token: hidden });
        const line = lineOf(
          {
            path: `/${first}?x=${hidden}`,
            route: `/${second}?x=${hidden}`,
            userAgent: second,
            forwardedFor: third,
            requestId: fourth,
            subject: first,
            target: { resourceName: second, version: third },
            requestBody: Buffer.from(isJson ? body : body.slice(1)),
          },
          { includeRequestData: true },
        );
        for (const secret of [...parts, hidden]) expect(line).not.to.include(secret);
      }),
      trials({ short: 2000 }),
    );
  });

  it('truncates the user agent to 512 characters, and other client texts to 2048', () => {
    const long = 'a'.repeat(5000);
    const { source, target, metadata } = valueOf({
      userAgent: long,
      forwardedFor: long,
      path: `/${long}`,
      requestId: long,
      target: { resourceName: long },
    });
    expect([
      source.extra.user_agent.length,
      source.extra.x_forwarded_for.length,
      target.path.length,
      target.resource_name.length,
      metadata.extra.request_id.length,
    ]).to.deep.equal([512, 2048, 2048, 2048, 2048]);
  });

  it('splits no character, and replaces lone surrogates', () => {
    const { source } = valueOf({ userAgent: `${'a'.repeat(511)}🧭`, forwardedFor: 'x\ud83dy' });
    expect(source.extra.user_agent).to.equal('a'.repeat(511));
    expect(source.extra.x_forwarded_for).to.equal('x\ufffdy');
  });

  it('writes a single line for any reader of lines, and no character that moves the cursor', () => {
    const tricks = '\n\r\v\f\u0000\u001b[2J\u007f\u0085\u009b2J\u2028\u2029\u202e\u2066\ufeff"\\';
    const line = lineOf({ userAgent: tricks, subject: tricks, path: `/${tricks}` });
    expect(line).to.match(/^[\u0020-\u007e]+$/);
    expect(JSON.parse(line).source.extra.user_agent).to.equal(tricks);
  });

  describe('with includeRequestData', () => {
    const body = (text: string) => ({ requestBody: Buffer.from(text) });

    it('contains the body', () => {
      const { data } = valueOf(body('{"server":{"name":"a/b"}}'), { includeRequestData: true });
      expect(data).to.deep.equal({ server: { name: 'a/b' } });
    });

    it('omits an unread or empty body', () => {
      expect(valueOf({}, { includeRequestData: true })).not.to.have.property('data');
      expect(valueOf(body(''), { includeRequestData: true })).not.to.have.property('data');
    });

    it('omits the body by default', () => {
      expect(valueOf(body('{"a":1}'))).not.to.have.property('data');
    });
  });
});

describe('formatLostLine', () => {
  it('states the number of lost lines, and since when', () => {
    const since = new Date('2026-01-01T00:00:00Z');
    const until = new Date('2026-01-01T00:01:00Z');
    expect(JSON.parse(formatLostLine({ count: 3, since, until }, 'id-2'))).to.deep.equal({
      time: '2026-01-01T00:01:00.000Z',
      level: 'AUDIT',
      msg: 'audit_event',
      audit_id: 'id-2',
      type: 'audit.lost',
      logged_at: '2026-01-01T00:01:00.000Z',
      outcome: 'error',
      component: 'portolan-registry',
      source: { type: 'local', value: 'audit' },
      subjects: { identity: 'system' },
      target: {},
      metadata: { extra: { lost: 3, since: '2026-01-01T00:00:00.000Z' } },
    });
  });
});
