import { expect } from 'chai';
import { RegistryInProcess } from '../../support/registry-in-process.ts';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const config = {
  sources: [{ name: 'drafts', managed: {} }],
  registries: [{ name: 'main', sources: ['drafts'] }],
};

/** Addresses that people derive from the client's one, and their redirects. */
const LEADS = [
  { from: '/registry/main', to: '/browse/main' },
  { from: '/registry/main/?x=1', to: '/browse/main' },
  { from: '/registry/gone', to: '/browse/gone' },
  { from: '/registry/main/v0.1', to: '/browse/main' },
  { from: '/registry/main/v0/', to: '/browse/main' },
  { from: '/registry/main/v0.1/servers/com.acme%2Fnotes', to: '/browse/main/servers/com.acme/notes' },
  { from: '/registry/main/v0.1/servers/notes', to: '/browse/main/servers/-/notes' },
  // There is no other host, header or page.
  { from: '/registry/%2F%2Fevil.example', to: '/browse/%2F%2Fevil.example' },
  { from: '/registry/%5Cevil.example', to: '/browse/%5Cevil.example' },
  { from: '/registry/a%0d%0aX-Injected:%20yes', to: '/browse/a%0D%0AX-Injected%3A%20yes' },
  { from: '/registry/main%3Fq=1%23x', to: '/browse/main%3Fq%3D1%23x' },
];

const LEADS_NOWHERE = [
  '/registry//evil.example',
  '/registry/main/servers',
  '/registry/main/v0.2',
  '/registry/main/v0.1/x',
  '//registry/main',
  '/x/registry/main',
];

describe('the setting that enables pages', () => {
  const answers = async (registry: RegistryInProcess, target: string, accept: string) => {
    const answer = await fetch(`${registry.url}${target}`, { headers: { accept } });
    return { status: answer.status, text: await answer.text() };
  };

  it('leaves responses to clients unchanged, and shows pages to browsers', async () => {
    const off = await RegistryInProcess.start(config);
    const on = await RegistryInProcess.start({
      ...config,
      pages: { 'web-console': { title: 'Acme tools' } },
    });
    try {
      for (const target of [
        '/',
        '/registry',
        '/registry/main/v0.1/servers',
        '/openapi.json',
        '/nowhere',
        '/registry/main',
        '/registry/gone/v0.1',
        '/v1/sources',
      ]) {
        const [without, withPages] = [
          await answers(off, target, 'application/json'),
          await answers(on, target, 'application/json'),
        ];
        const sameAddress = withPages.text.replaceAll(on.url, off.url);
        // Removes what differs between requests and between servers.
        const plain = (text: string) => text.replace(/"(?:requestId|createdAt|updatedAt)":"[^"]*"/g, '');
        expect({ ...withPages, text: plain(sameAddress) }, target).to.deep.equal({
          ...without,
          text: plain(without.text),
        });
      }
      expect((await answers(on, '/', HTML)).text).to.include('<title>Acme tools</title>');
      expect((await answers(on, '/browse/main', HTML)).status).to.equal(200);
      for (const target of ['/nowhere', '/browse/main/servers', '/registry/main/x/y?a=<b>', '/v1/nowhere']) {
        const page = await answers(on, target, HTML);
        expect(page.status, target).to.equal(404);
        expect(page.text, target).to.include('nothing at this address').and.not.include('<b>');
        expect((await answers(on, target, '*/*')).text, target).to.include('ERR_ROUTE_NOT_FOUND');
      }
      // An address with other methods is refused as before.
      expect(await answers(on, '/logout', HTML)).to.deep.include({ status: 405 });
      expect((await answers(off, '/', HTML)).text).to.include(
        'Give the address of a registry to your client.',
      );
      expect(await answers(off, '/browse/main', HTML)).to.deep.include({ status: 404 });
    } finally {
      await on.stop();
      await off.stop();
    }
  });

  it('has no management pages without the admin API', async () => {
    const pages = { 'web-console': {} };
    const on = await RegistryInProcess.start({ ...config, pages });
    const off = await RegistryInProcess.start({
      ...config,
      pages,
      server: { address: '127.0.0.1:0', internalAddress: 'off', adminApi: false },
    });
    try {
      for (const target of ['/manage/sources', '/manage/publish', '/manage/registries']) {
        expect((await answers(on, target, HTML)).status, target).to.equal(200);
        expect((await answers(off, target, HTML)).status, target).to.equal(404);
      }
      expect((await answers(on, '/', HTML)).text).to.include('Administration');
      const home = await answers(off, '/', HTML);
      expect(home.status).to.equal(200);
      expect(home.text).not.to.include('Administration');
      expect((await answers(off, '/browse/main', HTML)).status).to.equal(200);
    } finally {
      await on.stop();
      await off.stop();
    }
  });

  it('redirects browsers from the address of a registry to its page, also for an unknown registry', async () => {
    const on = await RegistryInProcess.start({ ...config, pages: { 'web-console': {} } });
    try {
      const ask = async (target: string, options: RequestInit = {}) => {
        const answer = await fetch(`${on.url}${target}`, {
          headers: { accept: HTML },
          redirect: 'manual',
          ...options,
        });
        await answer.arrayBuffer();
        return answer;
      };
      for (const { from, to } of LEADS) {
        for (const method of ['GET', 'HEAD']) {
          const { status, headers } = await ask(from, { method });
          expect([status, headers.get('location')], `${method} ${from}`).to.deep.equal([303, to]);
          expect(headers.get('vary'), from).to.include('Accept');
          expect(headers.get('cache-control'), from).to.equal('no-store');
        }
        expect((await ask(from, { method: 'POST' })).status, from).to.equal(404);
        for (const accept of ['application/json', '*/*'])
          expect((await ask(from, { headers: { accept } })).status, `${from} as ${accept}`).to.equal(404);
      }
      for (const target of LEADS_NOWHERE) {
        const { status, headers } = await ask(target);
        expect([status, headers.get('location')], target).to.deep.equal([404, null]);
      }
      expect((await ask('/registry/main', { redirect: 'follow' })).status).to.equal(200);
      expect((await ask('/registry/gone', { redirect: 'follow' })).status).to.equal(404);
    } finally {
      await on.stop();
    }
  });

  it('redirects below the published path prefix of the server', async () => {
    const on = await RegistryInProcess.start({
      ...config,
      server: { publicUrl: 'https://tools.example/mcp/' },
      pages: { 'web-console': {} },
    });
    try {
      const answer = await fetch(`${on.url}/registry/main`, {
        headers: { accept: HTML },
        redirect: 'manual',
      });
      expect(answer.headers.get('location')).to.equal('/mcp/browse/main');
    } finally {
      await on.stop();
    }
  });
});
