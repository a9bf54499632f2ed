import { expect } from 'chai';
import { RegistryInProcess } from '../../support/registry-in-process.ts';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const config = {
  sources: [{ name: 'drafts', managed: {} }],
  registries: [{ name: 'main', sources: ['drafts'] }],
};

describe('the line of the configuration that switches pages on', () => {
  const answers = async (registry: RegistryInProcess, target: string, accept: string) => {
    const answer = await fetch(`${registry.url}${target}`, { headers: { accept } });
    return { status: answer.status, text: await answer.text() };
  };

  it('leaves what clients get as it is, and shows pages to browsers', async () => {
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
        '/v1/sources',
      ]) {
        const [without, withPages] = [
          await answers(off, target, 'application/json'),
          await answers(on, target, 'application/json'),
        ];
        const sameAddress = withPages.text.replaceAll(on.url, off.url);
        // What differs from one request to the next, and from one server to the next.
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
      // An address that other methods have is refused as it was.
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
});
