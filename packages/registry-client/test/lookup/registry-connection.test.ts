import { createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { accessWith } from '../../src/connection/registry-access.ts';
import { RegistryConnection } from '../../src/lookup/registry-connection.ts';
import { caught } from '../../../../test/support/caught.ts';
import {
  type Answer,
  type ScriptedRegistry,
  startScriptedRegistry,
} from '../../../../test/support/scripted-registry.ts';

describe('RegistryConnection', () => {
  let registry: ScriptedRegistry | undefined;
  let connection: RegistryConnection;

  beforeEach(() => {
    const context = { openFetch: createTestContext().openFetch, environment: {}, version: '0.1.0' };
    connection = new RegistryConnection(context, {
      allowPrivate: true,
      allowHttp: true,
      access: accessWith(undefined),
    });
  });
  afterEach(async () => {
    await connection.close();
    await registry?.close();
    registry = undefined;
  });

  const slow: readonly { readonly title: string; readonly answer: Answer }[] = [
    { title: 'never responds', answer: () => undefined },
    {
      title: 'stops in the middle of the response',
      answer: (_path, response) => void response.writeHead(200).write('{'),
    },
    {
      title: 'redirects, and then never responds',
      answer: ({ pathname }, response) => {
        if (pathname === '/') response.writeHead(302, { Location: '/there' }).end();
      },
    },
  ];
  for (const { title, answer } of slow) {
    it(`times out or stops for a registry that ${title}`, async () => {
      registry = await startScriptedRegistry(answer);
      const url = new URL(registry.url);
      const error = await caught(() => connection.get(url, { timeoutMs: 100, bytes: 1000 }));
      expect(error).to.include({ code: 'ERR_REGISTRY_TIMEOUT' });
      expect(error.message).to.contain(url.origin);
    });
  }

  it('rejects a redirect to another service on loopback, even when private addresses are permitted', async () => {
    let reached = 0;
    const inner = await startScriptedRegistry((_path, response) => {
      reached += 1;
      response.end('{}');
    });
    registry = await startScriptedRegistry(({ pathname }, response) => {
      if (pathname === '/') response.writeHead(302, { Location: inner.url }).end();
      else response.end('{}');
    });
    const { url } = registry;
    const error = await caught(() => connection.get(new URL(url), { timeoutMs: 5000, bytes: 1000 }));
    await inner.close();
    expect(error).to.include({ code: 'ERR_LOOKUP_PRIVATE_ADDRESS' });
    expect(reached).to.equal(0);
  });

  it('returns the response with any status', async () => {
    registry = await startScriptedRegistry((_path, response) => {
      response.writeHead(418, { 'Content-Type': 'text/plain; charset=utf-8' }).end('short and stout');
    });
    const { status, contentType, body } = await connection.get(new URL(registry.url), {
      timeoutMs: 5000,
      bytes: 1000,
    });
    expect({ status, contentType, text: body.toString() }).to.deep.equal({
      status: 418,
      contentType: 'text/plain',
      text: 'short and stout',
    });
  });
});
