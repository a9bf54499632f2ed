import type { Publication, RegistryAdmin } from '@portolan/registry';
import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { json, refusalOf } from './support/responses.ts';
import { row } from './support/memory-reader.ts';
import { openRaw } from './support/raw-connection.ts';
import { startServer, type TestServer, untappedHooks } from './support/start-server.ts';

const PUBLISH = '/v1/entries';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('readBody in front of a publish stub', () => {
  let server: TestServer;
  const published: Publication[] = [];
  before(async () => {
    const admin: Pick<RegistryAdmin, 'publish'> = {
      publish: (_actor, publication) => {
        published.push(publication);
        return Promise.resolve(row({ name: 'com.acme/a' }));
      },
    };
    // SAFETY: nothing else is reached here.
    server = await startServer({ admin: admin as RegistryAdmin, bodyLimits: { bytes: 2000, lingerMs: 50 } });
  });
  after(() => server.close());
  beforeEach(() => void published.splice(0));

  const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = JSON_TYPE) =>
    server.get(PUBLISH, {
      method: 'POST',
      body,
      headers,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    });

  const refused = [
    {
      title: 'a text body',
      body: '{}',
      headers: { 'content-type': 'text/plain' },
      answer: '415 ERR_BODY_NOT_JSON',
    },
    {
      title: 'a form',
      body: 'a=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      answer: '415 ERR_BODY_NOT_JSON',
    },
    {
      title: 'a compressed body',
      body: '{}',
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      answer: '415 ERR_BODY_NOT_JSON',
    },
    { title: 'an empty body', body: '', headers: JSON_TYPE, answer: '400 ERR_BODY_INVALID' },
    { title: 'invalid JSON', body: '{"server":', headers: JSON_TYPE, answer: '400 ERR_BODY_INVALID' },
    { title: 'a list', body: '[]', headers: JSON_TYPE, answer: '400 ERR_BODY_INVALID' },
    {
      title: 'a duplicate key',
      body: '{"claims":{"org":"a","org":"b"}}',
      headers: JSON_TYPE,
      answer: '400 ERR_BODY_INVALID',
    },
    {
      title: 'a key __proto__',
      body: '{"claims":{"__proto__":{"org":"a"}}}',
      headers: JSON_TYPE,
      answer: '400 ERR_BODY_INVALID',
    },
    {
      title: 'a deeply nested body',
      body: `{"server":${'['.repeat(80)}${']'.repeat(80)}}`,
      headers: JSON_TYPE,
      answer: '400 ERR_BODY_INVALID',
    },
    {
      title: 'a large body',
      body: `{"server":"${'x'.repeat(3000)}"}`,
      headers: JSON_TYPE,
      answer: '413 ERR_BODY_TOO_LARGE',
    },
    {
      title: 'an unknown key of the envelope',
      body: '{"server":{},"claim":{"org":"acme"}}',
      headers: JSON_TYPE,
      answer: '400 ERR_BODY_INVALID',
    },
    { title: 'no document', body: '{"claims":{}}', headers: JSON_TYPE, answer: '400 ERR_BODY_INVALID' },
    {
      title: 'two documents',
      body: '{"server":{},"skill":{}}',
      headers: JSON_TYPE,
      answer: '400 ERR_BODY_INVALID',
    },
    {
      title: 'an invalid document',
      body: '{"server":[]}',
      headers: JSON_TYPE,
      answer: '400 ERR_BODY_INVALID',
    },
    {
      title: 'invalid claims',
      body: '{"server":{},"claims":[]}',
      headers: JSON_TYPE,
      answer: '400 ERR_BODY_INVALID',
    },
    {
      title: 'a claim that is a number',
      body: '{"server":{},"claims":{"org":1}}',
      headers: JSON_TYPE,
      answer: '400 ERR_BODY_INVALID',
    },
  ];
  for (const { title, body, headers, answer } of refused) {
    it(`responds ${answer} to ${title}, and publishes nothing`, async () => {
      expect(await refusalOf(post(body, headers))).to.equal(answer);
      expect(published).to.deep.equal([]);
    });
  }

  it('names the unknown key of the envelope', async () => {
    const answer = await post('{"server":{},"claim":{"org":"acme"}}', JSON_TYPE);
    const { error } = await json<{ error: string }>(answer);
    expect(error).to.equal('"claim" is unknown; expected server, skill, plugin, claims.');
  });

  it('responds 400 to a request without a body, without a complaint about its content type', async () => {
    const head = `POST ${PUBLISH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n`;
    const answer = await openRaw(server.publicUrl, head).closed;
    expect(answer).to.match(/^HTTP\/1\.1 400 /);
    expect(answer).to.include('The request body is invalid: it is empty.');
  });

  it('responds 400 to invalid UTF-8', async () => {
    expect(await refusalOf(post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))).to.equal(
      '400 ERR_BODY_INVALID',
    );
  });

  it('counts the bytes of a body without Content-Length', async () => {
    const chunks = async function* () {
      for (let at = 0; at < 100; at += 1)
        yield Buffer.from('{"a":"bcdefghijklmnopqrstuvwxyz"'.slice(at === 0 ? 0 : 6, 30));
    };
    expect(await refusalOf(post(ReadableStream.from(chunks())))).to.equal('413 ERR_BODY_TOO_LARGE');
  });

  it('accepts one document with its claims, and the source in the query', async () => {
    const body = JSON.stringify({
      server: { name: 'com.acme/a' },
      claims: { org: 'acme', team: ['a', 'b'] },
    });
    const answer = await server.get(`${PUBLISH}?source=drafts`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(answer.status).to.equal(201);
    expect(answer.headers.get('location')).to.equal('/v1/entries/server/com.acme%2Fa/versions/1.0.0');
    expect(published).to.deep.equal([
      {
        type: 'server',
        document: { name: 'com.acme/a' },
        claims: { org: 'acme', team: ['a', 'b'] },
        source: 'drafts',
      },
    ]);
  });
});

describe('runBeforePublish', () => {
  const publishWith = async (beforePublish: ReturnType<typeof untappedHooks>['beforePublish']) => {
    const published: Publication[] = [];
    const admin: Pick<RegistryAdmin, 'publish'> = {
      publish: (_actor, publication) => {
        published.push(publication);
        return Promise.resolve(row({ name: 'com.acme/a' }));
      },
    };
    // SAFETY: nothing else is reached here.
    const server = await startServer({
      admin: admin as RegistryAdmin,
      hooks: { ...untappedHooks(), beforePublish },
    });
    const answer = await server.get(PUBLISH, {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{"server":{},"claims":{"org":"acme"}}',
    });
    const result = { answer, published, body: await json<Record<string, unknown>>(answer.clone()) };
    await server.close();
    return result;
  };

  it('publishes what the hook returns', async () => {
    const { published } = await publishWith((request) =>
      Promise.resolve({ ...request, document: { name: 'com.acme/b' }, source: 'drafts' }),
    );
    expect(published).to.deep.equal([
      { type: 'server', document: { name: 'com.acme/b' }, claims: { org: 'acme' }, source: 'drafts' },
    ]);
  });

  it('validates the claims that the hook returns', async () => {
    const { answer, published } = await publishWith((request) =>
      // What a plugin in JavaScript may do all the same.
      Promise.resolve({ ...request, claims: { org: 5 } as unknown as Record<string, string> }),
    );
    expect(await refusalOf(answer)).to.equal('400 ERR_BODY_INVALID');
    expect(published).to.deep.equal([]);
  });

  it('responds with code, message and hint of a hook that refuses', async () => {
    const { answer, body, published } = await publishWith(() =>
      Promise.reject(
        new PortolanError('ERR_ACME_ICON', 'mistake', 'Every server of ours has an icon.', {
          hint: 'Add one.',
        }),
      ),
    );
    expect(answer.status).to.equal(400);
    expect(body).to.include({
      code: 'ERR_ACME_ICON',
      error: 'Every server of ours has an icon.',
      hint: 'Add one.',
    });
    expect(published).to.deep.equal([]);
  });

  it('responds with the status of the error class of the hook', async () => {
    const { answer, body } = await publishWith(() =>
      Promise.reject(new PortolanError('ERR_ACME_FROZEN', 'conflict', 'Nothing is published on Fridays.')),
    );
    expect(answer.status).to.equal(409);
    expect(body).to.include({ code: 'ERR_ACME_FROZEN', error: 'Nothing is published on Fridays.' });
  });

  it('shows no details of a hook that throws', async () => {
    const { answer, published } = await publishWith(() =>
      Promise.reject(new PortolanError('ERR_PLUGIN_HOOK', 'fault', 'The plugin "x" failed.')),
    );
    expect(await refusalOf(answer)).to.equal('500 ERR_INTERNAL');
    expect(published).to.deep.equal([]);
  });
});
