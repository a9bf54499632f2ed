import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onEachEngine, type Scene } from './on-each-engine.ts';
import { onSharedServers } from './on-shared-servers.ts';
import { entryPath, newName, readPath } from './person.ts';

const WARNING = 'Authorization not configured, per-entry claims filtering disabled (auth-only mode)';

const CONFIG: Json = {
  sources: [{ name: 'published', managed: {}, claims: { org: 'acme' } }],
  registries: [{ name: 'main', sources: ['published'], claims: { org: 'acme' } }],
};
const AUDITED: Json = { ...CONFIG, audit: { enabled: true, logFile: './audit.log' } };

const warnings = ({ server }: Scene): readonly unknown[] =>
  server.process.log.filter(({ msg }) => msg === WARNING).map(({ level }) => level);

interface AuditLine {
  readonly type: string;
  readonly outcome: string;
  readonly subjects: Json;
  readonly target: Json;
}

onSharedServers('section 6, events in auth-only mode', 'auth-only', (scene) => {
  it(`"it logs a warning at startup with the text ${WARNING}", once`, () => {
    expect(warnings(scene())).to.deep.equal(['warn']);
  });

  it('"Audit logging exists as a separate configurable feature": without it, no audit log is written', async () => {
    const { server, person } = scene();
    expect(await person({}).asks('GET', '/v1/me')).to.equal(200);
    expect(await readAudit(scene())).to.equal('');
    expect(server.process.log.filter(({ level }) => level === 'AUDIT')).to.deep.equal([]);
  });
});

onEachEngine('section 6, events in full mode', { mode: 'full', config: AUDITED }, (scene) => {
  it('no warning is logged when authorization is configured', () => {
    expect(warnings(scene())).to.deep.equal([]);
  });

  it('"Audit logging exists as a separate configurable feature": a line for each request and refusal', async () => {
    const { server, person, admin } = scene();
    const name = newName();
    const secret = `secret-${server.issuer.kid.slice(0, 8)}`;
    const caller = person({ sub: 'ada', org: 'acme', hidden: secret });
    const body = { server: serverDocument(name), claims: { org: 'acme', key: secret } };
    await admin.must('POST', '/v1/entries', body);
    await admin.must('PUT', `${entryPath(name)}/claims`, { claims: { org: 'acme' } });
    expect(await caller.asks('GET', readPath(name))).to.equal(200);
    expect(await caller.asks('POST', '/v1/entries', body)).to.equal(403);
    expect(await person({ sub: 'eve' }).asks('GET', '/registry/main/v0.1/servers')).to.equal(403);
    expect(await person().asks('GET', '/v1/sources')).to.equal(401);
    expect(await caller.asks('GET', readPath('com.acme/absent'))).to.equal(404);
    await admin.must('DELETE', `${entryPath(name)}/versions/1.0.0`);

    const expected: readonly (readonly [type: string, outcome: string, subject: string])[] = [
      ['entry.publish', 'success', 'someone'],
      ['entry.claims.update', 'success', 'someone'],
      ['server.version.read', 'success', 'ada'],
      ['entry.publish', 'denied', 'ada'],
      ['server.list', 'denied', 'eve'],
      ['auth.unauthenticated', 'denied', 'unknown'],
      ['server.version.read', 'failure', 'ada'],
      ['entry.delete', 'success', 'someone'],
    ];
    const text = await readAudit(scene(), expected.length);
    const lines = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditLine);
    const told = lines.map(({ type, outcome, subjects }) => [
      type,
      outcome,
      subjects['sub'] ?? subjects['identity'],
    ]);
    expect(told).to.deep.equal(expected);
    expect(text).to.not.include(secret);
    expect(text).to.not.include(server.token({ sub: 'ada' }).split('.')[0]);
  });
});

/** Returns the audit log once it has this number of lines. */
async function readAudit({ server }: Scene, lines = 0): Promise<string> {
  const file = path.join(server.folder, 'audit.log');
  let text = '';
  for (const deadline = Date.now() + 40_000; Date.now() < deadline; await delay(20)) {
    text = await readFile(file, 'utf8').catch(() => '');
    if (text.split('\n').length > lines) break;
  }
  return text;
}
