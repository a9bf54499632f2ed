import { expect } from 'chai';
import { type PictureTerminal, qrCode } from '../../src/terminal/ask/person-at-terminal.ts';

const ADDRESS = 'https://login.acme.example/device?user_code=WDJB-MJHT';
const TERMINAL: PictureTerminal = {
  columns: 80,
  platform: 'linux',
  environment: { TERM: 'xterm', LANG: 'en_US.UTF-8' },
};

describe('qrCode', () => {
  it('draws black on white, with a light border, in lines of equal width', async () => {
    const lines = await qrCode(ADDRESS, TERMINAL);
    const [on, off] = ['\u001B[40;97m', '\u001B[0m'];
    for (const line of lines) expect([line.startsWith(on), line.endsWith(off)]).to.deep.equal([true, true]);
    const drawn = lines.map((line) => line.slice(on.length, -off.length));
    expect(drawn.join('')).to.match(/^[ █▀▄]+$/);
    expect(new Set(drawn.map((line) => line.length)).size).to.equal(1);
    expect(drawn[0]).to.match(/^█+$/);
    // In the last line, only the upper half is drawn if the code has an odd number of rows.
    for (const line of drawn.slice(0, -1)) expect(line).to.match(/^██.*██$/);
  });

  const shown: readonly (readonly [title: string, terminal: Partial<PictureTerminal>, isShown: boolean])[] = [
    ['a terminal of unknown width', { columns: 0 }, true],
    ['a terminal as wide as the code', { columns: 33 }, true],
    ['a narrower terminal', { columns: 32 }, false],
    ['a terminal with NO_COLOR', { environment: { TERM: 'xterm', NO_COLOR: '1' } }, false],
    ['NO_COLOR that is empty', { environment: { TERM: 'xterm', NO_COLOR: '' } }, true],
    ['a dumb terminal', { environment: { TERM: 'dumb' } }, false],
    ['a terminal without TERM', { environment: {} }, false],
    ['Windows, where terminals have no kind', { platform: 'win32', environment: {} }, true],
    [
      'a locale without block characters',
      { environment: { TERM: 'xterm', LC_ALL: 'C', LANG: 'en_US.UTF-8' } },
      false,
    ],
    [
      'a locale with block characters',
      { environment: { TERM: 'xterm', LC_ALL: '', LC_CTYPE: 'C.utf8', LANG: 'C' } },
      true,
    ],
    ['no locale', { environment: { TERM: 'xterm' } }, true],
  ];
  for (const [title, terminal, isShown] of shown) {
    it(`${isShown ? 'draws' : 'omits'} the code for ${title}`, async () => {
      const lines = await qrCode(ADDRESS, { ...TERMINAL, ...terminal });
      expect(lines.length > 0).to.equal(isShown);
    });
  }

  it('omits a code for a text that is too long', async () => {
    const lines = await qrCode(`${ADDRESS}&more=${'x'.repeat(4000)}`, { ...TERMINAL, columns: 10_000 });
    expect(lines).to.deep.equal([]);
  });
});
