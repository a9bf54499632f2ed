import { expect } from 'chai';
import { formatPublishedPort, parsePublishedPort } from '../../src/parse/published-port.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('parsePublishedPort', () => {
  const good = [
    { text: '8080:80', expected: { hostPort: 8080, containerPort: 80 } },
    { text: '80', expected: { hostPort: undefined, containerPort: 80 } },
    { text: '65535:1', expected: { hostPort: 65_535, containerPort: 1 } },
  ];
  for (const { text, expected } of good) {
    it(`parses ${text}, and formats it back`, () => {
      expect(parsePublishedPort(text, '--publish')).to.deep.equal(expected);
      expect(formatPublishedPort(expected)).to.equal(text);
    });
  }
  for (const text of [
    '',
    ':',
    '0:80',
    '80:0',
    '65536',
    '-1',
    '1.5',
    ' 80',
    '8080:',
    ':80',
    '1:2:3',
    '80/tcp',
    '٣:80',
  ]) {
    it(`rejects ${JSON.stringify(text)}`, async () => {
      expect(await caught(() => parsePublishedPort(text, '-p'))).to.have.property('code', 'ERR_SETTING');
    });
  }
});
