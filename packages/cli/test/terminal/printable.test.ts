import { expect } from 'chai';
import { printable } from '../../src/terminal/printable.ts';

describe('printable', () => {
  const cases = [
    { text: 'com.acme/notes – Größe', is: 'com.acme/notes – Größe' },
    { text: 'a\u001B[31mred\u001B[0m', is: 'ared' },
    { text: 'two\r\nlines\u2028three', is: 'two lines three' },
    { text: 'left\u202Eright', is: 'left right' },
    { text: 'bell\u0007\u009B2J', is: 'bell ' },
  ];
  for (const { text, is } of cases) {
    it(`returns ${JSON.stringify(is)} for ${JSON.stringify(text)}`, () => {
      expect(printable(text)).to.equal(is);
    });
  }
});
