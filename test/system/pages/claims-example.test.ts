import { expect } from 'chai';
import { RunningPortolan, runPortolan } from '../../support/command-line.ts';
import { BackgroundProgram } from '../../support/examples/background-program.ts';
import { ExampleCopy } from '../../support/examples/example-copy.ts';
import { PageBrowser } from '../../support/pages/page-browser.ts';

const ISSUER = 'http://127.0.0.1:9480';
const PUBLIC_URL = 'http://127.0.0.1:8080';

describe('examples/claims-registry in a browser', function () {
  this.timeout(180_000);
  let copy: ExampleCopy;
  let issuer: BackgroundProgram;
  let issuerUrl: string;
  let server: RunningPortolan;
  let registry: string;

  before(async () => {
    copy = await ExampleCopy.make('claims-registry');
    const cwd = copy.folder;
    expect(await runPortolan([], { launcher: `${cwd}/session-key.ts`, cwd })).to.include({ status: 0 });
    issuer = new BackgroundProgram(['issuer.ts'], cwd);
    [, issuerUrl = ''] = await issuer.line(/^the issuer listens at (http.*)$/);
    await copy.replaceEverywhere(ISSUER, issuerUrl);
    const args = ['serve', '--config', 'portolan.config.yaml', '--internal-address', 'off'];
    server = new RunningPortolan([...args, '--address', '127.0.0.1:0'], { cwd });
    registry = `http://${String((await server.logged('listening'))['address'])}`;
  });
  after(async () => {
    await server.stop();
    await issuer.stop();
    await copy.remove();
  });

  /** Returns a browser in which a person has logged in at the issuer. */
  async function loggedIn(person: string): Promise<PageBrowser> {
    const pages = new PageBrowser(PUBLIC_URL, registry);
    const there = new PageBrowser(issuerUrl, issuerUrl);
    let { location } = await pages.get('/login');
    let asked = 0;
    while (location?.startsWith(PUBLIC_URL) !== true) {
      const at = new URL(location ?? '', issuerUrl).href;
      const shown = await there.get(at);
      ({ location } = shown);
      if (location !== undefined) continue;
      asked += 1;
      expect(asked, shown.text).to.equal(1);
      expect(shown.text).to.include(`value="${person}"`);
      ({ location } = await there.post(at, { person }));
    }
    expect((await pages.get(location)).location).to.equal(`${PUBLIC_URL}/`);
    return pages;
  }

  for (const { person, name, finds, misses } of [
    { person: 'ada', name: 'Ada Quayle', finds: 'dev.acme.platform/deploy', misses: 'dev.acme.data/lineage' },
    {
      person: 'grace',
      name: 'Grace Okafor',
      finds: 'dev.acme.data/lineage',
      misses: 'dev.acme.platform/deploy',
    },
  ]) {
    it(`shows ${person} what the token of ${name} allows`, async () => {
      const browser = await loggedIn(person);
      const home = await browser.get('/');
      expect(home.text).to.include(name).and.include('Log out');
      expect(home.text.includes('>platform<')).to.equal(person === 'ada');
      const { text } = await browser.get('/browse/company');
      expect(text).to.include(finds).and.not.include(misses);
    });
  }

  it('shows only the open registry to a visitor without a login', async () => {
    const { text } = await new PageBrowser(PUBLIC_URL, registry).get('/');
    expect(text).to.include('>open<').and.include('Log in').and.not.include('>company<');
  });
});
