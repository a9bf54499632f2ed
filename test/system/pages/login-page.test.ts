import { listenForRedirect } from '@portolan/oauth-client';
import { expect } from 'chai';
import { axeViolations, findBrowser, TestBrowser } from '../../support/browser.ts';
import { skipSuite } from '../../support/skip-suite.ts';

type Listener = Awaited<ReturnType<typeof listenForRedirect>>;
type Shown = Parameters<Awaited<ReturnType<Listener['redirected']>>['show']>[0];

const HOSTILE = '<img src=x onerror=alert(1)>';

/** Pages of the login, and the text that people read. */
const PAGES: readonly { readonly shown: Shown; readonly title: string; readonly reads: readonly string[] }[] =
  [
    {
      shown: { went: 'well', workload: 'notes', issuer: 'https://id.acme.example' },
      title: 'You are logged in',
      reads: ['notes', 'https://id.acme.example', 'You can close this page.'],
    },
    {
      shown: {
        went: 'wrong',
        workload: 'notes',
        why: 'The login was refused: the person who was asked said no.',
      },
      title: 'The login did not work',
      reads: ['said no', 'Nothing was changed for notes', 'terminal'],
    },
    {
      shown: { went: 'wrong', workload: HOSTILE, why: HOSTILE.repeat(20) },
      title: 'The login did not work',
      reads: [HOSTILE],
    },
    {
      shown: { went: 'astray' },
      title: 'This is of another login',
      reads: ['changes nothing', 'terminal'],
    },
  ];

describe('final page of a login', function () {
  this.timeout(180_000);
  let browser: TestBrowser;
  before(async function () {
    const found = await findBrowser();
    if (found === undefined) skipSuite(this, 'no Chromium on PATH');
    browser = await TestBrowser.open(found);
  });
  after(() => browser?.close());

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { shown, title, reads } of PAGES) {
      const what = 'workload' in shown ? `${shown.went} for ${shown.workload}` : shown.went;
      it(`shows the outcome, ${what}, and removes the code from the address: ${colorScheme}`, async () => {
        const listener = await listenForRedirect(0, false);
        const { origin } = new URL(listener.redirectUri);
        const { page, faults, close } = await browser.newPage(origin, {
          colorScheme,
          viewport: { width: 390, height: 700 },
        });
        try {
          const redirected = listener.redirected('the-state');
          const loading = page.goto(`${listener.redirectUri}?code=the-code&state=the-state`);
          (await redirected).show(shown);
          const answer = await loading;
          expect(answer?.headers()['content-security-policy'])
            .to.include("default-src 'none'")
            .and.not.include('unsafe');
          expect(await page.locator('h1').textContent()).to.equal(title);
          const text = (await page.locator('main').textContent()) ?? '';
          for (const part of reads) expect(text).to.include(part);
          expect(page.url()).to.equal(listener.redirectUri);
          expect(await page.content()).to.not.match(/the-code|the-state/);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.equal(true);
          const written = await page.evaluate('getComputedStyle(document.body).color');
          expect(written).to.equal(colorScheme === 'dark' ? 'rgb(255, 255, 255)' : 'rgb(0, 0, 0)');
          expect(await axeViolations(page)).to.deep.equal([]);
          expect(faults).to.deep.equal([]);
        } finally {
          await close();
          await listener.close();
        }
      });
    }
  }

  it('responds 404 with a page at another address of the port', async () => {
    const listener = await listenForRedirect(0, false);
    const { page, faults, close } = await browser.newPage(new URL(listener.redirectUri).origin);
    try {
      expect((await page.goto('/'))?.status()).to.equal(404);
      expect(await page.locator('h1').textContent()).to.equal('Nothing is here');
      expect(await axeViolations(page)).to.deep.equal([]);
      expect(faults.filter((fault) => !fault.includes('favicon'))).to.deep.equal([]);
    } finally {
      await close();
      await listener.close();
    }
  });
});
