import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onEachEngine } from './on-each-engine.ts';
import { newName, readPath } from './person.ts';

const CONFIG: Json = {
  sources: [
    { name: 'published', managed: {}, claims: { org: 'acme' } },
    { name: 'abroad', managed: {}, claims: { org: 'other' } },
  ],
  registries: [{ name: 'main', sources: ['published'], claims: { org: 'acme' } }],
  audit: { enabled: true, logFile: './audit.log' },
};

onEachEngine('a dry run of publishing', { mode: 'full', config: CONFIG }, (scene) => {
  const publisher = () => scene().person({ org: 'acme', role: 'entries' });

  it('POST /v1/entries?dryRun › returns the response of a publish and stores nothing', async () => {
    const name = newName();
    const body = { server: serverDocument(name), claims: { org: 'acme' } };
    const tried = await publisher().send('POST', '/v1/entries?dryRun=true', body);
    expect(tried.status).to.equal(200);
    expect(tried.headers.get('location')).to.equal(null);
    const { entry, ...head } = tried.json();
    expect(head).to.deep.equal({
      dryRun: true,
      status: 201,
      type: 'server',
      name,
      version: '1.0.0',
      source: 'published',
      claims: { org: 'acme' },
      isLatest: true,
    });
    expect(await scene().admin.asks('GET', readPath(name))).to.equal(404);
    const published = await publisher().send('POST', '/v1/entries', body);
    expect(published.status).to.equal(201);
    expect(published.json()).to.deep.equal(entry);
  });

  it('POST /v1/entries?dryRun › refuses with the status and message of a publish', async () => {
    const name = newName();
    expect((await publisher().publish(name, { org: 'acme' })).status).to.equal(201);
    const document = (version: string) => ({ server: serverDocument(name, version) });
    const bodies: readonly (readonly [expected: number, query: string, body: Json])[] = [
      [400, '', document('1.1.0')],
      [400, '', { ...document('latest'), claims: { org: 'acme' } }],
      [403, '', { ...document('1.1.0'), claims: { org: 'other' } }],
      [403, 'source=abroad&', { ...document('1.1.0'), claims: { org: 'acme' } }],
      [409, '', { ...document('1.0.0'), claims: { org: 'acme' } }],
    ];
    for (const [status, query, body] of bodies) {
      const tried = await publisher().send('POST', `/v1/entries?${query}dryRun=true`, body);
      const meant = await publisher().send('POST', `/v1/entries?${query}`, body);
      expect(tried.status, JSON.stringify(body)).to.equal(status);
      const { requestId: _, ...said } = tried.json();
      const { requestId: __, ...asked } = meant.json();
      expect(said).to.deep.equal(asked);
    }
    const reader = scene().person({ org: 'acme' });
    expect(await reader.asks('POST', '/v1/entries?dryRun=true', document('1.1.0'))).to.equal(403);
    expect(await scene().person().asks('POST', '/v1/entries?dryRun=true', document('1.1.0'))).to.equal(401);
  });

  for (const value of ['', '=', '=yes', '=1', '=True'])
    it(`POST /v1/entries?dryRun › responds 400 to an invalid value: dryRun${value}`, async () => {
      const name = newName();
      const body = { server: serverDocument(name), claims: { org: 'acme' } };
      expect(await publisher().asks('POST', `/v1/entries?dryRun${value}`, body)).to.equal(400);
      expect(await scene().admin.asks('GET', readPath(name))).to.equal(404);
    });

  it('POST /v1/entries?dryRun › has a mark in the audit log, refused or not', async () => {
    const body = { server: serverDocument(newName()), claims: { org: 'acme' } };
    await publisher().must('POST', '/v1/entries?dryRun=true', body, { 'x-request-id': 'tried' });
    const reader = scene().person({ org: 'acme' });
    await reader.send('POST', '/v1/entries?dryRun=true', body, { 'x-request-id': 'refused' });
    await publisher().must('POST', '/v1/entries?dryRun=false', body, { 'x-request-id': 'meant' });
    const file = path.join(scene().server.folder, 'audit.log');
    const typeOf = async (id: string): Promise<string | undefined> => {
      for (const line of (await readFile(file, 'utf8')).split('\n').slice(0, -1))
        if (line.includes(`"request_id":"${id}"`)) return String(JSON.parse(line).type);
      return undefined;
    };
    await eventually(async () => expect(await typeOf('meant')).to.not.equal(undefined));
    expect(await typeOf('tried')).to.equal('entry.publish.dry_run');
    expect(await typeOf('refused')).to.equal('entry.publish.dry_run');
    expect(await typeOf('meant')).to.equal('entry.publish');
  });
});
